/** One storm on webhooks: two processes that deliver, load, the faults of a seed, and then the books are read. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Clients, createClients } from '../clients.ts'
import { allSettled, readTopics } from '../evidence.ts'
import { createInjector } from '../inject.ts'
import { createPace } from '../pace.ts'
import { random } from '../random.ts'
import { wordsOf } from '../schedule.ts'
import { type MemberName, type System, startSystem } from '../system.ts'
import { digitWish } from '../wishes.ts'
import { type Customers, createCustomers, createTenants, type Tenant } from './customers.ts'
import { type Books, type Happened, missing, violations, type Window } from './deliveries.ts'
import { endpointsOf } from './endpoints.ts'
import { type Figures, figuresOf } from './figures.ts'
import { type Receivers, startReceivers } from './receivers.ts'
import { schedule } from './schedule.ts'
import { isSigned } from './signature.ts'
import type { Size } from './sizes.ts'

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
const TOPICS = ['millhand.tasks.v1', 'millhand.identity.v1', 'millhand.webhooks.v1']
/** `task.queued`, `task.started` and an end. */
const EVENTS_A_TASK = 3
const CANCELLED = 0.05
/** How much of the load comes before the first fault. */
const CALM = 0.25
const SETTLE_LIMIT_MS = 60_000

export async function run({ seed, size, root, folder, say }: RunOptions): Promise<Outcome> {
  const began = performance.now()
  const tell = (line: string) => say(`[seed ${seed}, ${((performance.now() - began) / 1_000).toFixed(1)} s] ${line}`)

  await using receivers = await startReceivers(random(seed + 1), size.mostFailures)
  await using system = await startSystem({ root, folder, members: MEMBERS })
  const tenants = await createTenants(system, size.accounts)
  const customers = createCustomers(system, tenants, receivers)
  const plans = endpointsOf(tenants.length, random(seed + 2))
  for (const plan of plans) if (plan.life !== 'is made late') await customers.create(plan)
  tell(`${customers.made.length} endpoints of ${tenants.length} tenants are there`)

  const tasks = Math.ceil(size.events / EVENTS_A_TASK)
  const load = startLoad(system, tenants, seed, size.eventsPerSecond / EVENTS_A_TASK)
  await load.upTo(tasks * CALM)
  const inject = createInjector(system)
  const steps = schedule(size.strength, random(seed))
  const windows: Window[] = []
  let changing: Promise<unknown> = Promise.resolve()
  for (const [at, { afterMs, fault }] of steps.entries()) {
    void load.upTo(tasks * (CALM + ((1 - CALM) * (at + 1)) / (steps.length + 1)))
    await pause(afterMs)
    if (at === Math.floor(steps.length / 2)) changing = change(customers, plans)
    changing.catch(() => {}) // It is awaited below.
    const { place, began, over } = await inject(fault)
    windows.push({ began: began + performance.timeOrigin, over: over + performance.timeOrigin })
    tell(`${wordsOf(fault)} (${place}); ${receivers.posts.length} posts so far`)
  }
  const whole = performance.now()
  await changing
  await load.upTo(tasks)
  const unexpected = await load.end()
  const found: string[] = [...unexpected]
  tell(`everything is whole and sent`)
  await allSettled(system.database, SETTLE_LIMIT_MS).catch((error: Error) => found.push(error.message))

  const books = await closedBooks(system, customers, receivers, windows, size.deliveredWithinMs, tell)
  tell(`${Math.round(performance.now() - whole)} ms after the last fault nothing is left to come`)
  found.push(...violations(books))
  const healthy = customers.made.filter(({ plan }) => plan.manner === 'healthy').map(({ endpoint }) => endpoint.path)
  const figures = figuresOf(books, new Set(healthy))
  if (found.length > 0) writeFileSync(join(folder, 'violations.txt'), `${found.join('\n')}\n`)
  tell(`${found.length} broken promises; ${JSON.stringify(figures)}`)
  return { figures, violations: found }
}

/** Tasks of all tenants in turns, at most so many a second; some are cancelled. */
function startLoad({ urls }: System, tenants: readonly Tenant[], seed: number, tasksPerSecond: number) {
  const wishes = random(seed + 3)
  const pace = createPace(tasksPerSecond)
  let passed = 0
  let reached = () => {}
  const next = async () => {
    if (!(await pace.turn())) return undefined
    passed++
    reached()
    const act = wishes.next() < CANCELLED ? 'cancel' : 'leave'
    return digitWish(wishes, { task: { max_attempts: 10 }, act })
  }
  const clients: Clients[] = tenants.map(({ key }) => createClients({ urls, key, clients: 2, next }))
  const working = Promise.all(clients.map(each => each.run()))
  return {
    /** Resolves when so many in all are sent. */
    upTo(total: number): Promise<void> {
      pace.admit(Math.round(total))
      return new Promise(resolve => {
        reached = () => passed >= Math.round(total) && resolve()
        reached()
      })
    },
    /** Resolves with the answers that no client should have got, once all have come. */
    async end(): Promise<string[]> {
      pace.close()
      return (await working).flatMap(({ unexpected }) => unexpected)
    },
  }
}

/** Endpoints come and go. */
async function change(customers: Customers, plans: ReturnType<typeof endpointsOf>): Promise<void> {
  const ending = customers.made.filter(({ plan }) => plan.life === 'is deleted' || plan.life === 'is disabled')
  for (const plan of plans) if (plan.life === 'is made late') await customers.create(plan)
  for (const each of ending) await customers.end(each)
}

/** The books once everything has come that has to, or the time for it is over. */
async function closedBooks(
  system: System,
  customers: Customers,
  receivers: Receivers,
  windows: readonly Window[],
  limitMs: number,
  tell: (line: string) => void,
): Promise<Books> {
  const deadline = performance.now() + limitMs
  const endpoints = customers.made.map(({ endpoint }) => endpoint)
  const secrets = new Map(customers.made.map(({ endpoint, secret }) => [endpoint.path, secret]))
  for (let events = await happened(system); ; ) {
    const books = () => ({
      endpoints,
      events,
      windows,
      arrivals: receivers.posts.map(post => ({
        path: post.path,
        event: String(post.headers['webhook-id']),
        at: post.at,
        body: post.body,
        isAccepted: post.isAccepted,
        isSigned: isSigned(post, secrets.get(post.path) ?? ''),
      })),
    })
    for (let looks = 0; performance.now() < deadline; looks++) {
      const left = missing(books()).length
      if (left === 0) break
      if (looks % 5 === 0) tell(`${left} deliveries are still to come`)
      await pause(1_000)
    }
    const now = await happened(system)
    if (now.length === events.length || performance.now() > deadline) return books()
    events = now
  }
}

/** What the log holds, each event once. */
async function happened({ brokers }: System): Promise<Happened[]> {
  const read = await readTopics(brokers, TOPICS)
  const each = new Map(read.map(({ id, content }) => [id, content]))
  return Array.from(each, ([id, value]) => {
    const { account_id, mode, type, created_at } = JSON.parse(value)
    return { id, tenant: `${account_id}/${mode}`, type, at: Date.parse(created_at), value }
  })
}
