import assert from 'node:assert/strict'
import { it } from 'node:test'
import { onNoise, onPlanted } from './measure.ts'
import { lastingNoise, noise } from './noise.ts'

it('what is planted in 42 tables is found, and next to nothing besides', async () => {
  const verdicts = await onPlanted()
  assert.deepEqual(
    verdicts.flatMap(({ found, planted }) => (found ? [] : [planted.name])),
    [],
  )
  assert.equal(verdicts.length, 42)
  // One in a hundred may have a finding beside it: more than two have in 1 % of runs.
  const besides = verdicts.filter(({ others }) => others.length > 0)
  assert.ok(besides.length <= 2, besides.map(({ planted }) => planted.name).join())
})

for (const [what, make] of [
  ['noise', noise],
  ['noise that lasts for days', lastingNoise],
] as const)
  it(`of 100 tables of ${what} no more have a finding than the one that is promised, and chance`, async () => {
    const found = await onNoise(100, undefined, make)
    const clean = found.filter(findings => findings.length === 0).length
    // Where one in a hundred has, more than five of a hundred have in 0.05 % of runs.
    assert.ok(clean >= 95, `${clean} of 100; ${found.flat().map(({ statement }) => statement)}`)
  })
