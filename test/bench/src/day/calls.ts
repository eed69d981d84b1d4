/** Sends the calls of a day at a steady rate, and counts how they were answered. */
import { random } from '@millhand/test-faults/random'
import type { Address } from '../connection.ts'
import { type Histogram, histogram } from '../histogram.ts'
import { openPool } from './connection-pool.ts'
import { type Account, accountOf, type Called, type Means, type Operation, operations } from './operations.ts'

export interface DayPlan extends Address {
  /** A key of each account. */
  readonly keys: readonly string[]
  readonly calls: number
  readonly perSecond: number
  /** Of the choice of operations and accounts. */
  readonly seed: number
}

export interface DayCounts {
  readonly calls: number
  /** Answered with 500 or more. */
  readonly failed: number
  /** Those that count for the target of 100 ms. */
  readonly timed: number
  /** Waits, streams and files that were refused or failed: it depends on how far they came whether the server times them. */
  readonly cutShort: number
  /** Of `timed`, the ones that took longer, from when they were due to the answer's last byte. */
  readonly slow: number
  /** Answered neither with 5xx nor as expected, or not at all. */
  readonly unexpected: number
  /** The first that failed or was unexpected, for people. */
  readonly firstOdd?: string
  readonly seconds: number
  readonly operations: readonly OperationCounts[]
}

interface OperationCounts {
  readonly name: string
  readonly calls: number
  /** Milliseconds, from when they were due. */
  readonly p50: number
  readonly p99: number
}

/** At once, without streams: a server that keeps up with the rate needs a few. */
const MOST_AT_ONCE = 512
const SLOW_MS = 100
/** Between two lines about the progress. */
const SAY_EVERY_MS = 10_000

/** `say` hears every ten seconds how far it is. Rejects never: what goes wrong is counted. */
export async function sendDay(plan: DayPlan, say: (line: string) => void): Promise<DayCounts> {
  const { calls, perSecond, keys } = plan
  const rolls = random(plan.seed)
  using pool = openPool(plan, MOST_AT_ONCE)
  const by: Means = { pool, url: `http://${plan.host}:${plan.port}`, random: rolls }
  const accounts = keys.map(accountOf)
  const latencies = new Map(operations.map(each => [each.name, histogram()]))
  const counts = {
    calls: 0,
    failed: 0,
    timed: 0,
    cutShort: 0,
    slow: 0,
    unexpected: 0,
    firstOdd: undefined as string | undefined,
  }

  const start = performance.now()
  const dueOf = (index: number) => start + (index / perSecond) * 1_000
  const pick = chooser(operations)

  async function one(index: number): Promise<void> {
    const account = accounts[rolls.between(0, accounts.length - 1)] as Account
    const operation = possible(pick(rolls.next()), account)
    const called = await operation.call(account, by).catch((cause: Error): Called => notAnswered(cause))
    const ms = performance.now() - dueOf(index)
    latencies.get(operation.name)?.record(ms * 1_000)
    counts.calls += 1
    if (called.status >= 500) counts.failed += 1
    else if (called.unexpected !== undefined) counts.unexpected += 1
    if (called.unexpected !== undefined) counts.firstOdd ??= `${operation.name}: ${called.unexpected}`
    if (!operation.isTimed) {
      if (called.status >= 400) counts.cutShort += 1
      return
    }
    counts.timed += 1
    if (ms > SLOW_MS) counts.slow += 1
  }

  const saying = setInterval(() => {
    const seconds = (performance.now() - start) / 1_000
    const rate = counts.calls / seconds
    const left = (calls - counts.calls) / Math.min(rate, perSecond)
    const [sent, failed, slow] = [counts.calls, counts.failed, counts.slow].map(amount => amount.toLocaleString('en'))
    say(
      `${sent} of ${calls.toLocaleString('en')} calls, ${rate.toFixed(0)}/s, ${failed} failed, ${slow} slow, ${left.toFixed(0)} s left`,
    )
  }, SAY_EVERY_MS)
  try {
    await inTime(calls, dueOf, one)
  } finally {
    clearInterval(saying)
  }
  const { firstOdd, ...sums } = counts
  return {
    ...sums,
    ...(firstOdd !== undefined && { firstOdd }),
    seconds: (performance.now() - start) / 1_000,
    operations: [...latencies].map(([name, of]) => ({ name, calls: of.count, ...quantiles(of) })),
  }
}

/** Begins each call when it is due, whatever has become of those before; resolves when all have ended. */
function inTime(
  calls: number,
  dueOf: (index: number) => number,
  call: (index: number) => Promise<void>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let begun = 0
    let ended = 0
    const end = () => {
      ended += 1
      if (ended === calls) resolve()
    }
    const beginDue = () => {
      const now = performance.now()
      while (begun < calls && dueOf(begun) <= now) call(begun++).then(end, reject)
      if (begun < calls) setTimeout(beginDue, Math.max(1, dueOf(begun) - now))
    }
    beginDue()
  })
}

const notAnswered = ({ message }: Error): Called => ({ status: 0, unexpected: `no answer: ${message}` })

function possible(operation: Operation, account: Account): Operation {
  return operation.first?.isNeeded(account) ? operation.first.operation : operation
}

/** An operation for a number from 0 up to 1, each as often as its share. */
export function chooser(from: readonly Operation[]): (roll: number) => Operation {
  const slots = from.flatMap(operation => Array.from({ length: operation.share }, () => operation))
  return roll => slots[Math.floor(roll * slots.length)] as Operation
}

const quantiles = (of: Histogram) => ({ p50: of.quantile(0.5) / 1_000, p99: of.quantile(0.99) / 1_000 })
