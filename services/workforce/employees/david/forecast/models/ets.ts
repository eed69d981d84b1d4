/**
 * One form of exponential smoothing, its parameters and initial states estimated by maximum likelihood: Hyndman, Koehler, Ord
 * and Snyder (2008), chapter 5. The bounds are the usual ones: alpha within (0, 1), beta below alpha, gamma below 1 - alpha,
 * phi from 0.8 to 0.98.
 */
import { seasonalIndices, withoutSeason } from './decompose.ts'
import { etsOutlook } from './ets-outlook.ts'
import { type EtsForm, type EtsState, type Smoothing, smooth } from './ets-recursion.ts'
import type { Fitted } from './model.ts'
import { type Least, nelderMead } from './nelder-mead.ts'

export interface FittedEts extends Fitted {
  /** Corrected Akaike information criterion: smaller is better, among models of the same values. */
  readonly aicc: number
}

/** Undefined where the form can't be had of these values: too few, or not all positive for a multiplicative one. */
export function fitEts(
  form: EtsForm,
  values: Float64Array,
  season: number,
  from?: Float64Array,
): FittedEts | undefined {
  const m = form.season === 'N' ? 1 : season
  const n = values.length
  const layout = layoutOf(form, m)
  if (n <= layout.size + 2) return undefined
  const initial = startOf(form, values, m)
  if (initial === undefined) return undefined
  const scale = deviation(values) || 1

  const cost = (at: Float64Array) => {
    const { smoothing, state } = read(at, layout, m, form, initial, scale)
    const { squares, logs } = smooth(form, smoothing, state, values)
    return n * Math.log(Math.max(squares, 1e-300)) + 2 * logs
  }
  const start = from ?? startVector(layout)
  const steps = Float64Array.from({ length: layout.size }, (_, i) =>
    i < layout.states ? 0.8 : form.season === 'M' && i >= layout.seasons ? 0.05 : 0.2,
  )
  // First the smoothing alone, with the states as they were guessed; then everything.
  let best: Least = { at: start, value: Number.POSITIVE_INFINITY }
  if (from === undefined) {
    const lead = nelderMead(at => cost(padded(at, start)), start.slice(0, layout.states), { steps, evaluations: 120 })
    best = { at: padded(lead.at, start), value: lead.value }
  }
  best = nelderMead(cost, best.at, {
    steps: from === undefined ? steps : steps.map(step => step / 4),
    evaluations: from === undefined ? 100 * layout.size : 30 * layout.size,
    tolerance: 1e-6,
  })
  if (!Number.isFinite(best.value)) return undefined

  const { smoothing, state } = read(best.at, layout, m, form, initial, scale)
  const { squares } = smooth(form, smoothing, state, values)
  // The variance of the errors is one more parameter.
  const count = layout.size + 1
  const aicc = best.value + 2 * count + (2 * count * (count + 1)) / (n - count - 1)
  const variance = squares / (n - layout.size)
  return {
    form: `ETS(${form.error},${form.trend},${form.season})`,
    aicc,
    parameters: {
      alpha: smoothing.alpha,
      ...(form.trend === 'N' ? {} : { beta: smoothing.beta }),
      ...(form.season === 'N' ? {} : { gamma: smoothing.gamma }),
      ...(form.trend === 'Ad' ? { phi: smoothing.phi } : {}),
    },
    outlook: horizon => etsOutlook(form, smoothing, state, variance, horizon),
    again: other => fitEts(form, other, season, best.at) ?? fitEts({ error: 'A', trend: 'N', season: 'N' }, other, 1),
  }
}

/** Where in the vector of the search what stands. */
interface Layout {
  readonly trend: boolean
  readonly damped: boolean
  readonly seasonal: boolean
  readonly states: number
  readonly seasons: number
  readonly size: number
}

function layoutOf({ trend, season }: EtsForm, m: number): Layout {
  const states = 1 + (trend === 'N' ? 0 : 1) + (season === 'N' ? 0 : 1) + (trend === 'Ad' ? 1 : 0)
  const seasons = states + 1 + (trend === 'N' ? 0 : 1)
  return {
    trend: trend !== 'N',
    damped: trend === 'Ad',
    seasonal: season !== 'N',
    states,
    seasons,
    size: seasons + (season === 'N' ? 0 : m - 1),
  }
}

