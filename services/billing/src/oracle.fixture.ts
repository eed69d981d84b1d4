/**
 * What an account owes, by a second way: no store, no running sums, no repetition. It knows when each event came first, and
 * when each month was closed. One page, on purpose.
 */
export interface Ended {
  readonly account: number
  readonly id: string
  readonly at: number
  readonly ms: number
  readonly model: string
  /** The account's own instance that ran it: then its compute costs nothing. */
  readonly instance?: string
  /** Of the workforce: what a language model cost, in micro-dollars. */
  readonly tokens?: { readonly count: number; readonly micros: number }
}

export interface Changed {
  readonly account: number
  readonly at: number
  readonly version: number
  readonly developer: string
}

export interface Arrival {
  readonly at: number
  readonly event: { readonly ended: Ended } | { readonly changed: Changed }
}

export type Rates = (at: number) => { readonly second: bigint; readonly pro: bigint }

const month = (at: number) => new Date(at).toISOString().slice(0, 7)
const start = (of: string) => Date.parse(`${of}-01T00:00:00Z`)
const next = (of: string) => month(start(of) + 32 * 86_400_000)
const ceil = (n: bigint, d: bigint) => (n + d - 1n) / d
export const halfEven = (n: bigint, d: bigint) => {
  const [q, r] = [n / d, n % d]
  if (r * 2n === d) return q + (q % 2n)
  return r * 2n > d ? q + 1n : q
}

/** Micro-dollars that a run costs. */
export const costOf = ({ at, ms, instance }: Pick<Ended, 'at' | 'ms' | 'instance'>, rates: Rates): bigint =>
  instance === undefined ? ceil(BigInt(ms) * rates(at).second, 1_000_000n) : 0n

/** By month, and by what a line says there: micro-dollars. `closings` are the times at which months closed, by month. */
export function expectedBills(
  arrivals: readonly Arrival[],
  account: number,
  closings: ReadonlyMap<string, number>,
  months: readonly string[],
  rates: Rates,
  priceChanges: readonly number[],
): Map<string, Map<string, bigint>> {
  const bills = new Map(months.map(each => [each, new Map<string, bigint>()]))
  const add = (to: string, line: string, micros: bigint) => {
    const bill = bills.get(to) as Map<string, bigint>
    bill.set(line, (bill.get(line) ?? 0n) + micros)
  }
  const isClosed = (of: string, at: number) => (closings.get(of) ?? Number.POSITIVE_INFINITY) <= at
  const seen = new Set<string>()
  const changes: { change: Changed; heard: number }[] = []
  for (const { at: heard, event } of arrivals) {
    if ('changed' in event) {
      if (event.changed.account === account && !changes.some(({ change }) => change.version === event.changed.version))
        changes.push({ change: event.changed, heard })
      continue
    }
    const { ended } = event
    if (ended.account !== account || seen.has(ended.id)) continue
    seen.add(ended.id)
    let billed = month(ended.at)
    while (isClosed(billed, heard)) billed = next(billed)
    const late = billed === month(ended.at) ? '' : `late ${new Date(ended.at).toISOString().slice(0, 10)} `
    const price = rates(ended.at).second
    add(billed, `${late}${ended.model} ${price}`, costOf(ended, rates))
    if (ended.tokens) add(billed, `${late}tokens of ${ended.model} ${price}`, BigInt(ended.tokens.micros))
  }
  /** The whole month of the developer plan, by the changes that were heard of until a time. */
  const subscription = (of: string, until: number) => {
    const known = changes.filter(({ heard }) => heard < until).map(({ change }) => change)
    known.sort((a, b) => a.at - b.at || a.version - b.version)
    const [from, to] = [start(of), start(next(of))]
    const seconds = (time: number) => BigInt(Math.floor(time / 1000) - from / 1000)
    const times = [...new Set([from, to, ...priceChanges, ...known.map(({ at }) => at)])]
    const inside = times.filter(time => time >= from && time <= to).sort((a, b) => a - b)
    let sum = 0n
    for (const [n, begin] of inside.slice(0, -1).entries()) {
      const plan = known.findLast(({ at }) => at <= begin)?.developer
      const price = plan === 'pro' ? rates(begin).pro : 0n
      const cost = (time: number) => halfEven(price * seconds(time), seconds(to))
      sum += cost(inside[n + 1] as number) - cost(begin)
    }
    return sum
  }
  const billed = new Map<string, bigint>()
  for (const of of months) {
    const closing = closings.get(of) ?? Number.POSITIVE_INFINITY
    add(of, 'subscription', subscription(of, closing))
    for (const [earlier, before] of billed) {
      const now = subscription(earlier, closing)
      if (now !== before) add(of, `correction ${earlier}`, now - before)
      billed.set(earlier, now)
    }
    billed.set(of, subscription(of, closing))
  }
  return bills
}
