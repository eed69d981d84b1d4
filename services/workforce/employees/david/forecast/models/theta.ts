/**
 * The dynamic optimised Theta method: Fiorucci, Pellegrini, Louzada, Petropoulos and Koehler, "Models for optimising the theta
 * method and their relationship to state space models" (2016), equations 6 to 9. The season is taken out beforehand by classical
 * multiplicative decomposition (additive where a value is not positive), where the values show one.
 */
import { seasonalIndices, withoutSeason } from './decompose.ts'
import { type Fitted, normal } from './model.ts'
import { nelderMead } from './nelder-mead.ts'
import { isSeasonal } from './seasonal.ts'

export function fitTheta(values: Float64Array, season: number): Fitted | undefined {
  if (values.length < 4) return undefined
  const kind = values.every(value => value > 0) ? 'M' : 'A'
  const indices = isSeasonal(values, season) ? seasonalIndices(values, season, kind) : undefined
  const usable = indices !== undefined && (kind === 'A' || indices.every(index => index > 0.01)) ? indices : undefined
  return fitted(values, usable, kind, undefined)
}

function fitted(
  values: Float64Array,
  indices: Float64Array | undefined,
  kind: 'A' | 'M',
  from: Float64Array | undefined,
): Fitted {
  const flat = indices === undefined ? values : withoutSeason(values, indices, kind)
  const n = flat.length
  const scale = Math.abs(flat[0]!) || 1
  const cost = (at: Float64Array) => run(flat, read(at, flat[0]!, scale)).squares
  const starts =
    from === undefined
      ? [
          [0, 0, 0],
          [0, 1.5, 0],
        ]
      : [from]
  const best = starts
    .map(start => nelderMead(cost, start, { steps: [0.1, 0.7, 0.7], evaluations: 400 }))
    .reduce((least, one) => (one.value < least.value ? one : least))
  const parameters = read(best.at, flat[0]!, scale)
  const { squares, state } = run(flat, parameters)
  const deviation = Math.sqrt(squares / Math.max(1, n - 3))
  const { alpha, theta } = parameters
  return {
    form: `Theta${indices === undefined ? '' : kind === 'M' ? ', multiplicative season' : ', additive season'}`,
    parameters: { alpha, theta },
    outlook: horizon => {
      const points = new Float64Array(horizon)
      const spread = new Float64Array(horizon)
      const ahead = { ...state }
      for (let h = 0; h < horizon; h++) {
        const index = indices?.[(n + h) % indices.length]
        const point = expected(ahead, parameters)
        step(ahead, parameters, point)
        points[h] = index === undefined ? point : kind === 'M' ? point * index : point + index
        // As simple exponential smoothing, which the method equals but for a drift.
        spread[h] = deviation * Math.sqrt(1 + h * alpha * alpha) * (index !== undefined && kind === 'M' ? index : 1)
      }
      return normal(points, spread)
    },
    again: other => {
      const again = indices === undefined ? undefined : seasonalIndices(other, indices.length, kind)
      return fitted(other, again, kind, best.at)
    },
  }
}

interface Parameters {
  readonly level: number
  readonly alpha: number
  readonly theta: number
}

/** After so many values: the smoothed level, their mean, and intercept and slope of the line through them. */
interface State {
  count: number
  level: number
  mean: number
  intercept: number
  slope: number
}

function read(at: Float64Array, first: number, scale: number): Parameters {
  return {
    level: first + at[0]! * scale,
    alpha: 0.05 + 0.945 / (1 + Math.exp(-at[1]!)),
    // From 1, where the line has no weight, upwards; 2 is the classical method.
    theta: 1 + Math.exp(Math.min(at[2]!, 4)),
  }
}

function run(values: Float64Array, parameters: Parameters): { squares: number; state: State } {
  const first = values[0]!
  const state: State = {
    count: 1,
    level: parameters.alpha * first + (1 - parameters.alpha) * parameters.level,
    mean: first,
    intercept: first,
    slope: 0,
  }
  let squares = 0
  for (let t = 1; t < values.length; t++) {
    const error = values[t]! - expected(state, parameters)
    // The line through the first few values says little.
    if (t > 2) squares += error * error
    step(state, parameters, values[t]!)
  }
  return { squares, state }
}

function expected({ count, level, intercept, slope }: State, { alpha, theta }: Parameters): number {
  const left = (1 - alpha) ** count
  return level + (1 - 1 / theta) * (left * intercept + ((1 - left * (1 - alpha)) / alpha) * slope)
}

function step(state: State, { alpha }: Parameters, value: number): void {
  const count = state.count + 1
  const mean = (state.count * state.mean + value) / count
  // The slope of the line of least squares, brought forward by one value.
  state.slope = ((count - 2) * state.slope + (6 * (value - state.mean)) / count) / (count + 1)
  state.intercept = mean - ((count + 1) / 2) * state.slope
  state.mean = mean
  state.level = alpha * value + (1 - alpha) * state.level
  state.count = count
}
