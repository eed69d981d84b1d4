import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Dtype } from './dtype.ts'
import { parseManifest, type TensorSpec } from './manifest.ts'
import { processingFault } from './processing-fault.ts'

const numbers = { preprocess: { name: 'numbers', count: 4, shape: [2, 2] } }
const picture = { preprocess: { name: 'image', width: 3, height: 2 } }
const text = { preprocess: { name: 'text' } }
const classify = { postprocess: { name: 'classify' } }

type Shape = readonly number[]
const spec = (dtype: Dtype, shape: Shape): TensorSpec => ({ name: 'v', dtype, shape })

const faultOf = (fields: object, input: TensorSpec, output: TensorSpec = spec('float32', [-1, 3])) =>
  processingFault(parseManifest(JSON.stringify({ name: 'x', ...fields })), [input], [output])

const fits: [what: string, fields: object, input: TensorSpec, output?: TensorSpec][] = [
  ['numbers for any rows', numbers, spec('int8', [-1, 2, 2])],
  ['numbers for a shape that is not known', numbers, spec('float64', [])],
  ['a picture of floats', picture, spec('float16', [1, 3, 2, 3])],
  ['a picture of bytes', picture, spec('uint8', [-1, 3, -1, -1])],
  ['text of one axis, and of two', text, spec('string', [-1])],
  ['text of two axes', text, spec('string', [1, 1])],
  ['scores in one row', classify, spec('int64', [1]), spec('float32', [1, 10])],
  ['scores without a row', classify, spec('int64', [1]), spec('float64', [10])],
  ['scores of any number', classify, spec('int64', [1]), spec('float16', [-1, -1])],
  ['scores that SqueezeNet gives', classify, spec('int64', [1]), spec('float32', [1, 1000, 1, 1])],
]

for (const [what, fields, input, output] of fits)
  test(`processing goes with ${what}`, () => assert.equal(faultOf(fields, input, output), undefined))

const refused: [what: string, fields: object, input: TensorSpec, output: TensorSpec | undefined, says: RegExp][] = [
  ['numbers for texts', numbers, spec('string', [-1]), undefined, /`preprocess` numbers does not go with .* string/],
  ['a picture for int64', picture, spec('int64', [1, 3, 2, 3]), undefined, /image does not go with an input of int64/],
  ['a picture for int32', picture, spec('int32', [1, 3, 2, 3]), undefined, /image does not go with an input of int32/],
  ['a picture for bool', picture, spec('bool', [1, 3, 2, 3]), undefined, /image does not go with an input of bool/],
  ['text for numbers', text, spec('float32', [1]), undefined, /text does not go with an input of float32/],
  ['text of three axes', text, spec('string', [1, 1, 1]), undefined, /makes .* \[1\], .* takes \[1,1,1\]/],
  ['another count', numbers, spec('float32', [-1, 2, 3]), undefined, /makes .* \[1,2,2\], .* takes \[-1,2,3\]/],
  ['another rank', numbers, spec('float32', [-1, 4]), undefined, /makes .* \[1,2,2\], .* takes \[-1,4\]/],
  ['several rows', numbers, spec('float32', [4, 2, 2]), undefined, /makes .* \[1,2,2\], .* takes \[4,2,2\]/],
  ['a picture of another size', picture, spec('float32', [1, 3, 3, 2]), undefined, /makes .* \[1,3,2,3\]/],
  ['a picture of another layout', picture, spec('float32', [1, 2, 3, 3]), undefined, /makes .* \[1,3,2,3\]/],
  ['no floats', classify, spec('int64', [1]), spec('int64', [1, 3]), /`postprocess` classify needs .* floats/],
  ['several rows of scores', classify, spec('int64', [1]), spec('float32', [2, 3]), /one row of scores.* \[2,3\]/],
  ['scores of each word', classify, spec('int64', [1]), spec('float32', [-1, 5, 3]), /one row of scores/],
]

for (const [what, fields, input, output, says] of refused)
  test(`processing does not go with ${what}`, () => {
    const fault = faultOf(fields, input, output)
    assert.match(fault?.message ?? '', says)
    assert.equal(fault?.field, Object.keys(fields)[0])
  })

test('a model that takes several inputs has no preprocess', () => {
  const input = spec('float32', [-1, 2, 2])
  const manifest = parseManifest(JSON.stringify({ name: 'x', ...numbers }))
  assert.match(processingFault(manifest, [input, input], [])?.message ?? '', /one input; this one has 2/)
})
