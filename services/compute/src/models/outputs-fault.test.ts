import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outputsFault } from './outputs-fault.ts'
import type { TaskModel } from './task-models.ts'

const model = {
  model: {
    manifest: { processing: { kind: 'single', postprocess: { name: 'tensors' } } },
    outputs: [{ name: 'y', dtype: 'float32', shape: [1] }],
  },
  hiddenOutputs: { z: 'it is a sequence' },
} as unknown as TaskModel

const faultOf = (outputs: unknown) => outputsFault(model, { outputs }, false)

test('outputs are a list of different names', () => {
  assert.equal(faultOf(['y']), undefined)
  for (const asked of ['y', 1, null, {}, [], ['y', 'y'], [1], [null], [['y']], [{}], [{ toString: 1 }], ['y', {}]])
    assert.equal(faultOf(asked)?.code, 'invalid', JSON.stringify(asked))
})

test('an output that there is not, or that is left out, is told', () => {
  assert.match(faultOf(['x'])?.message ?? '', /no output `x`; it has `y`/)
  assert.match(faultOf(['toString'])?.message ?? '', /no output `toString`/)
  assert.match(faultOf(['z'])?.message ?? '', /can't be asked for: it is a sequence/)
})
