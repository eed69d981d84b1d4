/** Identity on a database, as gateways and an operator call it. */
import { type Client, createClient, createContextValues } from '@connectrpc/connect'
import { codeOf, createCursors, hashOfKey, metadataOf } from '@millhand/api'
import { AccountService } from '@millhand/api/gen/millhand/identity/v1/account_service_pb.ts'
import { ApiKeyService } from '@millhand/api/gen/millhand/identity/v1/api_key_service_pb.ts'
import { ConsumerDirectoryService } from '@millhand/api/gen/millhand/identity/v1/consumer_directory_service_pb.ts'
import { ConsumerService } from '@millhand/api/gen/millhand/identity/v1/consumer_service_pb.ts'
import { IdentityService, type Revision } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { QuotaService } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import { singleReplica } from '@millhand/lease'
import { loadPlans } from '@millhand/plans'
import { type ManualClock, manualClock } from '@millhand/process'
import { createDirectTransport, operationKey, type Principal, principalKey, serve } from '@millhand/rpc'
import type { Collection, Database, Document, OutboxEvent } from '@millhand/store'
import { createLog } from '@millhand/telemetry'
import { createIdentityService, identityCollections } from './identity.ts'
import type { IdentityCollections } from './identity-collections.ts'

export const noon = Date.UTC(2026, 10, 21, 12)

/** Identity, and what tests do with it again and again. */
export type Identity = Opened & ReturnType<typeof doings>

interface Opened {
  readonly clock: ManualClock
  readonly service: ReturnType<typeof createIdentityService>
  readonly collections: IdentityCollections
  readonly identity: Client<typeof IdentityService>
  readonly accounts: Client<typeof AccountService>
  readonly keys: Client<typeof ApiKeyService>
  readonly consumers: Client<typeof ConsumerService>
  readonly directory: Client<typeof ConsumerDirectoryService>
  readonly quota: Client<typeof QuotaService>
  /** The events of all writes of keys and quotas, as they are. */
  readonly events: readonly OutboxEvent[]
}

/** More of them on the same database are replicas. */
export function openIdentity(db: Database, clock: ManualClock = manualClock(noon)): Identity {
  const events: OutboxEvent[] = []
  const owned = identityCollections(db)
  const collections = { ...owned, keys: overheard(owned.keys, events), daily: overheard(owned.daily, events) }
  const service = createIdentityService({
    ...collections,
    plans: loadPlans(),
    cursors: createCursors(Buffer.alloc(32, 1)),
    keySecret: Buffer.alloc(32, 2),
    clock,
    log: createLog({ level: 'error' }),
    replicas: singleReplica,
  })
  const transport = createDirectTransport()
  serve(service.routes, transport)
  const opened: Opened = {
    clock,
    service,
    collections,
    identity: createClient(IdentityService, transport),
    accounts: createClient(AccountService, transport),
    keys: createClient(ApiKeyService, transport),
    consumers: createClient(ConsumerService, transport),
    directory: createClient(ConsumerDirectoryService, transport),
    quota: createClient(QuotaService, transport),
    events,
  }
  return { ...opened, ...doings(opened) }
}

const doings = (at: Opened) => ({
  newAccount: async () => (await at.accounts.createAccount({ name: 'a test' })).id,
  newKey: (account: string, scopes: readonly string[] = ['tasks:read'], operation?: string) =>
    at.keys.createApiKey({ name: 'mine', scopes: [...scopes] }, as(account, operation ? { operation } : {})),
  holderOf: async (key: string) =>
    (await at.identity.authenticateKey({ key: { case: 'keySha256', value: hashOfKey(key) } })).holder,
  /** What has changed since then. */
  async changesFrom(begin: Revision | undefined) {
    const { keyIds, accountIds, everything } = await at.identity.listChanges(begin ? { after: begin } : {})
    return { keyIds, accountIds, everything }
  },
  revision: async () => (await at.identity.listChanges({})).revision,
})

/** The options of a call that an account makes, as part of an operation where one is given. */
export function as(
  accountId: string,
  { mode = 'live', scopes = ['*'], keyId = 'key_1', operation }: Partial<As> = {},
): { readonly contextValues: ReturnType<typeof createContextValues> } {
  const caller: Principal = {
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
  readonly scopes: readonly string[]
  readonly keyId: string
  readonly operation: string
}

function overheard<T extends Document, I extends string>(
  collection: Collection<T, I>,
  events: OutboxEvent[],
): Collection<T, I> {
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
