/**
 * The orders of an ARIMA model by the stepwise search of Hyndman and Khandakar, "Automatic time series forecasting: the
 * forecast package for R" (2008), section 3.2: from four simple models to the neighbour with the least corrected Akaike
 * criterion, until none is better.
 */
import { type ArimaOrders, type FittedArima, fitArima } from './arima.ts'
import { differencing } from './differencing.ts'

const MOST = { p: 5, q: 5, P: 2, Q: 2 } as const
/** The exact likelihood takes the square of the length; of more values than this it hardly differs. */
const MOST_EXACT = 500
/** Models that are tried. */
const TRIES = 60

export function fitAutoArima(values: Float64Array, season: number): FittedArima | undefined {
  const m = values.length >= 2 * season + 5 ? season : 1
  const { d, D } = differencing(values, m)
  const canDrift = d + D <= 1
  const quickly = m >= 12 || values.length > 100
  const tried = new Set<string>()
  let best: FittedArima | undefined
  const attempt = (orders: ArimaOrders): boolean => {
    const { p, q, P, Q, constant } = orders
    const key = `${p} ${q} ${P} ${Q} ${constant}`
    if (
      tried.has(key) ||
      tried.size >= TRIES ||
      p > MOST.p ||
      q > MOST.q ||
      P > MOST.P ||
      Q > MOST.Q ||
      Math.min(p, q, P, Q) < 0
    )
      return false
    tried.add(key)
    const found = fitArima(orders, values, m, { quickly })
    if (found === undefined || !(found.aicc < (best?.aicc ?? Number.POSITIVE_INFINITY))) return false
    best = found
    return true
  }

  const seasonal = m > 1 ? 1 : 0
  const model = (p: number, q: number, P: number, Q: number, constant = canDrift): ArimaOrders => ({
    p,
    d,
    q,
    P: P * seasonal,
    D,
    Q: Q * seasonal,
    constant,
  })
  for (const first of [
    model(2, 2, 1, 1),
    model(0, 0, 0, 0),
    model(1, 0, 1, 0),
    model(0, 1, 0, 1),
    model(0, 0, 0, 0, false),
  ])
    attempt(first)

  for (let better = true; better && best !== undefined; ) {
    const { p, q, P, Q, constant } = best.orders
    better = neighbours(seasonal > 0).some(([dp, dq, dP, dQ]) =>
      attempt({ d, D, p: p + dp, q: q + dq, P: P + dP, Q: Q + dQ, constant }),
    )
    if (!better && canDrift) better = attempt({ ...best.orders, constant: !constant })
  }
  return quickly && best && values.length <= MOST_EXACT
    ? (fitArima(best.orders, values, m, { from: best.at }) ?? best)
    : best
}

/** What a step changes: one order, or the two of the season or of the rest together. */
function neighbours(seasonal: boolean): readonly (readonly [number, number, number, number])[] {
  const season = [
    [0, 0, -1, 0],
    [0, 0, 0, -1],
    [0, 0, 1, 0],
    [0, 0, 0, 1],
    [0, 0, -1, -1],
    [0, 0, -1, 1],
    [0, 0, 1, -1],
    [0, 0, 1, 1],
  ] as const
  const rest = [
    [-1, 0, 0, 0],
    [0, -1, 0, 0],
    [1, 0, 0, 0],
    [0, 1, 0, 0],
    [-1, -1, 0, 0],
    [-1, 1, 0, 0],
    [1, -1, 0, 0],
    [1, 1, 0, 0],
  ] as const
  return seasonal ? [...season, ...rest] : rest
}
