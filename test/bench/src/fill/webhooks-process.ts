/** A process with the webhook service on SQLite, and with what makes events for it. */
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createClient, createContextValues } from '@connectrpc/connect'
import { createCursors, createIds } from '@millhand/api'
import { WebhookService } from '@millhand/api/gen/millhand/webhook/v1/webhook_service_pb.ts'
import { sqliteEventLog } from '@millhand/eventlog/sqlite'
import { systemClock as clock } from '@millhand/process'
import { createDirectTransport, principalKey, serve } from '@millhand/rpc'
import type { Document, OutboxEvent } from '@millhand/store'
import { openSqlite } from '@millhand/store/sqlite'
import { createLog, createMetrics } from '@millhand/telemetry'
import { createWebhookService, type WebhookOptions } from '@millhand/webhook'

export type Dial = WebhookOptions['dial']

export function openWebhooks(folder: string, dial: Dial) {
  const log = createLog({ level: 'error' })
  const db = openSqlite({ file: join(folder, 'webhooks.db') })
  const service = createWebhookService({
    db,
    events: sqliteEventLog(db),
    dial,
    targetFault: () => undefined,
    cursors: createCursors(Buffer.alloc(32)),
    sealingKey: Buffer.alloc(32),
    clock,
    log,
    metrics: createMetrics(),
  })
  const transport = createDirectTransport()
  serve(service.routes, transport)
  const webhooks = createClient(WebhookService, transport)
  const things = db.collection<Document>({ name: 'things', indexes: {} })
  const ids = createIds()

  return {
    async addEndpoint(account: string, url: string): Promise<void> {
      await webhooks.createWebhook({ url, events: ['task.*'] }, as(account))
    },
    /** Lets something happen to an account; the event's id as soon as it is known. */
    async happen(account: string, onBegin: (eventId: string) => void = () => {}): Promise<void> {
      const event = anEvent(ids('evt'), account)
      onBegin(event.id)
      const document = { tenant: `${account}/live`, id: event.key }
      await things.write({ kind: 'insert', document, events: [event] })
    },
    /** How many deliveries there are: none is ever removed here. */
    rows: (): number => db.read<[number | null]>('SELECT max(rowid) FROM deliveries')[0]?.[0] ?? 0,
    run: (signal: AbortSignal): Promise<void> => service.run(signal),
    close: (): Promise<void> => db.close(),
  }
}

export interface Memory {
  /** The most that was resident so far, in bytes. */
  readonly residentBytes: number
  /** What is in use now, when everything else was collected. */
  readonly heapBytes: number
}

/** Of this process. */
export function memory(): Memory {
  const residentBytes = process.resourceUsage().maxRSS * 1024
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  for (let twice = 0; twice < 2; twice++) collect()
  const { heapUsed, external } = process.memoryUsage()
  return { residentBytes, heapBytes: heapUsed + external }
}

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
