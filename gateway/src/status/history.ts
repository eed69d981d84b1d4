/** The last 90 days by the status service, cached. */
import type { Client } from '@connectrpc/connect'
import type { Day, StatusService } from '@millhand/api/gen/millhand/status/v1/status_service_pb.ts'
import type { Clock } from '@millhand/process'

export interface History {
  /** The oldest first; days without a report are left out. */
  readonly days: readonly Day[]
  /** Whether the service answered; else the days are those of its last answer, or none. */
  readonly isCurrent: boolean
}

/** The service is asked this often at most. */
const CACHE_MS = 10_000
const CALL_MS = 1_000

/** Never rejects. */
export function createHistory(status: Client<typeof StatusService>, clock: Clock): () => Promise<History> {
  let last: History = { days: [], isCurrent: false }
  let askedAt = Number.NEGATIVE_INFINITY
  let asking: Promise<History> | undefined

  async function ask(): Promise<History> {
    try {
      const { days } = await status.getHistory({}, { timeoutMs: CALL_MS })
      last = { days, isCurrent: true }
    } catch {
      // The component that is down shows why.
      last = { ...last, isCurrent: false }
    }
    askedAt = clock.monotonic()
    asking = undefined
    return last
  }

  return () => {
    if (asking === undefined && clock.monotonic() - askedAt >= CACHE_MS) asking = ask()
    return asking ?? Promise.resolve(last)
  }
}
