/** Holds the plan file to the prices that have been in force: what was charged by them can't be changed under it. */
import type { Family } from '@millhand/api'
import { type PriceSet, pricesOf } from '@millhand/plans'
import { ConfigurationError } from '@millhand/process'
import { type Collection, type CollectionSpec, type Document, noAccount } from '@millhand/store'

export interface PriceHistoryRecord extends Document {
  /** All that the file had at the latest start, the earliest first. */
  readonly sets: readonly PriceSet[]
  /** Tasks that ended before are counted in usage and not billed, in milliseconds since 1970; 0 where it is not set. */
  readonly charged_from?: number
}

export const priceHistorySpec = { name: 'price_history', indexes: {} } as const satisfies CollectionSpec

const ID = 'prices'

/** What was counted and billed until now. */
interface Past {
  /** Whether usage was counted here before there were prices. */
  isUsageCounted(): Promise<boolean>
  /**
   * Whether anything was billed that happened at a time or later: also a subscription that has run since, of a plan whose
   * price is another then.
   */
  isBilledSince(time: number, isRepriced: IsRepriced): Promise<boolean>
}

export type IsRepriced = (family: Family, plan: string) => boolean

/**
 * Keeps the prices of the file, and resolves to the time from which tasks are charged: that of the first start in a store
 * where usage was counted before without prices, else 0. Where that time is to come, it is `now`.
 *
 * @throws ConfigurationError where the file lacks some that have been in force, says something else of them, or has some
 * that would have been in force before this start, for what is billed already
 */
export async function keepPrices(
  history: Pick<Collection<PriceHistoryRecord>, 'get' | 'write'>,
  sets: readonly PriceSet[],
  now: number,
  past: Past,
): Promise<number> {
  for (;;) {
    const before = await history.get(noAccount, ID)
    const faults = before ? await historyFaults(before.sets, sets, now, past) : []
    if (faults.length > 0) throw new ConfigurationError(faults)
    // A time that is to come was written by a clock that was ahead.
    const charged_from = before ? Math.min(before.charged_from ?? 0, now) : (await past.isUsageCounted()) ? now : 0
    if (before && (before.charged_from ?? 0) === charged_from && textOf(before.sets) === textOf(sets))
      return charged_from
    const document = { tenant: noAccount, id: ID, sets, charged_from }
    const kind = before ? ({ kind: 'replace', version: before.version } as const) : ({ kind: 'insert' } as const)
    if ((await history.write({ ...kind, document, events: [] })).kind === 'written') return charged_from
  }
}

export async function historyFaults(
  before: readonly PriceSet[],
  sets: readonly PriceSet[],
  now: number,
  { isBilledSince }: Pick<Past, 'isBilledSince'>,
): Promise<string[]> {
  const known = new Map(before.map(set => [set.from, textOf(set)]))
  const kept = new Map(sets.map(set => [set.from, textOf(set)]))
  const changed = before.filter(({ from }) => from <= now && kept.get(from) !== known.get(from))
  const added = sets.filter(({ from }) => from <= now && !known.has(from))
  const [earliest] = added
  const isLate = earliest !== undefined && (await isBilledSince(earliest.from, repricedAt(before, sets, added)))
  return [
    ...changed.map(
      ({ from }) =>
        `The prices from ${timeOf(from)} on have been in force: the file of plans must have them as they were.`,
    ),
    ...(isLate ? added : []).map(
      ({ from }) =>
        `The prices from ${timeOf(from)} on are new, and something was billed since: their time must be to come.`,
    ),
  ]
}

/** Which subscriptions cost something else at the times of some sets than they did before these were there. */
function repricedAt(before: readonly PriceSet[], sets: readonly PriceSet[], added: readonly PriceSet[]): IsRepriced {
  const [old, now] = [pricesOf(before), pricesOf(sets)]
  return (family, plan) =>
    added.some(
      ({ from }) =>
        old.subscription(family, plan, from) !== now.subscription(family, plan, from) ||
        old.isFromFirstTask(family, plan, from) !== now.isFromFirstTask(family, plan, from),
    )
}

const timeOf = (ms: number) => new Date(ms).toISOString().replace('.000', '')

/** The same for the same prices, in whatever order a store gives their fields. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
