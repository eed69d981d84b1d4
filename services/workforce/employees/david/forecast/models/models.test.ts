/** The models, beside what R 4.2 and its packages stats and forecast 8.20 say of the same series. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { adjusted } from './adjusted.ts'
import { type ArimaOrders, fitArima } from './arima.ts'
import { fitAutoArima } from './auto-arima.ts'
import { fitBestEts } from './auto-ets.ts'
import { seasonalIndices } from './decompose.ts'
import { differencing } from './differencing.ts'
import { fitEts } from './ets.ts'
import { logarithmic } from './logarithmic.ts'
import type { Fitted } from './model.ts'
import { fitSeasonalNaive } from './naive.ts'
import { nelderMead } from './nelder-mead.ts'
import { accidentalDeaths, airPassengers, lakeHuron } from './series-of-r.fixture.ts'
import { mstl } from './stl.ts'
import { fitTheta } from './theta.ts'

const near = (actual: number | undefined, expected: number, tolerance: number) =>
  assert.ok(Math.abs((actual ?? Number.NaN) - expected) <= tolerance, `${actual} is not ${expected} ± ${tolerance}`)

/** The points of the next steps, and the half of the 95 % interval. */
function said(fitted: Fitted | undefined, horizon: number): readonly (readonly [number, number])[] {
  assert.ok(fitted)
  const outlook = fitted.outlook(horizon)
  const upper = outlook.quantile(1.959964)
  return Array.from(outlook.quantile(0), (point, h) => [point, (upper[h] ?? 0) - point])
}

describe('ARIMA', () => {
  const orders = (p: number, d: number, q: number, P = 0, D = 0, Q = 0): ArimaOrders => ({
    p,
    d,
    q,
    P,
    D,
    Q,
    constant: d + D === 0,
  })

  for (const [title, values, season, of, aicc, parameters, [point, half]] of [
    [
      'ARIMA(0,1,1)(0,1,1)[12] of accidental deaths',
      accidentalDeaths,
      12,
      orders(0, 1, 1, 0, 1, 1),
      857.32,
      { ma1: -0.4303, sma1: -0.5528 },
      [8336.061, 628.9],
    ],
    [
      'ARIMA(2,1,1)(0,1,0)[12] of air passengers',
      airPassengers,
      12,
      orders(2, 1, 1, 0, 1, 0),
      1018.165,
      { ar1: 0.596, ar2: 0.2143, ma1: -0.9819 },
      [445.6349, 22.4],
    ],
    [
      'ARIMA(2,0,0) with mean of Lake Huron',
      lakeHuron,
      1,
      orders(2, 0, 0),
      215.6966,
      { ar1: 1.0436, ar2: -0.2495, mean: 579.0473 },
      [579.7896, 1.36],
    ],
  ] as const) {
    it(`estimates ${title} as R does`, () => {
      const fitted = fitArima(of, values, season)
      near(fitted?.aicc, aicc, 0.02)
      for (const [name, value] of Object.entries(parameters))
        near(fitted?.parameters[name], value, Math.abs(value) * 0.005)
      const [[first, spread] = [0, 0]] = said(fitted, 1)
      near(first, point, Math.abs(point) * 2e-4)
      near(spread, half, half * 0.02)
    })
  }

  it('differences as often as R: the season by its strength, the rest by KPSS', () => {
    assert.deepEqual(differencing(airPassengers, 12), { d: 1, D: 1 })
    assert.deepEqual(differencing(lakeHuron, 1), { d: 1, D: 0 })
    assert.deepEqual(
      differencing(
        Float64Array.from({ length: 60 }, (_, t) => Math.sin(t * t)),
        1,
      ),
      { d: 0, D: 0 },
    )
  })

  it('finds orders no worse than the ones that R finds', () => {
    const found = fitAutoArima(airPassengers, 12)
    assert.equal(found?.form.endsWith('[12]'), true)
    assert.ok((found?.aicc ?? 0) <= 1018.165 + 2, `${found?.form} ${found?.aicc}`)
  })
})

describe('exponential smoothing', () => {
  it('estimates ETS(A,N,N) of Lake Huron as R does', () => {
    const fitted = fitEts({ error: 'A', trend: 'N', season: 'N' }, lakeHuron, 1)
    near(fitted?.aicc, 396.9331, 0.05)
    near(fitted?.parameters.alpha, 0.9999, 0.001)
  })

  it('estimates ETS(A,N,A) of accidental deaths at least as well as R, with the same outlook', () => {
    const fitted = fitEts({ error: 'A', trend: 'N', season: 'A' }, accidentalDeaths, 12)
    assert.ok((fitted?.aicc ?? 2000) <= 1148.716, `${fitted?.aicc}`)
    const rs = [
      [8397.497, 573.7],
      [7599.221, 667.4],
      [8396.595, 749.5],
    ] as const
    said(fitted, 3).forEach(([point, half], h) => {
      near(point, rs[h]?.[0] ?? 0, 100)
      near(half, rs[h]?.[1] ?? 0, 100)
    })
  })

  it('sees that air passengers have a trend and a season that grows with it', () => {
    const fitted = fitBestEts(airPassengers, 12, ['N', 'A', 'Ad'])
    assert.match(fitted?.form ?? '', /^ETS\(M,Ad?,M\)$/)
    assert.ok((fitted?.aicc ?? 2000) <= 1400.638 + 1, `R's best has 1400.638, this ${fitted?.aicc}`)
  })

  it('has no multiplicative form of values that are not all positive', () => {
    const values = lakeHuron.map(value => value - 579)
    assert.equal(fitEts({ error: 'M', trend: 'N', season: 'N' }, values, 1), undefined)
    assert.ok(fitBestEts(values, 1, ['N', 'A']))
  })
})

