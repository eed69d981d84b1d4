/** Identity: accounts, their keys, and what they may do. */
import { type Cursors, createIds } from '@millhand/api'
import { AccountService } from '@millhand/api/gen/millhand/identity/v1/account_service_pb.ts'
import { ApiKeyService } from '@millhand/api/gen/millhand/identity/v1/api_key_service_pb.ts'
import { ConsumerDirectoryService } from '@millhand/api/gen/millhand/identity/v1/consumer_directory_service_pb.ts'
import { ConsumerService } from '@millhand/api/gen/millhand/identity/v1/consumer_service_pb.ts'
import { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { PlanService } from '@millhand/api/gen/millhand/identity/v1/plan_service_pb.ts'
import type { Replicas } from '@millhand/lease'
import type { Plans } from '@millhand/plans'
import type { Clock } from '@millhand/process'
import type { Routes } from '@millhand/rpc'
import type { Database } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import { accountsSpec } from './accounts/account.ts'
import { runAnnouncement } from './accounts/announce-plans.ts'
import { createAccount } from './accounts/create-account.ts'
import { getAccount, listAccounts, listPlans } from './accounts/read-accounts.ts'
import { updateAccount } from './accounts/update-account.ts'
import { updatePlans } from './accounts/update-plans.ts'
import { changesSpec, createChanges } from './changes/changes.ts'
import { listChanges } from './changes/list-changes.ts'
import { consumersSpec } from './consumers/consumer-record.ts'
import { createConsumer } from './consumers/create-consumer.ts'
import { listConsumers } from './consumers/list-consumers.ts'
import { removeEndedConsumers } from './consumers/remove-ended.ts'
import { revokeConsumer } from './consumers/revoke-consumer.ts'
import { syncConsumers } from './consumers/sync-consumers.ts'
import { idempotencySpec } from './idempotency/idempotency-record.ts'
import { createIdempotencyService } from './idempotency/idempotency-service.ts'
import type { IdentityCollections } from './identity-collections.ts'
import type { IdentityDeps } from './identity-deps.ts'
import { keysSpec } from './keys/api-key-record.ts'
import { authenticateKey } from './keys/authenticate-key.ts'
import { createApiKey } from './keys/create-api-key.ts'
import { createKeyGenerator } from './keys/generate-key.ts'
import { getApiKey, listApiKeys } from './keys/read-api-keys.ts'
import { reportKeyUse } from './keys/report-key-use.ts'
import { revokeApiKey } from './keys/revoke-api-key.ts'
import { rotateApiKey } from './keys/rotate-api-key.ts'
import { dailySpec } from './quota/daily-quota.ts'
import { createQuotaService } from './quota/quota-service.ts'
import { createRateService } from './rate/rate-service.ts'

export {
  type BootstrapKeys,
  bootstrapAccountId,
  ensureFirstAccount,
  enterprise,
  type FirstAccount,
  hasFirstAccount,
} from './first-account.ts'

/** Those of a database. */
export const identityCollections = (db: Database): IdentityCollections => ({
  accounts: db.collection(accountsSpec),
  keys: db.collection(keysSpec),
  consumers: db.collection(consumersSpec),
  changes: db.collection(changesSpec),
  daily: db.collection(dailySpec),
  idempotency: db.collection(idempotencySpec),
})

export interface IdentityOptions extends IdentityCollections {
  readonly plans: Plans
  readonly cursors: Cursors
  /** At least 32 bytes, the same for all replicas: it makes the keys of operations. */
  readonly keySecret: Uint8Array
  readonly clock: Clock
  readonly log: Log
  readonly replicas: Replicas
  /** From 0 up to 1. */
  readonly random?: () => number
}

export function createIdentityService(options: IdentityOptions) {
  const { accounts, keys, consumers, changes, daily, idempotency, plans, cursors, clock, log, replicas } = options
  const { random = Math.random } = options
  const ids = createIds({ now: () => clock.now() })
  const deps: IdentityDeps = {
    accounts,
    keys,
    plans,
    secrets: createKeyGenerator(options.keySecret),
    cursors,
    clock,
    ids,
  }
  const ofConsumers = { accounts, consumers, clock, ids }
  const told = {
    keys: createChanges({ name: 'keys', documents: keys, changes }),
    accounts: createChanges({ name: 'accounts', documents: accounts, changes }),
  }
  const quota = createQuotaService({ daily, plans, clock, log, ids, random })
  const rates = createRateService({ clock, replicas })
  const answers = createIdempotencyService({ idempotency, clock, ids, log, random })

  return {
    routes(router: Routes): void {
      router.service(IdentityService, {
        authenticateKey: authenticateKey(deps),
        listChanges: listChanges(told),
        reportKeyUse: reportKeyUse(deps),
      })
      router.service(ApiKeyService, {
        createApiKey: createApiKey(deps),
        getApiKey: getApiKey(deps),
        listApiKeys: listApiKeys(deps),
        revokeApiKey: revokeApiKey(deps),
        rotateApiKey: rotateApiKey(deps),
      })
      router.service(AccountService, {
        createAccount: createAccount(deps),
        getAccount: getAccount(deps),
        listAccounts: listAccounts(deps),
        updateAccount: updateAccount(deps),
        listPlans: listPlans(deps),
      })
      router.service(ConsumerService, {
        createConsumer: createConsumer(ofConsumers),
        listConsumers: listConsumers(ofConsumers),
        revokeConsumer: revokeConsumer(ofConsumers),
      })
      router.service(ConsumerDirectoryService, { syncConsumers: syncConsumers({ ...ofConsumers, log }) })
      router.service(PlanService, { updatePlans: updatePlans(deps) })
      quota.routes(router)
      rates.routes(router)
      answers.routes(router)
    },
    /** What the owner does until the signal ends: keeps the windows of rates, and removes what is no longer remembered. */
    async run(signal: AbortSignal): Promise<void> {
      await Promise.all([
        runAnnouncement({ ...deps, log }, signal),
        quota.run(signal),
        rates.run(signal),
        answers.run(signal),
        removeEndedConsumers({ consumers, clock, log }, signal),
      ])
    },
  }
}
