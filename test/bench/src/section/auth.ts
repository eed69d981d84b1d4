/** What authentication costs in the gateway, with a million keys stored and with few. */
import { alternate } from '../alternate.ts'
import { startChild } from '../child.ts'
import type { Figure } from '../figure.ts'
import type { Answer, Question } from '../fill/auth-child.ts'
import type { Workbench } from '../workbench.ts'

const FEW = 2_000
const MANY = 1_000_000
/** Costs this many times as much at most. */
const MOST_RATIO = 1.3

export async function auth(workbench: Workbench): Promise<Figure[]> {
  const measure = async (keys: number) => {
    await using child = startChild<Question, Answer>(new URL('../fill/auth-child.ts', import.meta.url))
    return await child.ask({ folder: workbench.folder(), keys })
  }
  // A round fills a store with a million keys, and warms up by itself.
  const { many, few } = await alternate(1, { many: () => measure(MANY), few: () => measure(FEW) })
  const figure = (name: string, of: (answer: Answer) => number): Figure => ({
    section: 'auth',
    name: `${name}, ${MANY.toLocaleString('en')} keys stored`,
    unit: 'µs',
    rounds: many.map(of),
    limits: [{ name: `with ${FEW.toLocaleString('en')}`, rounds: few.map(of) }],
    details: {},
  })
  const inTheMiddle = (one: Figure): Figure => {
    return { ...one, limits: one.limits.map(limit => ({ ...limit, mostRatio: MOST_RATIO })) }
  }
  return [
    { ...figure('a known key, p99', ({ known }) => known.p99), aim: { most: 5 } },
    inTheMiddle(figure('a known key, p50', ({ known }) => known.p50)),
    inTheMiddle(figure('the first request of a key, p50', ({ lookUp }) => lookUp.p50)),
    figure('the first request of a key, p99', ({ lookUp }) => lookUp.p99),
  ]
}
