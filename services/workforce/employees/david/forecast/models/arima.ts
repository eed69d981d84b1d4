/**
 * A seasonal ARIMA model of given orders, by exact maximum likelihood on the differenced values: Box, Jenkins, Reinsel and
 * Ljung, "Time Series Analysis" (2015), chapters 7 and 9.
 */
import { type Arma, conditional, type Innovations, innovations, multiply, psiWeights, stationary } from './arma.ts'
import { type Fitted, normal } from './model.ts'
import { nelderMead } from './nelder-mead.ts'

export interface ArimaOrders {
  readonly p: number
  readonly d: number
  readonly q: number
  /** The same of the season. */
  readonly P: number
  readonly D: number
  readonly Q: number
  /** A mean, or a drift where values are differenced once. */
  readonly constant: boolean
}

export interface FittedArima extends Fitted {
  readonly orders: ArimaOrders
  /** The free parameters: where another search may start. */
  readonly at: Float64Array
  /** Corrected Akaike information criterion: smaller is better, among models with the same differences. */
  readonly aicc: number
}

export function fitArima(
  orders: ArimaOrders,
  values: Float64Array,
  season: number,
  { from, quickly = false }: { readonly from?: Float64Array; readonly quickly?: boolean } = {},
): FittedArima | undefined {
  const { p, q, P, Q, d, D, constant } = orders
  const differenced = differences(values, orders, season)
  const n = differenced.length
  const size = p + q + P + Q + (constant ? 1 : 0)
  if (n < size + 4 || n <= Math.max(p + P * season, q + Q * season)) return undefined
  const { mean, deviation } = moments(differenced)
  const scale = deviation || 1

  const centred = new Float64Array(n)
  const errors = new Float64Array(n)
  const judge = (at: Float64Array): (Innovations & { readonly model: Arma; readonly constant: number }) | undefined => {
    const level = constant ? mean + at[size - 1]! * scale : 0
    for (let t = 0; t < n; t++) centred[t] = differenced[t]! - level
    const model = modelOf(at, orders, season)
    const found = quickly ? conditional(model, centred, p + P * season, errors) : innovations(model, centred)
    return found && { ...found, model, constant: level }
  }
  const start = from ?? new Float64Array(size).map((_, i) => (i === size - 1 && constant ? 0 : 0.1))
  const best =
    size === 0
      ? { at: start }
      : nelderMead(at => judge(at)?.cost ?? Number.NaN, start, {
          steps: new Float64Array(size).fill(from === undefined ? 0.4 : 0.1),
          evaluations: (from === undefined ? 60 : 25) * size,
          // A criterion is told from another by less, and what is chosen by it is fitted again.
          tolerance: quickly && from === undefined ? 1e-5 : 1e-7,
        })
  const found = judge(best.at)
  if (found === undefined || !Number.isFinite(found.cost)) return undefined
  const count = size + 1
  if (n - count - 1 <= 0) return undefined
  const aicc = found.cost + n * (1 + Math.log(2 * Math.PI)) + 2 * count + (2 * count * (count + 1)) / (n - count - 1)
  const variance = (found.variance * n) / Math.max(1, n - size)
  const level = found.constant
  const inner = differenced.map(value => value - level)
  return {
    form: `ARIMA(${p},${d},${q})${P + D + Q > 0 ? `(${P},${D},${Q})[${season}]` : ''}${constant ? (d + D > 0 ? ' with drift' : ' with mean') : ''}`,
    orders,
    at: best.at,
    aicc,
    parameters: named(best.at, orders, level),
    outlook: horizon => {
      const steps = ahead(found.model, inner, found.errors, horizon)
      const points = integrated(
        values,
        steps.map(step => step + level),
        orders,
        season,
      )
      const psi = psiWeights({ ar: withDifferences(found.model.ar, orders, season), ma: found.model.ma }, horizon)
      let carried = 0
      const spread = psi.map(weight => {
        carried += weight * weight
        return Math.sqrt(variance * carried)
      })
      return normal(points, spread)
    },
    again: other =>
      fitArima(orders, other, season, { from: best.at, quickly: true }) ??
      fitArima({ p: 0, d: 1, q: 0, P: 0, D: 0, Q: 0, constant: false }, other, 1),
  }
}

