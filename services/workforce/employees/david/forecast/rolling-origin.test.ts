/** What is held back of a series, and who sees it. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { tryCandidates } from './rolling-origin.ts'

const HORIZON = 6
const MONTHS = 96

/** Sales that grow, with a season; from `changed` on they are something else. */
const sales = (changed = MONTHS) =>
  Float64Array.from({ length: MONTHS }, (_, t) => {
    const noise = Math.sin(t * t * 12.9898)
    return t < changed ? 100 + t + 20 * Math.sin((t * Math.PI) / 6) + 4 * noise : 200 + 100 * noise
  })

it('no model is chosen or estimated on what it is judged on, at any origin', () => {
  const told = tryCandidates(sales(), [12], HORIZON)
  const origins = told[0]?.trials.map(({ origin }) => origin) ?? []
  assert.equal(origins.length, 8)
  for (const origin of origins) {
    const other = tryCandidates(sales(origin), [12], HORIZON)
    for (const { candidate, trials } of told) {
      const [before, after] = [trials, other.find(one => one.candidate === candidate)?.trials].map(all =>
        all?.find(trial => trial.origin === origin)?.outlook.quantile(0.5),
      )
      assert.deepEqual(after, before, `${candidate.id} at ${origin}`)
    }
  }
})
