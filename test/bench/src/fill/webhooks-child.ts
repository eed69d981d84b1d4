/** Webhooks on SQLite, fed with events by the log: how fast and how soon they are delivered, beside dead endpoints. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, createContextValues } from '@connectrpc/connect'
import { createCursors, createIds } from '@millhand/api'
import { WebhookService } from '@millhand/api/gen/millhand/webhook/v1/webhook_service_pb.ts'
import { createDialer, createResolver, parseRanges } from '@millhand/dial'
import { sqliteEventLog } from '@millhand/eventlog/sqlite'
import { createDirectTransport, principalKey, serve } from '@millhand/rpc'
import { systemClock as clock } from '@millhand/runner'
import type { Document, OutboxEvent } from '@millhand/store'
import { openSqlite } from '@millhand/store/sqlite'
import { createLog, createMetrics } from '@millhand/telemetry'
import { createWebhookService } from '@millhand/webhook'
import { answerQuestions } from '../child.ts'

export interface Question {
  readonly folder: string
  /** Of the receiver. */
  readonly port: number
  /** Endpoints that answer, ten an account, each of which hears of every event of its account. */
  readonly well: number
  /** The same of those that never answer, a hundred an account. */
  readonly dead: number
  /** Of each account. */
  readonly events: number
  /** How many events of all accounts happen in a second; all at once where it is left out. */
  readonly perSecond?: number
}

export interface Answer {
  /** From the first event that happens, or is read, to the last delivery; where none answers, to the last row. */
  readonly seconds: number
  readonly deliveries: number
  /** From an event's write to the answer of each endpoint that answers, in order. */
  readonly ms: readonly number[]
}

interface Thing extends Document {
  readonly n: number
}

answerQuestions(async ({ folder, port, well, dead, events, perSecond }: Question): Promise<Answer> => {
  const db = openSqlite({ file: join(folder, 'webhooks.db') })
  const log = createLog({ level: 'error' })
  const dialer = createDialer({ allow: parseRanges('127.0.0.0/8'), resolver: createResolver({ clock }), clock })
  const happenedAt = new Map<string, number>()
  const ms: number[] = []
  const service = createWebhookService({
    db,
    events: sqliteEventLog(db),
    dial: {
      async post(request, signal) {
        const answer = await dialer.post(request, signal)
        const began = happenedAt.get(request.headers['webhook-id'] ?? '')
        if (answer.kind === 'answered' && began !== undefined) ms.push(performance.now() - began)
        return answer
      },
    },
    targetFault: () => undefined,
    cursors: createCursors(Buffer.alloc(32)),
    sealingKey: Buffer.alloc(32),
    clock,
    log,
    metrics: createMetrics(log),
  })
  const transport = createDirectTransport()
  serve(service.routes, transport)
  const webhooks = createClient(WebhookService, transport)
  const accounts = new Set<string>()
  const endpoint = async (kind: 'well' | 'dead', n: number, ofAccount: number) => {
    const account = `acct_${kind}${Math.floor(n / ofAccount)}`
    accounts.add(account)
    await webhooks.createWebhook({ url: `http://127.0.0.1:${port}/${kind}/${n}`, events: ['task.*'] }, as(account))
  }
  for (let n = 0; n < well; n++) await endpoint('well', n, 10)
  for (let n = 0; n < dead; n++) await endpoint('dead', n, 100)

  const things = db.collection<Thing>({ name: 'things', indexes: {} })
  const ids = createIds()
  let made = 0
  const happen = async (account: string) => {
    const [event, n] = [anEvent(ids('evt'), account), made++]
    if (account.startsWith('acct_well')) happenedAt.set(event.id, performance.now())
    await things.write({ kind: 'insert', document: { tenant: `${account}/live`, id: `${n}`, n }, events: [event] })
  }
  const all = [...accounts].flatMap(account => Array.from({ length: events }, () => account))
  const happenAll = async () => {
    if (perSecond === undefined) return void (await Promise.all(all.map(happen)))
    const start = performance.now()
    for (const [n, account] of all.toSorted(() => Math.random() - 0.5).entries()) {
      const wait = start + (n * 1000) / perSecond - performance.now()
      if (wait > 1) await sleep(wait)
      void happen(account)
    }
  }

  const rows = () => db.read<[number]>('SELECT count(*) FROM deliveries')[0]?.[0] ?? 0
  const wanted = { well: Math.ceil(well / 10) * 10 * events, all: (well + dead) * events }
  if (perSecond === undefined) await happenAll()
  const stopping = new AbortController()
  const began = performance.now()
  const running = service.run(stopping.signal)
  if (perSecond !== undefined) await happenAll()
  while (well > 0 ? ms.length < wanted.well : rows() < wanted.all) await sleep(20)
  const seconds = (performance.now() - began) / 1000
  if (well === 0) await sleep(3_000) // They are tried meanwhile.
  stopping.abort()
  await running
  await dialer.close()
  await db.close()
  return { seconds, deliveries: wanted.all, ms: ms.toSorted((a, b) => a - b) }
})

function anEvent(id: string, account_id: string): OutboxEvent {
  const now = Date.now()
  const created_at = new Date(now).toISOString()
  const key = `task_${id.slice(4)}`
  const object = {
    id: key,
    object: 'task',
    type: 'inference',
    model: 'm',
    status: 'succeeded',
    output: 'x'.repeat(200),
  }
  const [type, data] = ['task.succeeded', { object }]
  const value = JSON.stringify({
    id,
    object: 'event',
    type,
    created_at,
    account_id,
    mode: 'live',
    data,
    resource_version: 1,
  })
  return { topic: 'millhand.tasks.v1', key, id, type, time: now, value }
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
