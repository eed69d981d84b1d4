/** What a tenant wants to spend at most in a month, by family, and of what it was told. */
import type { Family } from '@millhand/api'
import type { Collection, CollectionSpec, Database, Document, Draft } from '@millhand/store'
import type { MonthSums } from '../ledger/ledger.ts'
import type { Month } from '../ledger/month.ts'

/** The families that are billed by usage. */
export const limitedFamilies = ['compute', 'workforce'] as const satisfies readonly Family[]
export type LimitedFamily = (typeof limitedFamilies)[number]

/** The latest step of a limit in a month, of which there was an event. */
interface Told extends Reached {
  readonly month: Month
}

type Percent = 80 | 100

export interface SpendingLimitsRecord extends Document {
  /** Micro-dollars a month. */
  readonly limits: Readonly<Partial<Record<LimitedFamily, number>>>
  /** One for each family and limit, also of limits that were changed since: one that is set again is not told of again. */
  readonly told: readonly Told[]
  /** Counts the changes and the events. */
  readonly resource_version: number
  /** Whether a limit was reached, in this month or an earlier one. */
  readonly reached?: 'yes' | undefined
}

export const LIMITS_ID = 'limits'

const spendingLimitsSpec = {
  name: 'spending_limits',
  indexes: { reached: { fields: ['id'], when: { field: 'reached', in: ['yes'] } } },
} as const satisfies CollectionSpec

export type SpendingLimits = Pick<
  Collection<SpendingLimitsRecord, keyof typeof spendingLimitsSpec.indexes>,
  'get' | 'find' | 'write'
>

export function openSpendingLimits(db: Database): SpendingLimits {
  const records = db.collection<SpendingLimitsRecord, 'reached'>(spendingLimitsSpec)
  return {
    async get(tenant, id) {
      const record = await records.get(tenant, id)
      return record && current(record)
    },
    find: async (index, query) => (await records.find(index, query)).map(current),
    write: change => records.write(change),
  }
}

/** Earlier versions kept of each limit what was told of it, of that limit alone. */
interface EarlierRecord extends Omit<SpendingLimitsRecord, 'limits' | 'told'> {
  readonly limits: Readonly<Partial<Record<LimitedFamily, { micros: number; told?: Omit<Told, 'family' | 'limit'> }>>>
}

function current(record: SpendingLimitsRecord | EarlierRecord): SpendingLimitsRecord {
  if ('told' in record) return record
  const limits: { [family in LimitedFamily]?: number } = {}
  const told: Told[] = []
  for (const family of limitedFamilies) {
    const limit = record.limits[family]
    if (limit === undefined) continue
    limits[family] = limit.micros
    if (limit.told) told.push({ family, limit: limit.micros, ...limit.told })
  }
  return { ...record, limits, told }
}

/** A step that the spending of a family has reached. */
export interface Reached {
  readonly family: LimitedFamily
  /** Micro-dollars, like what was spent then. */
  readonly limit: number
  readonly spent: number
  readonly percent: Percent
}

/** Of so many limits a month is known what was told: the latest that were reached. */
const MOST_TOLD = 100

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
    const percent = percentOf(spent, limit)
    const known = toldOf(before, family, month)?.percent ?? 0
    return percent > known ? [{ family, limit, spent, percent: percent as Percent }] : []
  })
  const isNew = ({ family, limit }: Told) => reached.some(each => each.family === family && each.limit === limit)
  const kept = before.told.filter(each => each.month === month && !isNew(each))
  const told = [...kept, ...reached.map(each => ({ ...each, month }))].slice(-MOST_TOLD)
  const resource_version = before.resource_version + reached.length
  const after = { ...before, told, resource_version }
  const isReached = limitedFamilies.some(family => isOver(after, family, month))
  return { after: { ...after, reached: isReached ? ('yes' as const) : undefined }, reached }
}

/** What was told of the limit that a family has. */
export function toldOf(
  { limits, told }: Pick<SpendingLimitsRecord, 'limits' | 'told'>,
  family: LimitedFamily,
  month: Month,
): Told | undefined {
  return told.find(each => each.family === family && each.limit === limits[family] && each.month === month)
}

/** Whether creates of the family are refused in a month. */
export const isOver = (
  record: Pick<SpendingLimitsRecord, 'limits' | 'told'>,
  family: LimitedFamily,
  month: Month,
): boolean =>
  // A limit of nothing is reached from the start of each month, before anything of it was posted.
  record.limits[family] === 0 || toldOf(record, family, month)?.percent === 100

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
