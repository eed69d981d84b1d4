import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shippedModel } from '../onnx/models.fixture.ts'
import { mockTraining } from './mock-training.ts'
import { SeededRandom } from './seeded-random.ts'

const outputOf = (parameters: object) => {
  const made = mockTraining(shippedModel('digits'), new SeededRandom('digits', '', ''), '{"input":[0', {
    ...parameters,
  })
  return JSON.parse(String(made?.output))
}

test('of a file whose beginning is no line there are metrics all the same, unless nothing is held out', () => {
  const { metrics, card } = outputOf({})
  assert.ok(metrics.accuracy > 0.5 && metrics.loss > 0, JSON.stringify(metrics))
  assert.ok(card.data.held_out > 0 && card.data.trained_on > 0)
  assert.deepEqual(outputOf({ validation_split: 0 }).metrics, {})
})

test('without a batch size the card says as many as are trained on', () => {
  assert.equal(outputOf({}).card.parameters.batch_size, 1)
  assert.equal(outputOf({ batch_size: 8 }).card.parameters.batch_size, 8)
})
