/**
 * David beside R's `forecast`, on real series, held to his bars: the last horizon of each. `pnpm bench workforce` shows the same for
 * all windows.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { david } from './david.ts'
import { naive2 } from './naive2.ts'
import { asked, METHODS, recorded, referenceMissing } from './reference.ts'
import { owa, scoreOf } from './score.ts'
import { collected, type Window, windowsOf } from './windows.ts'

describe('forecasts of real series', () => {
  const windows = windowsOf('judged').filter(({ id }) => id.endsWith('/0'))
  const reference = recorded()
  const own = scoreOf(windows, david)
  const others = METHODS.map(method => scoreOf(windows, window => reference(window, method)))

  it('are of at least 40 series, yearly to hourly, none of which set a constant', () => {
    const judged = collected.filter(({ role }) => role === 'judged')
    assert.ok(judged.length >= 40)
    for (const frequency of ['yearly', 'quarterly', 'monthly', 'weekly', 'daily', 'hourly'])
      assert.ok(
        judged.some(series => series.frequency === frequency),
        frequency,
      )
    const tuning = new Set(
      collected.filter(({ role }) => role === 'tuning').map(({ values }) => values.slice(-40).join()),
    )
    assert.deepEqual(
      judged.filter(({ values }) => tuning.has(values.slice(-40).join())).map(({ name }) => name),
      [],
    )
  })

  it("are no worse than the best of R's ets, thetaf and auto.arima, in MASE and in sMAPE", () => {
    for (const measure of ['mase', 'smape'] as const) {
      const best = Math.min(...others.map(score => score[measure]))
      assert.ok(own[measure] <= best, `${measure}: ${own[measure]}, R's best ${best}`)
    }
  })

  it('have an OWA of at most 0.90 against Naive2', () => {
    const against = owa(own, scoreOf(windows, naive2))
    assert.ok(against <= 0.9, `${against}`)
  })

  it('have 95 % intervals that cover 90 to 98 % of what came', () => {
    assert.ok(own.coverage >= 90 && own.coverage <= 98, `${own.coverage}`)
  })
})

describe('what is recorded of R', { skip: referenceMissing }, () => {
  it('is what R says', () => {
    const some: readonly Window[] = windowsOf('judged').filter(({ id }) =>
      [
        'R datasets/Nile/0',
        'R datasets/JohnsonJohnson/0',
        'statsmodels/macrodata.unemp/1',
        'R datasets/USAccDeaths/0',
      ].includes(id),
    )
    assert.equal(some.length, 4)
    const [now, then] = [asked(some), recorded()]
    for (const window of some)
      for (const method of METHODS)
        for (const part of ['points', 'lower', 'upper'] as const)
          now(window, method)[part]?.forEach((value, h) => {
            const before = then(window, method)[part]?.[h] ?? Number.NaN
            assert.ok(
              Math.abs(value - before) <= 1e-4 * Math.max(1, Math.abs(before)),
              `${window.id} ${method}: ${value}, recorded ${before}`,
            )
          })
  })
})
