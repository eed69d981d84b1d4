import { backoff, type Clock } from '@millhand/process'
import { isPassing, isUnsent } from './connection.ts'
import { outcomeOf } from './outcome.ts'
import { OutcomeUnknown, type WriteGroups, type WriteOutcome } from './write-groups.ts'
import { expectingNothing, type WriteStatement } from './write-statement.ts'

/** How long the outcome of a write is asked for after its answer did not come. */
const MOST_MS = 5_000

const waitMs = backoff({ baseMs: 50, maxMs: 500, random: Math.random })

/**
 * Makes a write. Where no answer comes it looks for the write's token in what is stored, and asks again, with the same
 * token and version, only while the document shows that the write has not been made: then it is made once, whichever
 * request comes first. Rejects with the failure, or `OutcomeUnknown`, when this takes over 5 s or can't be told.
 */
export async function settle(groups: WriteGroups, write: WriteStatement, clock: Clock): Promise<WriteOutcome> {
  let failure: unknown
  try {
    return await groups.send(write)
  } catch (error) {
    if (!isPassing(error) || isUnsent(error)) throw error
    failure = error
  }
  const end = clock.monotonic() + MOST_MS
  let repeated: WriteOutcome | undefined
  for (let attempt = 1; clock.monotonic() < end; attempt++) {
    await new Promise<void>(resolve => clock.timer(waitMs(attempt), resolve))
    try {
      const outcome = outcomeOf(write, await groups.trace(write))
      if (outcome === 'unknown') throw new OutcomeUnknown(write.key, failure)
      if (outcome !== 'open') return outcome
      // It was refused, and not because it had been made before.
      if (repeated !== undefined) return repeated
      // It expects nothing now: found made, it could not be told whether it is this or the first request that was.
      const result = await groups.send(expectingNothing(write))
      if (result.kind !== 'conflict') return result
      repeated = result
    } catch (error) {
      if (!isPassing(error)) throw error
    }
  }
  throw failure
}
