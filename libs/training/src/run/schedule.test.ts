import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkParameters } from './check-parameters.ts'
import { learningRateAt } from './schedule.ts'

const rates = (schedule: string, warmup_steps: number, steps: number) => {
  const checked = checkParameters({ schedule, warmup_steps, learning_rate: 1 }, { inputs: [], outputs: [] })
  assert.ok('parameters' in checked)
  const { parameters } = checked
  return Array.from({ length: steps }, (_, at) =>
    Number(learningRateAt(parameters, { step: at + 1, steps }).toFixed(4)),
  )
}

test('the learning rate rises in the warm-up and then follows its schedule', () => {
  assert.deepEqual(rates('constant', 0, 3), [1, 1, 1])
  assert.deepEqual(rates('constant', 2, 4), [0.5, 1, 1, 1])
  assert.deepEqual(rates('linear', 0, 4), [1, 0.75, 0.5, 0.25])
  assert.deepEqual(rates('linear', 1, 5), [1, 1, 0.75, 0.5, 0.25])
  assert.deepEqual(rates('cosine', 0, 4), [1, 0.8536, 0.5, 0.1464])
  // A warm-up as long as the run, or longer.
  assert.deepEqual(rates('cosine', 4, 4), [0.25, 0.5, 0.75, 1])
  assert.deepEqual(rates('linear', 8, 2), [0.125, 0.25])
})
