/** How good what was said is: the measures of the M4 competition, each series counting once however many windows it has. */
import { mase, naiveScale, smape } from '@millhand/employees/david/forecast/accuracy.ts'
import type { Said } from './said.ts'
import type { Window } from './windows.ts'

export interface Score {
  readonly mase: number
  readonly smape: number
  /** Per cent of the values that lie in their 95 % interval. */
  readonly coverage: number
}

export function scoreOf(windows: readonly Window[], said: (window: Window) => Said): Score {
  const perSeries = [...Map.groupBy(windows, ({ series }) => series).values()].map(own => {
    const scores = own.map(window => scoreOfOne(window, said(window)))
    return meanOf(scores)
  })
  return meanOf(perSeries)
}

/** The overall weighted average of the M4 competition: 1 is as good as the benchmark, less is better. */
export const owa = (score: Score, benchmark: Score): number =>
  (score.mase / benchmark.mase + score.smape / benchmark.smape) / 2

function scoreOfOne({ known, actual, period }: Window, { points, lower, upper }: Said): Score {
  const pairs = actual.map((value, h) => [value, points[h] ?? Number.NaN] as const)
  const inside = actual.filter((value, h) => value >= (lower?.[h] ?? Number.NaN) && value <= (upper?.[h] ?? Number.NaN))
  return {
    mase: mase(pairs, naiveScale(known, period)) ?? Number.NaN,
    smape: smape(pairs),
    coverage: (100 * inside.length) / actual.length,
  }
}

const meanOf = (scores: readonly Score[]): Score => ({
  mase: mean(scores.map(({ mase }) => mase)),
  smape: mean(scores.map(({ smape }) => smape)),
  coverage: mean(scores.map(({ coverage }) => coverage)),
})

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
