/** How long a post may take, and that its caller may give it up, in one signal. */
import type { Clock } from '@millhand/process'
import { DialFailure } from './failure.ts'

export interface TimeLimit {
  /** Fires with a DialFailure. */
  readonly signal: AbortSignal
  /** Since the time began, in milliseconds. */
  elapsed(): number
  /** The time begins anew. */
  restart(): void
  /** It fires no more. */
  end(): void
}

export function timeLimit(clock: Clock, ms: number, given: AbortSignal): TimeLimit {
  const stop = new AbortController()
  const onAbort = () => stop.abort(new DialFailure('aborted', 'the post was given up'))
  const onTimeout = () => stop.abort(new DialFailure('timeout', 'no answer came in time'))
  let began = clock.monotonic()
  let timer = clock.timer(ms, onTimeout)
  given.addEventListener('abort', onAbort)
  if (given.aborted) onAbort()
  return {
    signal: stop.signal,
    elapsed: () => clock.monotonic() - began,
    restart() {
      timer.cancel()
      began = clock.monotonic()
      timer = clock.timer(ms, onTimeout)
    },
    end() {
      timer.cancel()
      given.removeEventListener('abort', onAbort)
    },
  }
}
