/** Billing on SQLite, fed with the ends of many tasks of one account: how fast it meters them, and what bills take then. */
import { join } from 'node:path'
import { type Client, createClient, createContextValues } from '@connectrpc/connect'
import { createCursors } from '@millhand/api'
import { InvoiceStatus } from '@millhand/api/gen/millhand/billing/v1/billing_pb.ts'
import { BillingService } from '@millhand/api/gen/millhand/billing/v1/billing_service_pb.ts'
import { createBillingService } from '@millhand/billing'
import type { EventLog, LoggedEvent } from '@millhand/eventlog'
import { loadPlans } from '@millhand/plans'
import { manualClock } from '@millhand/process'
import { createDirectTransport, principalKey, serve } from '@millhand/rpc'
import { openSqlite } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { answerQuestions } from '../child.ts'

export interface Question {
  readonly folder: string
  /** Of one account, spread over a month. */
  readonly tasks: number
  /** How often the bill is asked for. */
  readonly queries: number
}

export interface Answer {
  readonly eventsPerSecond: number
  /** Processor time of an event, in microseconds: it says the same on a machine that is busy. */
  readonly cpuUs: number
  /** How much more memory the process holds after all tasks than after the first fifth, in MiB. */
  readonly growthMib: number
  /** Until the invoice of the month is final. */
  readonly invoiceMs: number
  /** Of each query of the bill. */
  readonly bill: readonly number[]
}

const DAY_MS = 86_400_000
const GRACE_MS = 3 * DAY_MS
/** As many as the event log gives at once. */
const BATCH = 1_000
const MONTH = { start: Date.UTC(2026, 10), end: Date.UTC(2026, 11) }
const TENANT = 'acct_many/live'

answerQuestions(async ({ folder, tasks, queries }: Question): Promise<Answer> => {
  const db = openSqlite({ file: join(folder, 'billing.db') })
  const clock = manualClock(MONTH.end - 1)
  const metered = Promise.withResolvers<Pick<Answer, 'eventsPerSecond' | 'cpuUs' | 'growthMib'>>()
  const events: Pick<EventLog, 'subscribe'> = {
    async subscribe(group, _topics, handler) {
      if (group === 'billing-compute') metered.resolve(await feed(handler, tasks))
    },
  }
  const service = createBillingService({
    ...{ db, events, clock, plans: loadPlans(), cursors: createCursors(new Uint8Array(32)) },
    ...{ log: createLog({ level: 'error' }), entriesKeptMs: 400 * DAY_MS, graceMs: GRACE_MS },
  })
  const transport = createDirectTransport()
  serve(service.routes, transport)
  const billing = createClient(BillingService, transport)
  const ending = new AbortController()
  const running = service.run(ending.signal)
  const figures = await metered.promise
  const bill: number[] = []
  for (let n = 0; n < queries; n++) bill.push(await timeOf(() => billing.getBilling({}, caller)))
  const unsummed = () => db.read<[number]>("SELECT count(*) FROM usage_hours WHERE state = 'open'")[0]?.[0]
  while (unsummed() !== 0) await clock.advance(60_000)
  await clock.advance(GRACE_MS - 3_600_000)
  const invoiceMs = await timeOf(async () => {
    while (!(await isFinal(billing))) await clock.advance(3_600_000)
  })
  ending.abort()
  await running
  await db.close()
  return { ...figures, invoiceMs, bill }
})

async function feed(handler: Parameters<EventLog['subscribe']>[2], tasks: number) {
  let seconds = 0
  let cpuUs = 0
  let before = 0
  for (let from = 0; from < tasks; from += BATCH) {
    if (from <= tasks / 5) before = process.memoryUsage.rss()
    const batch = Array.from({ length: Math.min(BATCH, tasks - from) }, (_, n) => ended(from + n, tasks))
    const [begin, used] = [performance.now(), process.cpuUsage()]
    await handler(batch)
    seconds += (performance.now() - begin) / 1000
    const { user, system } = process.cpuUsage(used)
    cpuUs += user + system
  }
  return {
    eventsPerSecond: tasks / seconds,
    cpuUs: cpuUs / tasks,
    growthMib: (process.memoryUsage.rss() - before) / 2 ** 20,
  }
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

const isFinal = async (billing: Client<typeof BillingService>) =>
  (await billing.listInvoices({}, caller)).data.some(({ status }) => status === InvoiceStatus.FINAL)

/** Evenly over the month, the earliest first, of ten models. */
function ended(n: number, of: number): LoggedEvent {
  const at = MONTH.start + Math.floor((n / of) * (MONTH.end - MONTH.start))
  const id = `task_${String(n).padStart(26, '0')}`
  const object = {
    ...{ id, object: 'task', type: 'inference', model: `model-${n % 10}`, status: 'succeeded' },
    usage: { queue_ms: 3, compute_ms: 12, gpu_type: 'cpu', items: 1 },
    cost: { amount: '0.000001', currency: 'USD' },
    finished_at: new Date(at).toISOString(),
  }
  const [account_id, mode] = TENANT.split('/')
  const type = 'task.succeeded'
  const value = JSON.stringify({ id: `evt_${id}`, type, account_id, mode, data: { object } })
  return { topic: 'millhand.tasks.v1', key: id, id: `evt_${id}`, type, time: at, value, position: id }
}

const caller = {
  contextValues: createContextValues().set(principalKey, {
    ...{ accountId: 'acct_many', mode: 'live', tenant: TENANT, scopes: new Set(['*']), keyId: 'key_a' },
    plans: { compute: 'enterprise', developer: 'enterprise', workforce: 'enterprise' },
  }),
}
