/** A tenant alone, then beside a hostile one on free plans: its times, and the server's memory. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { send } from '@millhand/test-e2e/http'
import { keyOf, newAccount, operate, operatorEnv } from '@millhand/test-e2e/operator'
import { type Server, startServer } from '@millhand/test-e2e/server'
import { taskBillFaults } from '../bills.ts'
import type { Target } from './attacks.ts'
import type { Counters } from './hostile-child.ts'
import { type Measured, measure, type Neighbour } from './neighbour-tenant.ts'

export interface HostileRun {
  readonly alone: Measured
  readonly beside: Measured
  readonly tally: Counters
  /** The most that the server's first process had resident, in MiB. */
  readonly peakMib: number
  /** How long the hostile tenant was at work. */
  readonly seconds: number
  /** What is billed to one of both and did not run, and what ran and is not billed. */
  readonly misbilled: readonly string[]
}

const BILL_LIMIT_MS = 300_000

/** `minutes` of it; with 0 each attack has one round, and the neighbour a few calls and tasks. */
export async function runHostile(minutes: number): Promise<HostileRun> {
  await using server = await startServer()
  const account = await newAccount(server, 'Neighbour')
  const neighbour: Neighbour = { url: server.url, key: await keyOf(server, account) }
  const target = await hostileTenant(server)
  const least = { gets: 200, tasksOfEachKind: 3 }

  const aloneUntil = performance.now() + (minutes / 5) * 60_000
  await measure(neighbour, { gets: 20, tasksOfEachKind: 1, isOver: () => true }) // Loads the models.
  const alone = await measure(neighbour, { ...least, isOver: () => performance.now() >= aloneUntil })

  const began = performance.now()
  await using hostile = startHostile(target)
  const until = began + minutes * 60_000
  const isOver = () => performance.now() >= until && hostile.hasDoneEach()
  const beside = await measure(neighbour, { ...least, isOver })
  const peakMib = peakOf(server.pid)
  const seconds = (performance.now() - began) / 1_000
  await hostile[Symbol.asyncDispose]()
  const misbilled = await taskBillFaults(
    {
      keys: [neighbour.key, target.liveKey],
      lists: ['/v1/tasks', ...['alex', 'david', 'emma'].map(employee => `/v1/workforce/${employee}/tasks`)],
      urls: () => [server.url],
      operator: operatorEnv(server),
    },
    BILL_LIMIT_MS,
  )
  return { alone, beside, tally: hostile.tally(), peakMib, seconds, misbilled }
}

/** An account on the plans that cost nothing. */
async function hostileTenant(server: Server): Promise<Target> {
  const plans = ['compute=starter', 'developer=free', 'workforce=starter']
  const { id } = await operate(server, 'accounts', 'create', 'Hostile', ...plans)
  const [liveKey, testKey] = [await keyOf(server, id), await keyOf(server, id, { mode: 'test' })]
  const { body } = await send('POST', `${server.url}/v1/tasks`, {
    json: { type: 'inference', model: 'digits', input: 'sandbox:slow:300000' },
    headers: { authorization: `Bearer ${testKey}` },
  })
  return { url: server.url, liveKey, testKey, slowTask: body.id }
}

function startHostile(target: Target) {
  const child = fork(new URL('./hostile-child.ts', import.meta.url))
  const gone = once(child, 'exit')
  let tally: Counters = {}
  child.on('message', (message: Counters) => {
    tally = message
  })
  child.send(target)
  return {
    tally: () => tally,
    /** Whether each attack has had a round. */
    hasDoneEach() {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error('the hostile tenant’s process has ended')
      const all = Object.values(tally)
      return all.length > 0 && all.every(({ rounds }) => rounds > 0)
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await gone
    },
  }
}

/** In MiB. */
function peakOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1]) / 1_024
}
