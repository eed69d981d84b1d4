/** How many texts a batch of a run with adapters may have. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkParameters, ParametersInvalid, TrainingRefused } from '@millhand/training'
import { withBatchSize } from './prepare-layers.ts'

const encoder = { inputs: [], outputs: [], base: 'text' } as const

/** What a run takes whose longest text has so many tokens. */
function batchSize(own: { readonly batch_size?: number; readonly rank?: number }, tokens: number): number {
  const checked = checkParameters({ train: 'lora', ...own }, encoder)
  assert.ok('parameters' in checked)
  return withBatchSize(checked.parameters, { hasBatchSize: own.batch_size !== undefined, tokens }).batch_size
}

test('without a batch size a run takes as many texts as fit', () => {
  assert.deepEqual(
    [30, 64, 128, 256, 512].map(tokens => batchSize({}, tokens)),
    [32, 16, 8, 4, 1],
  )
  assert.equal(batchSize({ rank: 128 }, 64), 8)
})

test('a batch size that does not fit is refused with the largest that does', () => {
  assert.equal(batchSize({ batch_size: 16 }, 64), 16)
  assert.throws(() => batchSize({ batch_size: 17 }, 64), {
    name: ParametersInvalid.name,
    message: /^`parameters.batch_size` must be at most 16: the longest text has 64 tokens/,
  })
})

test('a text that fits no batch is refused with the most tokens, whatever the batch size', () => {
  for (const own of [{}, { batch_size: 1 }, { rank: 128 }]) {
    assert.throws(() => batchSize(own, 513), {
      constructor: TrainingRefused,
      message: 'the longest text has 513 tokens; adapters are trained on at most 512',
    })
  }
})
