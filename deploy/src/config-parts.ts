/** What several processes make of the same variables. */
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { families, type PlanNames } from '@millhand/api'
import type { Seller } from '@millhand/billing'
import type { SandboxMode } from '@millhand/executor'
import { type BootstrapKeys, enterprise } from '@millhand/identity'
import type { Accelerator, ModelsFolder } from '@millhand/model'
import type { Plans } from '@millhand/plans'
import { ConfigurationError, type Values } from '@millhand/process'
import type { variables } from './variables.ts'

type All = Values<typeof variables>

export const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** How long entries of ledgers are kept, and how long after its end a month closes. */
export interface LedgerTimes {
  readonly entriesKeptMs: number
  readonly graceMs: number
}

/** @throws ConfigurationError where an event may be read again whose entry is gone: nobody could tell that it was billed */
export function ledgerTimes(
  set: Pick<All, 'MILLHAND_RETENTION_DAYS' | 'MILLHAND_USAGE_ENTRY_DAYS' | 'MILLHAND_BILLING_GRACE_HOURS'>,
): LedgerTimes {
  const { MILLHAND_RETENTION_DAYS: retention, MILLHAND_USAGE_ENTRY_DAYS: kept } = set
  if (kept <= retention) {
    const fault = `MILLHAND_USAGE_ENTRY_DAYS must be more than MILLHAND_RETENTION_DAYS, which is ${retention}; it is ${kept}.`
    throw new ConfigurationError([fault])
  }
  return { entriesKeptMs: kept * DAY_MS, graceMs: set.MILLHAND_BILLING_GRACE_HOURS * HOUR_MS }
}

/** Who sends the invoices. */
export const sellerOf = (
  set: Pick<All, 'MILLHAND_SELLER_NAME' | 'MILLHAND_SELLER_ADDRESS' | 'MILLHAND_SELLER_TAX_ID'>,
): Seller => ({
  name: set.MILLHAND_SELLER_NAME,
  address: (set.MILLHAND_SELLER_ADDRESS ?? '')
    .split(';')
    .map(line => line.trim())
    .filter(Boolean),
  taxId: set.MILLHAND_SELLER_TAX_ID,
})

/** Models that come with Millhand, and the operator's own. */
export function modelFolders(own: string | undefined): readonly ModelsFolder[] {
  const shipped = { path: fileURLToPath(new URL('../models', import.meta.url)), ownedBy: 'millhand' } as const
  return own === undefined ? [shipped] : [shipped, { path: own, ownedBy: 'operator' }]
}

export function bootstrapKeys(
  set: Pick<All, 'MILLHAND_BOOTSTRAP_KEY' | 'MILLHAND_BOOTSTRAP_TEST_KEY'>,
): Partial<BootstrapKeys> {
  const [live, test] = [set.MILLHAND_BOOTSTRAP_KEY?.reveal(), set.MILLHAND_BOOTSTRAP_TEST_KEY?.reveal()]
  return { ...(live !== undefined && { live }), ...(test !== undefined && { test }) }
}

/** The first account's plans. @throws ConfigurationError for each that the file of plans has not */
export function firstPlans(named: Partial<PlanNames> | undefined, plans: Plans): PlanNames {
  const chosen = { ...enterprise, ...named }
  const faults = families
    .filter(family => !plans.names(family).includes(chosen[family]))
    .map(family => {
      const known = plans.names(family).join(', ')
      return `MILLHAND_BOOTSTRAP_PLANS must name one of ${known} for ${family}; there is no ${chosen[family]}.`
    })
  if (faults.length > 0) throw new ConfigurationError(faults)
  return chosen
}

export interface ExecutorRoom {
  readonly sandbox: SandboxMode
  readonly executorSlots: number
  /** What models may run on beside the processor. */
  readonly providers: readonly Accelerator[]
  readonly onnx: { readonly memoryLimitBytes: number; readonly threads: number }
  readonly modelsMemoryBytes: number
}

export const executorRoomVariables = [
  'MILLHAND_SANDBOX',
  'MILLHAND_EXECUTOR_SLOTS',
  'MILLHAND_PROVIDERS',
  'MILLHAND_MODEL_MEMORY_MB',
  'MILLHAND_MODELS_MEMORY_MB',
  'MILLHAND_MODEL_THREADS',
] as const

export function executorRoom(set: Pick<All, (typeof executorRoomVariables)[number]>): ExecutorRoom {
  const cores = availableParallelism()
  return {
    sandbox: set.MILLHAND_SANDBOX,
    executorSlots: set.MILLHAND_EXECUTOR_SLOTS ?? Math.max(2, cores),
    providers: set.MILLHAND_PROVIDERS,
    onnx: { memoryLimitBytes: set.MILLHAND_MODEL_MEMORY_MB * MIB, threads: set.MILLHAND_MODEL_THREADS ?? cores },
    modelsMemoryBytes: set.MILLHAND_MODELS_MEMORY_MB * MIB,
  }
}

export const MIB = 2 ** 20

/** What a gateway keeps of an account at once, as its `limits` have it. */
export interface AccountLimits {
  readonly streams: number
  readonly waits: number
  readonly requests: number
  readonly bodyBytes: number
}

export const accountLimitsOf = (
  set: Pick<All, 'MILLHAND_MAX_STREAMS' | 'MILLHAND_MAX_WAITS' | 'MILLHAND_MAX_REQUESTS' | 'MILLHAND_MAX_BODY_MB'>,
): AccountLimits => ({
  streams: set.MILLHAND_MAX_STREAMS,
  waits: set.MILLHAND_MAX_WAITS,
  requests: set.MILLHAND_MAX_REQUESTS,
  bodyBytes: set.MILLHAND_MAX_BODY_MB * MIB,
})
