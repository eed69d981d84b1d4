/** A card is part of an output, which has a bound. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MOST_LABEL_CHARACTERS } from '../frozen/new-classes.ts'
import { checkParameters } from './check-parameters.ts'
import { cardOf } from './training-card.ts'

test('the card of as many epochs, classes and metrics as can be fits an output', () => {
  const labels = Array.from({ length: 100 }, (_, at) => `${at % 10}${'漢'.repeat(200)}`)
  const model = {
    inputs: [{ name: 'x', dtype: 'float32', shape: [-1, 64] }],
    outputs: [{ name: 'y', dtype: 'float32', shape: [-1, 100] }],
    labels,
  } as const
  const checked = checkParameters({ epochs: 1000, metrics: ['accuracy', 'precision', 'recall', 'f1'] }, model)
  assert.ok('parameters' in checked)
  const score = 0.000_123_456_789_012_345_67
  const scores = { loss: score, accuracy: score, precision: score, recall: score, f1: score }
  const curves = Array.from({ length: 1000 }, (_, at) => ({
    ...{ epoch: at + 1, step: (at + 1) * 500_000, learning_rate: score, loss: score, validation: scores },
  }))
  const card = cardOf(
    {
      parent: { model: 'model_01kaje5z1cf6tvnyxkkhbm3v8h', digest: 'sha256:' },
      examples: { sha256: '', bytes: 1e9, count: 1e6 },
      ...{ model, parameters: checked.parameters, versions: {} },
    },
    {
      split: { learned: new Uint32Array(500_000), heldOut: new Uint32Array(500_000) },
      ...{ curves, bestEpoch: 1000, ended: 'completed' },
      scores: { scores, confusion: labels.map(() => labels.map(() => 50)) },
    },
  )
  const named = { ...card, labels: labels.map(label => label.slice(0, MOST_LABEL_CHARACTERS)) }
  const bytes = Buffer.byteLength(JSON.stringify(named))
  assert.ok(bytes < 256 * 1024 - 1024, `${bytes} bytes`)
  assert.deepEqual(card.curves[0]?.validation?.loss, 0.000_123_46)
  assert.deepEqual(card.metrics, scores)
  assert.ok(card.confusion_matrix?.labels[1]?.startsWith('1漢漢'))
})
