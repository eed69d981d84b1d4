/** Billing on SQLite, fed with the ends of many tasks: how fast it counts them, and what its queries take then. */
import { join } from 'node:path'
import { createClient, createContextValues } from '@connectrpc/connect'
import { createCursors } from '@millhand/api'
import { UsageGroup } from '@millhand/api/gen/millhand/billing/v1/usage_pb.ts'
import { UsageService } from '@millhand/api/gen/millhand/billing/v1/usage_service_pb.ts'
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
  /** Of one account, spread over 30 days; another has one in each day. */
  readonly tasks: number
  /** How often each query is sent. */
  readonly queries: number
}

export interface Answer {
  readonly eventsPerSecond: number
  /** Milliseconds of each query of a month. */
  readonly many: readonly number[]
  readonly manyByModel: readonly number[]
  readonly few: readonly number[]
}

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const BATCH = 500
const END = Date.UTC(2026, 10, 30, 12)

answerQuestions(async ({ folder, tasks, queries }: Question): Promise<Answer> => {
  const db = openSqlite({ file: join(folder, 'usage.db') })
  const clock = manualClock(END)
  let seconds = 0
  const counted = Promise.withResolvers<void>()
  const events: Pick<EventLog, 'subscribe'> = {
    async subscribe(group, _topics, handler) {
      if (group !== 'billing-compute') return
      const begin = performance.now()
      for (let from = 0; from < tasks; from += BATCH)
        await handler(Array.from({ length: Math.min(BATCH, tasks - from) }, (_, n) => ended(MANY, from + n, tasks)))
      seconds = (performance.now() - begin) / 1000
      await handler(Array.from({ length: 30 }, (_, n) => ended(FEW, n, 30)))
      counted.resolve()
    },
  }
  const log = createLog({ level: 'error' })
  const service = createBillingService({
    db,
    events,
    plans: loadPlans(),
    cursors: createCursors(new Uint8Array(32)),
    clock,
    log,
    entriesKeptMs: 400 * DAY_MS,
    graceMs: 3 * DAY_MS,
  })
  const transport = createDirectTransport()
  serve(service.routes, transport)
  const ending = new AbortController()
  const running = service.run(ending.signal)
  await counted.promise
  const open = () => db.read<[number]>("SELECT count(*) FROM usage_hours WHERE state = 'open'")[0]?.[0]
  while (open() !== 1 && open() !== 0) await clock.advance(10_000) // The last hour goes on.

  const usage = createClient(UsageService, transport)
  const ask = async (accountId: string, groupBy?: UsageGroup) => {
    const begin = performance.now()
    const start = { seconds: BigInt((END - 30 * DAY_MS) / 1000) }
    const { total } = await usage.getUsage({ start, ...(groupBy !== undefined && { groupBy }) }, as(accountId))
    const ms = performance.now() - begin
    const wanted = accountId === MANY ? tasks : 30
    if (total?.tasks?.succeeded !== wanted) throw new Error(`${total?.tasks?.succeeded} of ${wanted} are counted`)
    return ms
  }
  const answer = {
    eventsPerSecond: tasks / seconds,
    many: [] as number[],
    manyByModel: [] as number[],
    few: [] as number[],
  }
  for (let n = 0; n < queries; n++) {
    answer.many.push(await ask(MANY))
    answer.manyByModel.push(await ask(MANY, UsageGroup.MODEL))
    answer.few.push(await ask(FEW))
  }
  ending.abort()
  await running
  await db.close()
  return answer
})

const MANY = 'acct_many'
const FEW = 'acct_few'

/** Evenly over the 30 days, the earliest first, of ten models. */
function ended(account_id: string, n: number, of: number): LoggedEvent {
  const at = END - 30 * DAY_MS + Math.floor((n / of) * (30 * DAY_MS - HOUR_MS / 12))
  const id = `task_${account_id}${String(n).padStart(17, '0')}`
  const object = {
    id,
    object: 'task',
    type: 'inference',
    model: `model-${n % 10}`,
    status: 'succeeded',
    usage: { queue_ms: 3, compute_ms: 12, gpu_type: 'cpu', items: 1 },
    cost: { amount: '0.000001', currency: 'USD' },
    finished_at: new Date(at).toISOString(),
  }
  const type = 'task.succeeded'
  const value = JSON.stringify({ id: `evt_${id}`, type, account_id, mode: 'live', data: { object } })
  return { topic: 'millhand.tasks.v1', key: id, id: `evt_${id}`, type, time: at, value, position: id }
}

const as = (accountId: string) => ({
  contextValues: createContextValues().set(principalKey, {
    accountId,
    mode: 'live',
    tenant: `${accountId}/live`,
    scopes: new Set(['*']),
    keyId: 'key_a',
    plans: { compute: 'enterprise', developer: 'enterprise', workforce: 'enterprise' },
  }),
})
