/** What things cost, by when. */
import type { Family } from '@millhand/api'
import type { PriceSet } from './price-file.ts'

export interface Prices {
  /** All sets, the earliest first. */
  readonly sets: readonly PriceSet[]
  /** Nano-dollars for a second of compute at a time: the model's own price, else that of the GPU type. */
  computeSecond(gpuType: string, model: string, at: number): number
  /** Nano-dollars for a second of an employee's own compute. */
  workforceSecond(at: number): number
  /** Micro-dollars a month; 0 for a plan by agreement, and for one that has had no price until then. */
  subscription(family: Family, plan: string, at: number): number
  /** The times after `start` and before `end` at which other prices come into force. */
  changes(start: number, end: number): readonly number[]
}

export function pricesOf(sets: readonly PriceSet[]): Prices {
  const [first] = sets
  if (first === undefined) throw new RangeError('there are no prices')
  /** What came before the first set costs what that says. */
  const setAt = (at: number): PriceSet => sets.findLast(({ from }) => from <= at) ?? first
  return {
    sets,
    computeSecond(gpuType, model, at) {
      const { compute_second, models } = setAt(at)
      const own = Object.hasOwn(models, model) ? models[model] : undefined
      return (
        priced(own, gpuType) ?? priced(own, 'default') ?? priced(compute_second, gpuType) ?? compute_second.default ?? 0
      )
    },
    workforceSecond: at => setAt(at).workforce_second,
    subscription(family, plan, at) {
      // A plan that has gone from the file costs what it did when it was last there. One whose first price is to come
      // costs nothing until then: what is charged must not depend on a price that may still change.
      const past = Math.max(at, first.from)
      const named = sets.filter(({ subscriptions }) => Object.hasOwn(subscriptions[family], plan))
      return named.findLast(({ from }) => from <= past)?.subscriptions[family][plan] ?? 0
    },
    changes: (start, end) => sets.map(({ from }) => from).filter(from => from > start && from < end),
  }
}

const priced = (prices: Readonly<Record<string, number>> | undefined, type: string): number | undefined =>
  prices !== undefined && Object.hasOwn(prices, type) ? prices[type] : undefined
