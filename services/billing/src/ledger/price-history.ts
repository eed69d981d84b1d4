/** Holds the plan file to the prices that have been in force: what was charged by them can't be changed under it. */
import type { PriceSet } from '@millhand/plans'
import { ConfigurationError } from '@millhand/process'
import { type Collection, type CollectionSpec, type Document, noAccount } from '@millhand/store'

export interface PriceHistoryRecord extends Document {
  /** All that the file had at the latest start, the earliest first. */
  readonly sets: readonly PriceSet[]
}

export const priceHistorySpec = { name: 'price_history', indexes: {} } as const satisfies CollectionSpec

const ID = 'prices'

/**
 * Keeps the prices of the file. @throws ConfigurationError where it lacks some that have been in force, says something else
 * of them, or has some that would have been in force before this start
 */
export async function keepPrices(
  history: Pick<Collection<PriceHistoryRecord>, 'get' | 'write'>,
  sets: readonly PriceSet[],
  now: number,
): Promise<void> {
  for (;;) {
    const before = await history.get(noAccount, ID)
    const faults = before ? historyFaults(before.sets, sets, now) : []
    if (faults.length > 0) throw new ConfigurationError(faults)
    const document = { tenant: noAccount, id: ID, sets }
    if (before && textOf(before.sets) === textOf(sets)) return
    const kind = before ? ({ kind: 'replace', version: before.version } as const) : ({ kind: 'insert' } as const)
    if ((await history.write({ ...kind, document, events: [] })).kind === 'written') return
  }
}

export function historyFaults(before: readonly PriceSet[], sets: readonly PriceSet[], now: number): string[] {
  const past = (list: readonly PriceSet[]) => list.filter(({ from }) => from <= now)
  const known = new Map(before.map(set => [set.from, textOf(set)]))
  const kept = new Map(sets.map(set => [set.from, textOf(set)]))
  return [
    ...past(before).flatMap(({ from }) =>
      kept.get(from) === known.get(from)
        ? []
        : [`The prices from ${timeOf(from)} on have been in force: the file of plans must have them as they were.`],
    ),
    ...past(sets).flatMap(({ from }) =>
      known.has(from) ? [] : [`The prices from ${timeOf(from)} on are new: their time must be to come.`],
    ),
  ]
}

const timeOf = (ms: number) => new Date(ms).toISOString().replace('.000', '')

/** The same for the same prices, in whatever order a store gives their fields. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
