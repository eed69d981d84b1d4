/** One storm on webhooks: two processes that deliver, load, the faults of a seed, and then the books are read. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { taskBillFaults } from '../bills.ts'
import { allSettled } from '../evidence.ts'
import { createInjector } from '../fault-injection.ts'
import { random } from '../random.ts'
import { wordsOf } from '../schedule.ts'
import { type MemberName, startSystem } from '../system.ts'
import { type Customers, createCustomers, createTenants } from './customers.ts'
import { violations, type Window } from './deliveries.ts'
import { endpointsOf, type Plan } from './endpoints.ts'
import { closedBooks } from './evidence.ts'
import { type Figures, figuresOf } from './figures.ts'
import { startLoad } from './load.ts'
import { startReceivers } from './receivers.ts'
import { schedule } from './schedule.ts'
import type { Size } from './storm-size.ts'

export interface RunOptions {
  readonly seed: number
  readonly size: Size
  /** The checkout that is run. */
  readonly root: string
  /** Where logs and data go, and `violations.txt` where there are any. */
  readonly folder: string
  /** Hears a line now and then. */
  readonly say: (line: string) => void
}

export interface Outcome {
  readonly figures: Figures
  /** Every breach of a promise, in words. */
  readonly violations: readonly string[]
}

const MEMBERS: readonly MemberName[] = [
  'gateway-1',
  'identity',
  'billing',
  'webhook-1',
  'webhook-2',
  'compute-1',
  'executor-1',
]
/** `task.queued`, `task.started` and an end. */
const EVENTS_A_TASK = 3
/** How much of the load comes before the first fault. */
const CALM = 0.25
const SETTLE_LIMIT_MS = 300_000

export async function run({ seed, size, root, folder, say }: RunOptions): Promise<Outcome> {
  const began = performance.now()
  const tell = (line: string) => say(`[seed ${seed}, ${((performance.now() - began) / 1_000).toFixed(1)} s] ${line}`)

  await using receivers = await startReceivers(random(seed + 1), size.mostFailures)
  await using system = await startSystem({
    root,
    folder,
    members: MEMBERS,
    ...(size.ownerLeaseS !== undefined && { ownerLeaseS: size.ownerLeaseS }),
  })
  const tenants = await createTenants(system, size.accounts)
  const customers = createCustomers(system, tenants, receivers)
  const plans = endpointsOf(tenants.length, random(seed + 2))
  for (const plan of plans) if (plan.life !== 'is made late') await customers.create(plan)
  tell(`${customers.made.length} endpoints of ${tenants.length} tenants are there`)

  const tasks = Math.ceil(size.events / EVENTS_A_TASK)
  const tasksPerSecond = size.eventsPerSecond / EVENTS_A_TASK
  const load = startLoad({ urls: system.urls, tenants, seed: seed + 3, tasksPerSecond })
  await load.upTo(tasks * (size.warmUp ?? 0))
  const warmAt = performance.timeOrigin + performance.now()
  await load.upTo(tasks * Math.max(CALM, size.warmUp ?? 0))

  const found: string[] = []
  const orFailure = <T>(doing: Promise<T>) => doing.catch((error: Error) => void found.push(error.message))
  const inject = createInjector(system)
  const steps = schedule(size.strength, random(seed))
  const windows: Window[] = []
  let changing: Promise<unknown> | undefined
  for (const [at, { afterMs, fault }] of steps.entries()) {
    void load.upTo(tasks * (CALM + ((1 - CALM) * (at + 1)) / (steps.length + 1)))
    await pause(afterMs)
    if (at >= steps.length / 2) changing ??= orFailure(change(customers, plans))
    const done = await orFailure(inject(fault))
    if (!done) continue
    windows.push({ began: done.began + performance.timeOrigin, over: done.over + performance.timeOrigin })
    tell(`${wordsOf(fault)} (${done.place}); ${receivers.posts.length} posts so far`)
  }
  const whole = performance.now()
  await changing
  void load.upTo(tasks)
  found.push(...(await load.end()))
  tell('everything is whole and sent')
  await orFailure(allSettled(system.database, SETTLE_LIMIT_MS))

  const limitMs = size.deliveredWithinMs
  const books = await closedBooks({ system, customers, receivers, windows, limitMs, tell })
  tell(`${Math.round(performance.now() - whole)} ms after the last fault nothing is left to come`)
  found.push(...violations(books))
  const keys = tenants.filter(({ mode }) => mode === 'live').map(({ key }) => key)
  found.push(...(await taskBillFaults({ ...system, keys }, SETTLE_LIMIT_MS)))
  const healthy = customers.made.filter(({ plan }) => plan.manner === 'healthy').map(({ endpoint }) => endpoint.path)
  const figures = figuresOf(books, new Set(healthy), warmAt)
  const p99 = Math.max(figures.calmMs.p99, figures.faultMs.p99)
  if (p99 > (size.deliveredP99Ms ?? Number.POSITIVE_INFINITY)) found.push(`the p99 of deliveries is ${p99} ms`)
  if (found.length > 0) writeFileSync(join(folder, 'violations.txt'), `${found.join('\n')}\n`)
  tell(`${found.length} broken promises; ${JSON.stringify(figures)}`)
  return { figures, violations: found }
}

/** Endpoints come and go. */
async function change(customers: Customers, plans: readonly Plan[]): Promise<void> {
  const ending = customers.made.filter(({ plan }) => plan.life === 'is deleted' || plan.life === 'is disabled')
  for (const plan of plans) if (plan.life === 'is made late') await customers.create(plan)
  for (const each of ending) await customers.end(each)
}
