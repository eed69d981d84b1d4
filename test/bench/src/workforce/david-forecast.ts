/**
 * David forecasts: beside R's `forecast`, on real series that ship in packages. R is asked in the same run where it is there; of
 * the few windows that take it longer than `--seconds` allows, and where it is missing, what it said before is recorded.
 */
import type { Figure } from '../figure.ts'
import type { Workbench } from '../workbench.ts'
import { david } from './forecast/david.ts'
import { naive2 } from './forecast/naive2.ts'
import { METHODS, sideBySide } from './forecast/reference.ts'
import { once } from './forecast/said.ts'
import { owa, scoreOf } from './forecast/score.ts'
import { windowsOf } from './forecast/windows.ts'

/** For a window, times `--seconds`: nine in ten windows take R less than 20 s, and all of those about five minutes. */
const MOST_OF_R = 4

export async function figures({ seconds }: Workbench): Promise<Figure[]> {
  const windows = windowsOf('judged')
  const { reference, asked } = sideBySide(windows, MOST_OF_R * seconds)
  const own = once(david)
  const score = scoreOf(windows, own)
  const benchmark = scoreOf(windows, naive2)
  const others = METHODS.map(method => ({ method, score: scoreOf(windows, window => reference(window, method)) }))
  const series = new Set(windows.map(({ series: of }) => of)).size
  const details = { series, windows: windows.length }
  const nameOfR = (method: string) => ({
    name: `R ${method}, asked now ${asked} of ${windows.length}`,
    ...(asked === 0 && { cited: 'recorded of R 4.2.2 with forecast 8.20' }),
  })

  const beside = (name: 'mase' | 'smape', unit: string): Figure => {
    const best = Math.min(...others.map(other => other.score[name]))
    return figure(name, unit, score[name], {
      limits: others.map(other => ({
        ...nameOfR(other.method),
        rounds: [other.score[name]],
        ...(other.score[name] === best && { mostRatio: 1 }),
      })),
      details,
    })
  }
  return [
    beside('mase', ''),
    beside('smape', '%'),
    figure('OWA against Naive2', '', owa(score, benchmark), {
      aim: { most: 0.9 },
      limits: others.map(other => ({ ...nameOfR(other.method), rounds: [owa(other.score, benchmark)] })),
    }),
    figure('95 % intervals cover, at least', '%', score.coverage, {
      aim: { least: 90 },
      limits: others.map(other => ({ ...nameOfR(other.method), rounds: [other.score.coverage] })),
    }),
    figure('95 % intervals cover, at most', '%', score.coverage, { aim: { most: 98 } }),
    ...[...Map.groupBy(windows, ({ frequency }) => frequency)].map(([frequency, part]) =>
      figure(`mase, ${frequency}`, '', scoreOf(part, own).mase, {
        limits: METHODS.map(method => ({
          ...nameOfR(method),
          rounds: [scoreOf(part, window => reference(window, method)).mase],
        })),
        details: { series: new Set(part.map(({ series }) => series)).size, coverage: scoreOf(part, own).coverage },
      }),
    ),
  ]
}

const figure = (name: string, unit: string, value: number, rest: Partial<Figure> = {}): Figure => ({
  section: 'workforce',
  name: `david forecast: ${name}`,
  unit,
  rounds: [value],
  limits: [],
  details: {},
  ...rest,
})
