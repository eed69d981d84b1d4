/** What David says of a window, asked as anybody asks him. */
import { forecastOf } from '@millhand/employees/david/forecast/engine.ts'
import type { ForecastInput } from '@millhand/employees/david/forecast/input.ts'
import type { Said } from './said.ts'
import type { Window } from './windows.ts'

/** Where the calendar says it in one word; else the length of the season alone. */
const NAMED: Readonly<Record<string, NonNullable<ForecastInput['frequency']>>> = {
  quarterly: 'quarterly',
  monthly: 'monthly',
  weekly: 'weekly',
  hourly: 'hourly',
  'half-hourly': 'half_hourly',
}

export function david({ known, horizon, frequency, period }: Window): Said {
  const named = NAMED[frequency]
  const input: ForecastInput = {
    values: known,
    horizon,
    levels: [95],
    ...(named ? { frequency: named } : { season_length: period }),
  }
  const { result } = forecastOf({ topic: '', tone: '', constraints: {}, files: [], seed: 1, input })
  const forecast = result.series[0]?.forecast ?? []
  return {
    points: forecast.map(({ point }) => point),
    lower: forecast.map(({ intervals }) => intervals[0]?.lower ?? Number.NaN),
    upper: forecast.map(({ intervals }) => intervals[0]?.upper ?? Number.NaN),
  }
}
