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
  /** Asks at most every 2 s. While the instance service is away the latest answer counts; `unavailable` without one. */
  of(executor: ConfinedExecutor): Promise<Standing>
}

/** `stopping` may finish what it has. */
type Standing = 'active' | 'stopping' | 'gone'

interface Known {
  readonly askedAt: number
  readonly standing: Promise<Standing>
}

const KNOWN_MS = 2_000
const TIMEOUT_MS = 2_000
const MOST_KNOWN = 10_000

export function createExecutorStandings(
  client: Pick<Client<typeof CapacityService>, 'checkExecutor'>,
  clock: Pick<Clock, 'monotonic'>,
): ExecutorStandings {
  const known = new Map<string, Known>()

  async function ask(replica: ConfinedExecutor, latest: Known | undefined): Promise<Standing> {
    try {
      const { standing } = await client.checkExecutor({ replica }, { timeoutMs: TIMEOUT_MS })
      return words.get(standing) ?? 'gone'
    } catch (error) {
      if (latest !== undefined) return await latest.standing
      throw fail('unavailable', 'The instance service does not answer.', { retryAfterS: 1, cause: error })
    }
  }

  return {
    of(executor) {
      const key = `${executor.instance} ${executor.generation}`
      const latest = known.get(key)
      const now = clock.monotonic()
      if (latest !== undefined && now - latest.askedAt < KNOWN_MS) return latest.standing
      const standing = ask(executor, latest)
      known.delete(key)
      known.set(key, { askedAt: now, standing })
      standing.catch(() => known.delete(key))
      const [oldest] = known.keys()
      if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest)
      return standing
    },
  }
}

const words: ReadonlyMap<Wire, Standing> = new Map([
  [Wire.ACTIVE, 'active'],
  [Wire.STOPPING, 'stopping'],
])
