/** What a tenant wants to spend at most in a month, by family, and of what it was told. */
import type { Family } from '@millhand/api'
import type { Collection, CollectionSpec, Document, Draft } from '@millhand/store'
import type { MonthSums } from '../ledger/ledger.ts'
import type { Month } from '../ledger/month.ts'

/** The families that are billed by usage. */
export const limitedFamilies = ['compute', 'workforce'] as const satisfies readonly Family[]
export type LimitedFamily = (typeof limitedFamilies)[number]

export interface FamilyLimit {
  /** Micro-dollars a month. */
  readonly micros: number
  /** Of this limit: the latest event, of which there is one for each step in a month. */
  readonly told?: Told | undefined
}

interface Told {
  readonly month: Month
  readonly percent: Percent
  /** Micro-dollars that were spent then. */
  readonly spent: number
}

type Percent = 80 | 100

export interface SpendingLimitsRecord extends Document {
  readonly limits: Readonly<Partial<Record<LimitedFamily, FamilyLimit>>>
  /** Counts the changes and the events. */
  readonly resource_version: number
  /** Whether a limit was reached, in this month or an earlier one. */
  readonly reached?: 'yes' | undefined
}

export const LIMITS_ID = 'limits'

export const spendingLimitsSpec = {
  name: 'spending_limits',
  indexes: { reached: { fields: ['id'], when: { field: 'reached', in: ['yes'] } } },
} as const satisfies CollectionSpec

export type SpendingLimits = Pick<
  Collection<SpendingLimitsRecord, keyof typeof spendingLimitsSpec.indexes>,
  'get' | 'find' | 'write'
>

/** A step that the spending of a family has reached, of which nobody was told yet. */
export interface Reached {
  readonly family: LimitedFamily
  readonly limit: number
  readonly spent: number
  readonly percent: Percent
}

/**
 * The limits after what was spent in a month, and the steps that it has newly reached: 80 % and 100 % of a limit, each once
 * in a month. Spending that jumps over 80 % reaches 100 % alone.
 */
export function afterSpending(
  before: Draft<SpendingLimitsRecord>,
  month: Month,
  spentOn: (family: LimitedFamily) => number,
): { readonly after: Draft<SpendingLimitsRecord>; readonly reached: readonly Reached[] } {
  const reached = limitedFamilies.flatMap((family): Reached[] => {
    const limit = before.limits[family]
    if (limit === undefined) return []
    const spent = spentOn(family)
    const percent = percentOf(spent, limit.micros)
    const known = limit.told?.month === month ? limit.told.percent : 0
    return percent > known ? [{ family, limit: limit.micros, spent, percent: percent as Percent }] : []
  })
  const told = reached.map(({ family, limit, spent, percent }) => [
    family,
    { micros: limit, told: { month, percent, spent } },
  ])
  const limits = { ...before.limits, ...Object.fromEntries(told) }
  const isReached = limitedFamilies.some(family => isOver(limits[family], month))
  const after = {
    ...before,
    limits,
    resource_version: before.resource_version + reached.length,
    reached: isReached ? ('yes' as const) : undefined,
  }
  return { after, reached }
}

/** Whether creates of the family are refused in a month. */
export const isOver = (limit: FamilyLimit | undefined, month: Month): boolean =>
  // A limit of nothing is reached from the start of each month, before anything of it was posted.
  limit?.micros === 0 || (limit?.told?.month === month && limit.told.percent === 100)

function percentOf(spent: number, limit: number): Percent | 0 {
  if (spent >= limit) return 100
  return spent * 100 >= limit * 80 ? 80 : 0
}

/** Micro-dollars that a family's usage of a month costs; in the sandbox what it would have cost. */
export function spentOf(months: readonly MonthSums[], month: Month, family: LimitedFamily, isSandbox: boolean): number {
  const lines = months.find(sums => sums.month === month)?.lines ?? []
  return lines
    .filter(line => line.family === family && usageKinds.has(line.kind))
    .reduce((sum, { micros, would_micros }) => sum + (isSandbox ? would_micros : micros), 0)
}

/** Not what an earlier month used, plans that were chosen, and credits. */
const usageKinds: ReadonlySet<string> = new Set(['compute', 'instances', 'tasks', 'tokens'])
