/** What a forecast is asked for, and the series that are read of it. */
import assert from 'node:assert/strict'
import { type Brief, Refusal } from '../../../src/brief.ts'
import type { ForecastInput } from '../input.ts'
import { readSeries, type Series } from './series.ts'

export const brief = (input: Partial<ForecastInput>, files: Brief['files'] = []): Brief<ForecastInput> => ({
  topic: '',
  tone: '',
  constraints: {},
  seed: 1,
  files,
  input: { horizon: 1, ...input },
})

export function read(input: Partial<ForecastInput>): Series {
  const [series] = readSeries(brief(input))
  assert.ok(series)
  return series
}

export const refused = (input: Partial<ForecastInput>, words: RegExp) =>
  assert.throws(
    () => readSeries(brief(input)),
    (error: unknown) => error instanceof Refusal && words.test(error.message),
  )

export const dated = (dates: readonly string[], values = dates.map((_, i) => i + 1)) => ({ values, timestamps: dates })
export const days = (count: number, step: number, first = Date.UTC(2026, 0, 1)) =>
  Array.from({ length: count }, (_, i) => new Date(first + i * step * 1000).toISOString())
