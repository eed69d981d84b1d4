/** Calls that are asked again when nobody can answer just then. */
import { codeOf } from '@millhand/api'
import { backoff, type Clock } from '@millhand/runner'

/** Long enough for a replica to be replaced by another, and short beside the lease of an operation. */
const PATIENCE_MS = 5_000

const pauseMs = backoff({ baseMs: 50, maxMs: 500, random: Math.random })

/** Calls until it is answered, or its time is over. For calls that may be repeated. */
export async function patiently<Answer>(clock: Clock, ask: (timeoutMs: number) => Promise<Answer>): Promise<Answer> {
  const end = clock.monotonic() + PATIENCE_MS
  for (let tries = 1; ; tries++) {
    const leftMs = end - clock.monotonic()
    try {
      return await ask(Math.max(1, leftMs))
    } catch (error) {
      const pause = pauseMs(tries)
      if (codeOf(error) !== 'unavailable' || leftMs <= pause) throw error
      await clock.sleep(pause, never)
    }
  }
}

const never = new AbortController().signal
