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
  /** Whether a plan has no price at a time: an operator alone gives and takes it. */
  isByAgreement(family: Family, plan: string, at: number): boolean
  /** Whether a plan costs nothing in a month until its first workforce task. */
  isFromFirstTask(family: Family, plan: string, at: number): boolean
  /** The times after `start` and before `end` at which other prices come into force. */
  changes(start: number, end: number): readonly number[]
}

export function pricesOf(sets: readonly PriceSet[]): Prices {
  const [first] = sets
  if (first === undefined) throw new RangeError('there are no prices')
  /** What came before the first set costs what that says. */
  const setAt = (at: number): PriceSet => sets.findLast(({ from }) => from <= at) ?? first
  /**
   * A plan that has gone from the file costs what it did when it was last there. One whose first price is to come costs
   * nothing until then: what is charged must not depend on a price that may still change.
   */
  const setOf = (family: Family, plan: string, at: number): PriceSet | undefined => {
    const past = Math.max(at, first.from)
    return sets.findLast(({ from, subscriptions }) => from <= past && Object.hasOwn(subscriptions[family], plan))
  }
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
    subscription: (family, plan, at) => setOf(family, plan, at)?.subscriptions[family][plan] ?? 0,
    isByAgreement: (family, plan, at) => setOf(family, plan, at)?.subscriptions[family][plan] === null,
    isFromFirstTask: (family, plan, at) =>
      family === 'workforce' && setOf(family, plan, at)?.from_first_task.includes(plan) === true,
    changes: (start, end) => sets.map(({ from }) => from).filter(from => from > start && from < end),
  }
}

const priced = (prices: Readonly<Record<string, number>> | undefined, type: string): number | undefined =>
  prices !== undefined && Object.hasOwn(prices, type) ? prices[type] : undefined
