/** David forecasts: beside R's `forecast`, on real series that ship in packages. */
import { exampleTime } from '../brief-time.ts'
import type { Figure } from '../figure.ts'
import { david } from './forecast/david.ts'
import { naive2 } from './forecast/naive2.ts'
import { METHODS, recorded } from './forecast/reference.ts'
import type { Said } from './forecast/said.ts'
import { owa, type Score, scoreOf } from './forecast/score.ts'
import { type Window, windowsOf } from './forecast/windows.ts'

export async function figures(): Promise<Figure[]> {
  const windows = windowsOf('judged')
  const reference = recorded()
  const said = new Map(windows.map(window => [window, david(window)]))
  const own = (window: Window): Said => said.get(window) ?? david(window)
  const score = scoreOf(windows, own)
  const benchmark = scoreOf(windows, naive2)
  const others = METHODS.map(method => ({ method, score: scoreOf(windows, window => reference(window, method)) }))
  const details = { series: new Set(windows.map(({ series }) => series)).size, windows: windows.length }

  const beside = (name: 'mase' | 'smape', unit: string): Figure => {
    const best = Math.min(...others.map(other => other.score[name]))
    return figure(name, unit, score[name], {
      limits: others.map(other => ({
        name: `R ${other.method}`,
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
      limits: others.map(other => ({ name: `R ${other.method}`, rounds: [owa(other.score, benchmark)] })),
    }),
    figure('95 % intervals cover, at least', '%', score.coverage, { aim: { least: 90 }, limits: coverages(others) }),
    figure('95 % intervals cover, at most', '%', score.coverage, { aim: { most: 98 } }),
    ...[...Map.groupBy(windows, ({ frequency }) => frequency)].map(([frequency, part]) =>
      figure(`mase, ${frequency}`, '', scoreOf(part, own).mase, {
        limits: METHODS.map(method => ({
          name: `R ${method}`,
          rounds: [scoreOf(part, window => reference(window, method)).mase],
        })),
        details: { series: new Set(part.map(({ series }) => series)).size, coverage: scoreOf(part, own).coverage },
      }),
    ),
    await exampleTime('david', 'forecast', 2000),
  ]
}

const coverages = (others: readonly { readonly method: string; readonly score: Score }[]) =>
  others.map(({ method, score }) => ({ name: `R ${method}`, rounds: [score.coverage] }))

const figure = (name: string, unit: string, value: number, rest: Partial<Figure> = {}): Figure => ({
  section: 'workforce',
  name: `david forecast: ${name}`,
  unit,
  rounds: [value],
  limits: [],
  details: {},
  ...rest,
})
