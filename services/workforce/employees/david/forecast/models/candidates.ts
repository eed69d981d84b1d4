/** The models that are tried on every series. */
import { adjusted } from './adjusted.ts'
import { fitAutoArima } from './auto-arima.ts'
import { fitBestEts } from './auto-ets.ts'
import { logarithmic } from './logarithmic.ts'
import type { Fitted } from './model.ts'
import { fitSeasonalNaive } from './naive.ts'
import { fitTheta } from './theta.ts'

export interface Candidate {
  readonly id: string
  /** In words, for people. */
  readonly name: string
  /** The periods of the seasons, the shortest first, each seen at least twice; undefined where it can't be had. */
  fit(values: Float64Array, periods: readonly number[]): Fitted | undefined
}

/** Exponential smoothing and ARIMA have a parameter or a lag for each step of a season: longer ones are left to STL. */
const LONGEST_OWN_SEASON = 13

const ets = (values: Float64Array, season: number) =>
  season > LONGEST_OWN_SEASON ? undefined : fitBestEts(values, season, ['N', 'A', 'Ad'])
const damped = (values: Float64Array, season: number) =>
  season > LONGEST_OWN_SEASON ? undefined : fitBestEts(values, season, ['Ad'])
const arima = (values: Float64Array, season: number) =>
  season > LONGEST_OWN_SEASON ? undefined : fitAutoArima(values, season)
const shortest = (periods: readonly number[]) => periods[0] ?? 1

export const candidates: readonly Candidate[] = [
  {
    id: 'seasonal_naive',
    name: 'Seasonal naive',
    fit: (values, periods) => fitSeasonalNaive(values, periods.at(-1) ?? 1),
  },
  { id: 'ets', name: 'Exponential smoothing (ETS)', fit: (values, periods) => ets(values, shortest(periods)) },
  { id: 'damped_trend', name: 'Damped trend', fit: (values, periods) => damped(values, shortest(periods)) },
  { id: 'theta', name: 'Theta', fit: (values, periods) => fitTheta(values, shortest(periods)) },
  { id: 'arima', name: 'ARIMA', fit: (values, periods) => arima(values, shortest(periods)) },
  {
    id: 'log_ets',
    name: 'Exponential smoothing of logarithms',
    fit: (values, periods) => logarithmic(values, logs => ets(logs, shortest(periods))),
  },
  {
    id: 'log_arima',
    name: 'ARIMA of logarithms',
    fit: (values, periods) => logarithmic(values, logs => arima(logs, shortest(periods))),
  },
  {
    id: 'stl_ets',
    name: 'Exponential smoothing after STL',
    fit: (values, periods) => adjusted(values, periods, flat => ets(flat, 1)),
  },
  {
    id: 'stl_arima',
    name: 'ARIMA after STL',
    fit: (values, periods) => adjusted(values, periods, flat => arima(flat, 1)),
  },
]
