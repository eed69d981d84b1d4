/** Webhooks on a database, as gateways call them. */
import assert from 'node:assert/strict'
import { type Client, createClient, createContextValues } from '@connectrpc/connect'
import { codeOf, createCursors, metadataOf } from '@millhand/api'
import { WebhookService } from '@millhand/api/gen/millhand/webhook/v1/webhook_service_pb.ts'
import { type ManualClock, manualClock } from '@millhand/process'
import { createDirectTransport, operationKey, principalKey, serve } from '@millhand/rpc'
import type { Collection, CollectionSpec, Database, Document, OutboxEvent } from '@millhand/store'
import { createLog, createMetrics } from '@millhand/telemetry'
import { createWebhookService } from './webhook-service.ts'

export const noon = Date.UTC(2026, 10, 22, 12)

export interface Endpoints {
  readonly clock: ManualClock
  readonly webhooks: Client<typeof WebhookService>
  /** The events of all writes, as they are. */
  readonly events: readonly OutboxEvent[]
}

/** More of them on the same database are replicas. Nothing is read or delivered: the service does not run. */
export function openEndpoints(db: Database, clock: ManualClock = manualClock(noon)): Endpoints {
  const events: OutboxEvent[] = []
  const log = createLog({ level: 'error' })
  const service = createWebhookService({
    db: overheard(db, events),
    events: { tail: () => assert.fail(), progress: () => assert.fail() },
    dial: { post: () => assert.fail() },
    targetFault: url => (url.startsWith('https://') ? undefined : 'is not https'),
    cursors: createCursors(Buffer.alloc(32, 1)),
    sealingKey: Buffer.alloc(32, 2),
    clock,
    log,
    metrics: createMetrics(),
  })
  const transport = createDirectTransport()
  serve(service.routes, transport)
  return { clock, webhooks: createClient(WebhookService, transport), events }
}

const overheard = (db: Database, events: OutboxEvent[]): Database => ({
  collection: <T extends Document, I extends string = never>(spec: CollectionSpec<I>): Collection<T, I> => {
    const collection = db.collection<T, I>(spec)
    return {
      get: (tenant, id) => collection.get(tenant, id),
      find: (index, query) => collection.find(index, query),
      count: (index, range, limit) => collection.count(index, range, limit),
      async write(change) {
        const result = await collection.write(change)
        if (result.kind === 'written') events.push(...change.events)
        return result
      },
    }
  },
})

/** The options of a call that an account makes, as part of an operation where one is given. */
export function as(accountId: string, { mode = 'live', keyId = 'key_1', operation, scopes = ['*'] }: Partial<As> = {}) {
  const caller = {
    accountId,
    mode,
    tenant: `${accountId}/${mode}`,
    scopes: new Set(scopes),
    keyId,
    plans: { compute: 'starter', developer: 'free', workforce: 'starter' },
  }
  return { contextValues: createContextValues().set(principalKey, caller).set(operationKey, operation) }
}

interface As {
  readonly mode: 'live' | 'test'
  readonly keyId: string
  readonly operation: string | undefined
  readonly scopes: readonly string[]
}

/** The code that a call fails with, and the parameter that it blames; `made` where it does not fail. */
export async function failure(call: Promise<unknown>): Promise<string> {
  try {
    await call
    return 'made'
  } catch (error) {
    const { param } = metadataOf(error)
    return [codeOf(error), param].filter(Boolean).join(' ')
  }
}
