import assert from 'node:assert/strict'
import { it } from 'node:test'
import { onNoise, onPlanted } from './measure.ts'

it('what is planted in 42 tables is found', async () => {
  const verdicts = await onPlanted()
  assert.deepEqual(
    verdicts.flatMap(({ found, planted }) => (found ? [] : [planted.name])),
    [],
  )
  assert.equal(verdicts.length, 42)
})

it('in at least 95 of 100 tables of noise nothing is found', async () => {
  const found = await onNoise(100)
  const clean = found.filter(findings => findings.length === 0).length
  assert.ok(clean >= 95, `${clean} of 100; ${found.flat().map(({ statement }) => statement)}`)
})