describe('decompositions', () => {
  it('STL splits air passengers as R does with locally linear seasons', () => {
    const { seasons, trend } = mstl(airPassengers, [12])
    const rs = [
      [0, -8.8492, 121.3013],
      [1, 1.1354, 122.2088],
      [70, -54.2267, 254.9099],
      [143, -60.1757, 494.3934],
    ]
    for (const [t = 0, season = 0, level = 0] of rs) {
      near(seasons[0]?.[t], season, 1e-4)
      near(trend[t], level, 1e-4)
    }
  })

  it('classical decomposition finds the indices that R finds', () => {
    const indices = seasonalIndices(airPassengers, 12, 'M') ?? []
    near(indices[0], 0.91023, 1e-5)
    near(indices[6], 1.22656, 1e-5)
    near(indices[10], 0.80118, 1e-5)
  })

  it('STL takes two seasons apart and puts both back on', () => {
    const wave = (t: number) => 10 * Math.sin((2 * Math.PI * t) / 6) + 5 * Math.cos((2 * Math.PI * t) / 30)
    const values = Float64Array.from({ length: 150 }, (_, t) => 100 + t / 10 + wave(t))
    const fitted = adjusted(values, [6, 30], flat => fitEts({ error: 'A', trend: 'A', season: 'N' }, flat, 1))
    for (const [h, [point]] of said(fitted, 30).entries()) near(point, 115 + h / 10 + wave(150 + h), 0.5)
  })
})

describe('simple models', () => {
  it('Theta goes on with a line', () => {
    const fitted = fitTheta(
      Float64Array.from({ length: 40 }, (_, t) => 50 + 2 * t),
      1,
    )
    for (const [h, [point]] of said(fitted, 5).entries()) near(point, 130 + 2 * h, 1)
  })

  it('Theta takes the season out and puts it back on', () => {
    const fitted = fitTheta(airPassengers, 12)
    assert.match(fitted?.form ?? '', /multiplicative season/)
    const [[january] = [0]] = said(fitted, 1)
    near(january, 445, 20)
  })

  it('the seasonal naive method repeats the last season, and is less sure of the one after', () => {
    const outlook = said(fitSeasonalNaive(Float64Array.of(1, 2, 3, 2, 3, 4), 3), 4)
    assert.deepEqual(
      outlook.map(([point]) => point),
      [2, 3, 4, 2],
    )
    near(outlook[3]?.[1], Math.SQRT2 * 1.959964, 1e-4)
  })

  it('of logarithms, growth by a share goes on as growth by a share', () => {
    const values = Float64Array.from({ length: 30 }, (_, t) => 100 * 1.05 ** t)
    const fitted = logarithmic(values, logs => fitEts({ error: 'A', trend: 'A', season: 'N' }, logs, 1))
    for (const [h, [point]] of said(fitted, 3).entries()) near(point, 100 * 1.05 ** (30 + h), 2)
    assert.equal(
      logarithmic(Float64Array.of(1, 0, 2), () => fitted),
      undefined,
    )
  })

  it('of logarithms, nothing is a thousand times what was ever seen', () => {
    const jagged = Float64Array.of(1, 900, 2, 800, 1, 900, 1, 5, 700, 1)
    const fitted = logarithmic(jagged, logs => fitSeasonalNaive(logs, 1))
    assert.ok(fitted)
    assert.equal(fitted.outlook(30).quantile(50).at(-1), Math.exp(Math.log(900) + Math.log(1000)))
    assert.ok((fitted.outlook(30).quantile(-50).at(-1) ?? 0) > 0)
  })

  it("Nelder and Mead's search comes to the end of Rosenbrock's valley", () => {
    const banana = (at: Float64Array) => (1 - (at[0] ?? 0)) ** 2 + 100 * ((at[1] ?? 0) - (at[0] ?? 0) ** 2) ** 2
    const { at } = nelderMead(banana, [-1.2, 1], { steps: [0.5, 0.5], evaluations: 2000, tolerance: 1e-14 })
    near(at[0], 1, 1e-3)
    near(at[1], 1, 1e-3)
  })
})