/** The differences that the orders ask for: those of the season first. */
export function differences(
  values: Float64Array,
  { d, D }: Pick<ArimaOrders, 'd' | 'D'>,
  season: number,
): Float64Array {
  let found = values
  for (let i = 0; i < D; i++) found = lagged(found, season)
  for (let i = 0; i < d; i++) found = lagged(found, 1)
  return found
}

const lagged = (values: Float64Array, lag: number) => values.subarray(lag).map((value, t) => value - values[t]!)

function modelOf(at: Float64Array, { p, q, P, Q }: ArimaOrders, season: number): Arma {
  const part = (first: number, count: number, ofSeason: number, seasons: number) => {
    const plain = turned(stationary(at, first, count))
    return seasons === 0 ? plain : multiply(plain, turned(stationary(at, ofSeason, seasons)), season)
  }
  // An invertible moving average is a stationary autoregression with the signs turned.
  return { ar: turned(part(0, p, p + q, P)), ma: part(p, q, p + q + P, Q) }
}

/** In place: this is asked thousands of times. */
function turned(coefficients: Float64Array): Float64Array {
  for (let i = 0; i < coefficients.length; i++) coefficients[i] = -coefficients[i]!
  return coefficients
}

/** The expected values of the next steps of the differenced values. */
function ahead({ ar, ma }: Arma, values: Float64Array, errors: Float64Array, horizon: number): Float64Array {
  const n = values.length
  const found = new Float64Array(horizon)
  for (let h = 0; h < horizon; h++) {
    let sum = 0
    for (let i = 1; i <= ar.length; i++) sum += ar[i - 1]! * (h - i >= 0 ? found[h - i]! : (values[n + h - i] ?? 0))
    for (let i = h + 1; i <= ma.length; i++) sum += ma[i - 1]! * (errors[n + h - i] ?? 0)
    found[h] = sum
  }
  return found
}

/** Takes the differences back. */
function integrated(values: Float64Array, steps: Float64Array, { d, D }: ArimaOrders, season: number): Float64Array {
  const weights = withDifferences(new Float64Array(0), { d, D }, season)
  const n = values.length
  const found = Float64Array.from(steps)
  for (let h = 0; h < found.length; h++)
    for (let i = 1; i <= weights.length; i++)
      found[h] = found[h]! + weights[i - 1]! * (h - i >= 0 ? found[h - i]! : values[n + h - i]!)
  return found
}

/** phi(B) (1 - B)^d (1 - B^s)^D as the coefficients of an autoregression. */
function withDifferences(ar: Float64Array, { d, D }: Pick<ArimaOrders, 'd' | 'D'>, season: number): Float64Array {
  let product: Float64Array = ar.map(one => -one)
  for (let i = 0; i < d; i++) product = multiply(product, [-1], 1)
  for (let i = 0; i < D; i++) product = multiply(product, [-1], season)
  return product.map(one => -one)
}

function named(at: Float64Array, { p, q, P, Q, d, D, constant }: ArimaOrders, level: number): Record<string, number> {
  const parts: [string, number, number][] = [
    ['ar', 0, p],
    ['ma', p, q],
    ['sar', p + q, P],
    ['sma', p + q + P, Q],
  ]
  const found: Record<string, number> = {}
  for (const [name, first, count] of parts) {
    const sign = name.endsWith('ma') ? -1 : 1
    stationary(at.subarray(first, first + count)).forEach((one, i) => {
      found[`${name}${i + 1}`] = sign * one
    })
  }
  if (constant) found[d + D > 0 ? 'drift' : 'mean'] = level
  return found
}

function moments(values: Float64Array): { mean: number; deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return { mean, deviation: Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length) }
}
