/** What can be set for the one process. `docs/operating.md` shows this table; a test holds it to it. */

import type { PlanNames } from '@millhand/api'
import type { Seller } from '@millhand/billing'
import type { AddressRanges } from '@millhand/dial'
import type { BootstrapKeys } from '@millhand/identity'
import type { ModelsFolder } from '@millhand/model'
import { type Address, configuration } from '@millhand/process'
import type { Level } from '@millhand/telemetry'
import {
  type AccountLimits,
  accountLimitsOf,
  bootstrapKeys,
  DAY_MS,
  type ExecutorRoom,
  executorRoom,
  executorRoomVariables,
  type LedgerTimes,
  ledgerTimes,
  MIB,
  modelFolders,
  sellerOf,
} from './config-parts.ts'
import { type Engines, enginesOf, engineVariables, offeredOf } from './engines.ts'
import { executorImageOf, type InstanceDriver, instanceDriverOf } from './instance-drivers.ts'
import { instanceVariables } from './instance-variables.ts'
import { type PaymentSettings, paymentSettingsOf } from './payment-processor.ts'
import { paymentVariables } from './payment-variables.ts'
import { pick, variables } from './variables.ts'

export interface LocalConfig extends ExecutorRoom {
  readonly http: Address
  readonly grpc: Address
  readonly metrics: Address
  readonly dataDir: string
  readonly modelFolders: readonly ModelsFolder[]
  readonly logLevel: Level
  readonly bootstrap: Partial<BootstrapKeys>
  readonly bootstrapPlans: Partial<PlanNames> | undefined
  readonly plansFile: string | undefined
  readonly secretKey: string | undefined
  readonly retentionMs: number
  readonly storageQuotaBytes: number
  readonly diskReserveBytes: number
  readonly drainMs: number
  /** What a gateway keeps of an account at once. */
  readonly accountLimits: AccountLimits
  readonly publicUrl: string | undefined
  readonly securityContact: string | undefined
  readonly webhookAllow: AddressRanges | undefined
  readonly engines: Engines
  /** How many texts are generated at once. */
  readonly textSlots: number
  readonly offered: ReturnType<typeof offeredOf>
  readonly instanceDriver: InstanceDriver
  readonly instanceExecutors: ReturnType<typeof executorImageOf>
  readonly ledgerTimes: LedgerTimes
  readonly seller: Seller
  readonly payment: PaymentSettings | undefined
}

export const localVariables = configuration({
  ...pick(
    'MILLHAND_HTTP_ADDR',
    'MILLHAND_GRPC_ADDR',
    'MILLHAND_METRICS_ADDR',
    'MILLHAND_DATA_DIR',
    'MILLHAND_MODELS_DIR',
    'MILLHAND_LOG_LEVEL',
    'MILLHAND_KEY',
    'MILLHAND_BOOTSTRAP_KEY',
    'MILLHAND_BOOTSTRAP_TEST_KEY',
    'MILLHAND_BOOTSTRAP_PLANS',
    'MILLHAND_PLANS_FILE',
    'MILLHAND_SECRET_KEY',
    ...executorRoomVariables,
    'MILLHAND_TEXT_SLOTS',
    ...engineVariables,
    'MILLHAND_RETENTION_DAYS',
    'MILLHAND_STORAGE_QUOTA_MB',
    'MILLHAND_DISK_RESERVE_MB',
    'MILLHAND_MAX_STREAMS',
    'MILLHAND_MAX_WAITS',
    'MILLHAND_MAX_REQUESTS',
    'MILLHAND_MAX_BODY_MB',
    'MILLHAND_PUBLIC_URL',
    'MILLHAND_SECURITY_CONTACT',
    'MILLHAND_WEBHOOK_ALLOW',
    'MILLHAND_USAGE_ENTRY_DAYS',
    'MILLHAND_BILLING_GRACE_HOURS',
    'MILLHAND_SELLER_NAME',
    'MILLHAND_SELLER_ADDRESS',
    'MILLHAND_SELLER_TAX_ID',
  ),
  ...instanceVariables,
  ...paymentVariables,
  // Most often it is started by hand and alone: nothing else would serve while it drains.
  MILLHAND_DRAIN_SECONDS: { ...variables.MILLHAND_DRAIN_SECONDS, default: '0' },
})

/** Throws `ConfigurationError`, which names every variable that is wrong. */
export function localConfig(env: NodeJS.ProcessEnv): LocalConfig {
  const set = localVariables(env)
  return {
    http: set.MILLHAND_HTTP_ADDR,
    grpc: set.MILLHAND_GRPC_ADDR,
    metrics: set.MILLHAND_METRICS_ADDR,
    dataDir: set.MILLHAND_DATA_DIR,
    modelFolders: modelFolders(set.MILLHAND_MODELS_DIR),
    logLevel: set.MILLHAND_LOG_LEVEL,
    bootstrap: bootstrapKeys(set),
    bootstrapPlans: set.MILLHAND_BOOTSTRAP_PLANS,
    plansFile: set.MILLHAND_PLANS_FILE,
    secretKey: set.MILLHAND_SECRET_KEY?.reveal(),
    ...executorRoom(set),
    engines: enginesOf(set),
    offered: offeredOf(set),
    textSlots: set.MILLHAND_TEXT_SLOTS,
    retentionMs: set.MILLHAND_RETENTION_DAYS * DAY_MS,
    diskReserveBytes: set.MILLHAND_DISK_RESERVE_MB * MIB,
    storageQuotaBytes: set.MILLHAND_STORAGE_QUOTA_MB * MIB,
    drainMs: set.MILLHAND_DRAIN_SECONDS * 1_000,
    accountLimits: accountLimitsOf(set),
    publicUrl: set.MILLHAND_PUBLIC_URL,
    securityContact: set.MILLHAND_SECURITY_CONTACT,
    webhookAllow: set.MILLHAND_WEBHOOK_ALLOW,
    instanceDriver: instanceDriverOf(set),
    instanceExecutors: executorImageOf(set),
    ledgerTimes: ledgerTimes(set),
    seller: sellerOf(set),
    payment: paymentSettingsOf(set),
  }
}
