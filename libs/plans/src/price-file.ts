/** The prices of the plan file, checked. */
import { type Family, families } from '@millhand/api'

/** What everything costs from a time on, until the next set. */
export interface PriceSet {
  /** Milliseconds since 1970. */
  readonly from: number
  /** Micro-dollars a month; null is by agreement. */
  readonly subscriptions: Readonly<Record<Family, Readonly<Record<string, number | null>>>>
  /** Workforce plans that cost nothing in a month until its first workforce task. */
  readonly from_first_task: readonly string[]
  /** Nano-dollars a second, by GPU type and as `default`. */
  readonly compute_second: Readonly<Record<string, number>>
  /** The same for single models. */
  readonly models: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** Nano-dollars a second. */
  readonly workforce_second: number
}

/** All that is wrong with the prices of a file that offers these plans. */
export function priceFaults(prices: unknown, plans: Readonly<Record<Family, readonly string[]>>): string[] {
  if (!Array.isArray(prices) || prices.length === 0) return ['prices must have at least one item.']
  const faults = prices.flatMap((set, at) => setFaults(`prices.${at}`, set))
  if (faults.length > 0) return faults
  const times = prices.map(({ from }) => timeOf(from))
  const unordered = times.findIndex((time, at) => at > 0 && time <= Number(times[at - 1]))
  if (unordered > 0) return [`prices.${unordered}.from must be later than that of the item before.`]
  const { subscriptions } = prices.at(-1)
  return families.flatMap(family =>
    plans[family]
      .filter(name => !Object.hasOwn(subscriptions[family], name))
      .map(name => `prices.${prices.length - 1}.subscriptions.${family}.${name} is missing: every plan has a price.`),
  )
}

/** The prices of a file without faults. */
export const priceSets = (prices: readonly unknown[]): PriceSet[] => prices.map(set => setOf(set as FileSet))

interface FileSet {
  readonly from: string
  readonly subscriptions: Readonly<Record<Family, Readonly<Record<string, Decimal | null>>>>
  readonly from_first_task: readonly string[]
  readonly compute_second: Readonly<Record<string, Decimal>>
  readonly models: Readonly<Record<string, Readonly<Record<string, Decimal>>>>
  readonly workforce_second: Decimal
}

type Decimal = string | number

const setOf = ({
  from,
  subscriptions,
  from_first_task,
  compute_second,
  models,
  workforce_second,
}: FileSet): PriceSet => ({
  from: timeOf(from),
  subscriptions: mapped(subscriptions, byPlan =>
    mapped(byPlan, price => price && nanosOf(price) / 1000),
  ) as PriceSet['subscriptions'],
  from_first_task,
  compute_second: mapped(compute_second, nanosOf),
  models: mapped(models, byType => mapped(byType, nanosOf)),
  workforce_second: nanosOf(workforce_second),
})

const mapped = <V, R>(map: Readonly<Record<string, V>>, of: (value: V) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, of(value)]))

const fields = ['from', 'subscriptions', 'from_first_task', 'compute_second', 'models', 'workforce_second']

function setFaults(path: string, set: unknown): string[] {
  if (!isMap(set)) return [`${path} must have ${fields.join(', ')}.`]
  const unknown = Object.keys(set).filter(field => !fields.includes(field))
  return [
    ...unknown.map(field => `${path}.${field} is not known.`),
    ...(Number.isNaN(timeOf(set.from))
      ? [`${path}.from must be a time such as 2026-12-01T00:00:00Z, to the second.`]
      : []),
    ...subscriptionFaults(`${path}.subscriptions`, set.subscriptions),
    ...firstTaskFaults(path, set),
    ...secondFaults(`${path}.compute_second`, set.compute_second, true),
    ...modelFaults(`${path}.models`, set.models),
    ...priceFault(`${path}.workforce_second`, set.workforce_second, nanos),
  ]
}

function subscriptionFaults(path: string, subscriptions: unknown): string[] {
  if (!isMap(subscriptions)) return [`${path} must have ${families.join(', ')}.`]
  return families.flatMap(family => {
    const plans = subscriptions[family]
    if (!isMap(plans)) return [`${path}.${family} must name the plans and their prices.`]
    return Object.entries(plans).flatMap(([plan, price]) =>
      price === null ? [] : priceFault(`${path}.${family}.${plan}`, price, cents),
    )
  })
}

function firstTaskFaults(path: string, { from_first_task: names, subscriptions }: Readonly<Record<string, unknown>>) {
  const workforce = isMap(subscriptions) && isMap(subscriptions.workforce) ? subscriptions.workforce : {}
  const isList = Array.isArray(names) && names.every(name => typeof name === 'string' && Object.hasOwn(workforce, name))
  return isList ? [] : [`${path}.from_first_task must list workforce plans that have a price, or be [].`]
}

function secondFaults(path: string, prices: unknown, needsDefault: boolean): string[] {
  if (!isMap(prices)) return [`${path} must name GPU types and their prices.`]
  if (needsDefault && !Object.hasOwn(prices, 'default'))
    return [`${path}.default is missing: it prices all other GPU types.`]
  return Object.entries(prices).flatMap(([type, price]) => priceFault(`${path}.${type}`, price, nanos))
}

function modelFaults(path: string, models: unknown): string[] {
  if (!isMap(models)) return [`${path} must name models, or be {}.`]
  return Object.entries(models).flatMap(([model, prices]) => secondFaults(`${path}.${model}`, prices, false))
}

const cents = { form: 'dollars, with at most two decimals', pattern: /^\d{1,6}(\.\d{1,2})?$/ }
const nanos = { form: 'dollars, with at most nine decimals', pattern: /^\d{1,3}(\.\d{1,9})?$/ }

const priceFault = (path: string, price: unknown, { form, pattern }: typeof nanos): string[] =>
  (typeof price === 'number' || typeof price === 'string') && pattern.test(String(price))
    ? []
    : [`${path} must be ${form}; it is ${JSON.stringify(price) ?? 'missing'}.`]

/** Nano-dollars of dollars: at most 999,999 of them, which is exact. */
function nanosOf(dollars: Decimal): number {
  const [whole = '', decimals = ''] = String(dollars).split('.')
  return Number(whole) * 1e9 + Number(decimals.padEnd(9, '0'))
}

/** NaN for what is no time in whole seconds. */
const timeOf = (from: unknown): number =>
  typeof from === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(from) ? Date.parse(from) : Number.NaN

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