/** alpha 0.3, beta a tenth of it, gamma a tenth of the rest, phi 0.96; the states as they were guessed. */
function startVector(layout: Layout): Float64Array {
  const at = new Float64Array(layout.size)
  at[0] = logit(0.3)
  let i = 1
  if (layout.trend) at[i++] = logit(0.1)
  if (layout.seasonal) at[i++] = logit(0.1)
  if (layout.damped) at[i++] = logit((0.96 - 0.8) / 0.18)
  return at
}

interface Initial {
  readonly level: number
  readonly slope: number
  readonly season: Float64Array
}

function read(
  at: Float64Array,
  layout: Layout,
  m: number,
  form: EtsForm,
  initial: Initial,
  scale: number,
): { smoothing: Smoothing; state: EtsState } {
  const alpha = between(at[0]!, 1e-4, 0.9999)
  let i = 1
  const beta = layout.trend ? between(at[i++]!, 1e-4, 1) * alpha : 0
  const gamma = layout.seasonal ? between(at[i++]!, 1e-4, 1) * (1 - alpha) : 0
  const phi = layout.damped ? between(at[i++]!, 0.8, 0.98) : 1
  const level = initial.level + at[i++]! * scale
  const slope = layout.trend ? initial.slope + at[i++]! * scale * 0.1 : 0
  const season = new Float64Array(layout.seasonal ? m : 0)
  if (layout.seasonal) {
    const unit = form.season === 'M' ? 1 : scale
    let sum = 0
    for (let j = 0; j < m - 1; j++) {
      season[j] = initial.season[j]! + at[i++]! * unit
      sum += season[j]!
    }
    season[m - 1] = (form.season === 'M' ? m : 0) - sum
  }
  return { smoothing: { alpha, beta, gamma, phi }, state: { level, slope, season, next: 0 } }
}

/** What the states are before the first value, from the first few seasons. */
function startOf(form: EtsForm, values: Float64Array, m: number): Initial | undefined {
  const positive = values.every(value => value > 0)
  if (form.error === 'M' && !positive) return undefined
  if (form.season !== 'N' && m < 2) return undefined
  const early = values.subarray(0, Math.min(values.length, 4 * m))
  const season = form.season === 'N' ? new Float64Array(0) : seasonalIndices(early, m, form.season)
  if (season === undefined || (form.season === 'M' && season.some(index => !(index > 0.01)))) return undefined
  const flat = form.season === 'N' ? values : withoutSeason(early, season, form.season)
  const first = flat.subarray(0, Math.min(flat.length, Math.max(10, 2 * m)))
  const { intercept, slope, mean } = line(first)
  if (form.trend === 'N') return { level: mean, slope: 0, season }
  // A multiplicative form can't begin at or below nothing.
  return form.error === 'M' && !(intercept > 0)
    ? { level: mean, slope: 0, season }
    : { level: intercept, slope, season }
}

/** The straight line of least squares through values at 1, 2, 3 … */
function line(values: Float64Array): { intercept: number; slope: number; mean: number } {
  const n = values.length
  const mean = values.reduce((sum, value) => sum + value, 0) / n
  let cross = 0
  let spread = 0
  for (let t = 0; t < n; t++) {
    const at = t + 1 - (n + 1) / 2
    cross += at * (values[t]! - mean)
    spread += at * at
  }
  const slope = spread === 0 ? 0 : cross / spread
  return { intercept: mean - (slope * (n + 1)) / 2, slope, mean }
}

function deviation(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
}

function padded(lead: Float64Array, whole: Float64Array): Float64Array {
  const at = Float64Array.from(whole)
  at.set(lead)
  return at
}

const logit = (p: number) => Math.log(p / (1 - p))
const between = (x: number, low: number, high: number) => low + (high - low) / (1 + Math.exp(-x))
