/** A stream of events that goes on at another replica when its own fails. */
import type { Message } from '@bufbuild/protobuf'
import { codeOf } from '@millhand/api'
import { backoff, type Clock } from '@millhand/process'

/** The fields of every event. */
export type Event = Message & { readonly sequence: bigint; readonly type: string }

export interface ResumingOptions {
  /** Asks for the events after a place, or for all of them. */
  readonly ask: (after: bigint | undefined) => AsyncIterable<Event>
  readonly after: bigint | undefined
  readonly clock: Clock
  /** Ends the stream, with its reason. */
  readonly signal: AbortSignal
  /** From 0 up to 1: the jitter of asking again, for all streams break at once. */
  readonly random: () => number
}

/** The most that is waited between two tries, at first and at last: milliseconds. */
const RETRY_MS = { baseMs: 100, maxMs: 2_000 }
/** The longest time without a replica that answers: an owner is replaced in 2 s, a process restarts in some more. */
const GIVE_UP_MS = 30_000
/** A call that lasts so long was answered by a replica: one that finds none fails after 5 s. */
const ANSWERED_MS = 10_000

/**
 * The events after a place, each once and in their order. Where the call fails with
 * `unavailable`, it is repeated after the last event. Fails as `ask` does; with `unavailable` after 30 s of it.
 */
export async function* resumingEvents({ ask, after, clock, signal, random }: ResumingOptions): AsyncGenerator<Event> {
  const pauseMs = backoff({ ...RETRY_MS, random })
  let last = after
  let failingSince: number | undefined
  let failures = 0
  for (;;) {
    const askedAt = clock.monotonic()
    let gave = false
    let leftMs: number
    try {
      for await (const event of ask(last)) {
        last = event.sequence
        gave = true
        yield event
      }
      return
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (codeOf(error) !== 'unavailable') throw error
      const now = clock.monotonic()
      const lasted = gave || now - askedAt >= ANSWERED_MS
      failures = lasted ? 1 : failures + 1
      failingSince = lasted ? now : (failingSince ?? askedAt)
      leftMs = failingSince + GIVE_UP_MS - now
      if (leftMs <= 0) throw error
    }
    await clock.sleep(Math.min(pauseMs(failures), leftMs), signal)
  }
}
