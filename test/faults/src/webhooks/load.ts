/** Tasks, so that there are events: of all tenants in turns, some are cancelled. */
import { createClients } from '../clients.ts'
import { random } from '../random.ts'
import { createPace } from '../rate-pacing.ts'
import { digitRequest } from '../task-requests.ts'
import type { Tenant } from './customers.ts'

export interface LoadOptions {
  readonly urls: () => readonly string[]
  readonly tenants: readonly Tenant[]
  readonly seed: number
  readonly tasksPerSecond: number
}

export interface Load {
  /** Lets so many in all be sent; resolves when they were taken up. */
  upTo(tasks: number): Promise<void>
  /** Resolves with the answers that no client should have got, once all have come or nobody waits any longer. */
  end(): Promise<string[]>
}

const CLIENTS_OF_A_TENANT = 2
const CANCELLED = 0.05
/** On a slow machine the load ends before all its tasks, once the faults are over. */
const LIMIT_MS = 120_000

export function startLoad({ urls, tenants, seed, tasksPerSecond }: LoadOptions): Load {
  const dice = random(seed)
  const pace = createPace(tasksPerSecond)
  let passed = 0
  let onPassed = () => {}
  const next = async () => {
    if (!(await pace.turn())) return undefined
    passed++
    onPassed()
    return digitRequest(dice, { task: { max_attempts: 10 }, act: dice.next() < CANCELLED ? 'cancel' : 'leave' })
  }
  const clients = tenants.map(({ key }) => createClients({ urls, key, clients: CLIENTS_OF_A_TENANT, next }))
  const working = Promise.all(clients.map(each => each.run()))
  return {
    upTo(tasks) {
      pace.admit(Math.round(tasks))
      return new Promise(resolve => {
        onPassed = () => passed >= Math.round(tasks) && resolve()
        onPassed()
      })
    },
    async end() {
      pace.close()
      const late = setTimeout(pace.stop, LIMIT_MS)
      const seen = await working.finally(() => clearTimeout(late))
      return seen.flatMap(({ unexpected }) => unexpected)
    },
  }
}
