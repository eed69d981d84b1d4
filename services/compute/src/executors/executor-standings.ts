/** What executors in instances may do, as the instance service knows it. */
import type { Client } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import {
  type CapacityService,
  CheckExecutorResponse_Standing as Wire,
} from '@millhand/api/gen/millhand/instance/v1/capacity_service_pb.ts'
import type { Clock } from '@millhand/process'
import type { ConfinedExecutor } from '@millhand/rpc'

export interface ExecutorStandings {
  /** What the instance service has said within the last 2 s. Fails with `unavailable` while it does not answer. */
  confirmed(executor: ConfinedExecutor): Promise<Standing>
  /** The same, or its latest answer while it does not answer. Fails with `unavailable` if there is none. */
  latest(executor: ConfinedExecutor): Promise<Standing>
}

/** `stopping` may finish what it has. */
type Standing = 'active' | 'stopping' | 'gone'

interface Known {
  readonly askedAt: number
  /** The call to the instance service. */
  readonly asked: Promise<Standing>
  /** The latest answer to this call or one before. */
  answer: Standing | undefined
}

const KNOWN_MS = 2_000
const TIMEOUT_MS = 2_000
const MOST_KNOWN = 10_000

export function createExecutorStandings(
  client: Pick<Client<typeof CapacityService>, 'checkExecutor'>,
  clock: Pick<Clock, 'monotonic'>,
): ExecutorStandings {
  const known = new Map<string, Known>()

  async function ask(replica: ConfinedExecutor): Promise<Standing> {
    try {
      const { standing } = await client.checkExecutor({ replica }, { timeoutMs: TIMEOUT_MS })
      return words.get(standing) ?? 'gone'
    } catch (error) {
      throw fail('unavailable', 'The instance service does not answer.', { retryAfterS: 1, cause: error })
    }
  }

  function current(executor: ConfinedExecutor): Known {
    const key = `${executor.tenant} ${executor.instance} ${executor.generation}`
    const before = known.get(key)
    const now = clock.monotonic()
    if (before !== undefined && now - before.askedAt < KNOWN_MS) return before
    const next: Known = { askedAt: now, asked: ask(executor), answer: before?.answer }
    next.asked.then(
      standing => {
        next.answer = standing
      },
      () => {}, // Whoever waits for it hears of it.
    )
    known.delete(key)
    known.set(key, next)
    const [oldest] = known.keys()
    if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest)
    return next
  }

  return {
    confirmed: executor => current(executor).asked,
    async latest(executor) {
      const latest = current(executor)
      try {
        return await latest.asked
      } catch (error) {
        if (latest.answer === undefined) throw error
        return latest.answer
      }
    },
  }
}

const words: ReadonlyMap<Wire, Standing> = new Map([
  [Wire.ACTIVE, 'active'],
  [Wire.STOPPING, 'stopping'],
])
