/**
 * What is forecast: the ends of the series of series.json, held back. Of each series the last horizon, and where enough is left the
 * two before it; of seasons of 24 steps and more the last alone, as R takes up to an hour for one of them.
 */
import { readFileSync } from 'node:fs'

export interface Window {
  /** `package/series/which`, 0 for the end of the series. */
  readonly id: string
  readonly series: string
  readonly frequency: string
  /** Steps after which the season comes round; 1 for none. */
  readonly period: number
  readonly horizon: number
  readonly known: readonly number[]
  readonly actual: readonly number[]
}

interface Collected {
  /** `judged`, or `tuning`: what constants were set with. */
  readonly role: 'judged' | 'tuning'
  readonly package: string
  readonly name: string
  readonly frequency: string
  readonly period: number
  readonly horizon: number
  readonly values: readonly number[]
}

const ORIGINS = 3
const LONG_SEASON = 24

export const collected: readonly Collected[] = JSON.parse(readFileSync(new URL('series.json', import.meta.url), 'utf8'))

export const windowsOf = (role: Collected['role']): readonly Window[] =>
  collected.filter(series => series.role === role).flatMap(windowsOfOne)

function windowsOfOne({ package: origin, name, frequency, period, horizon, values }: Collected): readonly Window[] {
  const series = `${origin}/${name}`
  const least = Math.max(3 * period, 2 * horizon, 20)
  return Array.from({ length: period >= LONG_SEASON ? 1 : ORIGINS }, (_, which) => {
    const end = values.length - which * horizon
    const known = values.slice(0, end - horizon)
    return {
      id: `${series}/${which}`,
      series,
      frequency,
      period,
      horizon,
      known,
      actual: values.slice(end - horizon, end),
    }
  }).filter(({ known }, which) => which === 0 || known.length >= least)
}
