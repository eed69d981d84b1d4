import assert from 'node:assert/strict'
import { it } from 'node:test'
import { onNoise, onPlanted } from './measure.ts'
import { lastingNoise, noise } from './noise.ts'

it('what is planted in 42 tables is found', async () => {
  const verdicts = await onPlanted()
  assert.deepEqual(
    verdicts.flatMap(({ found, planted }) => (found ? [] : [planted.name])),
    [],
  )
  assert.equal(verdicts.length, 42)
})

for (const [what, make] of [
  ['noise', noise],
  ['noise that lasts for days', lastingNoise],
] as const)
  it(`in at least 95 of 100 tables of ${what} nothing is found`, async () => {
    const found = await onNoise(100, undefined, make)
    const clean = found.filter(findings => findings.length === 0).length
    assert.ok(clean >= 95, `${clean} of 100; ${found.flat().map(({ statement }) => statement)}`)
  })
