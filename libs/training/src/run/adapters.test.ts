/** Adapters: what the model is with them is what it is once they are merged. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { type ModelProto, ModelProtoSchema } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import { evaluate } from '../gradient-check.fixture.ts'
import { openNetwork } from '../network.fixture.ts'
import { readTensor, writeTensor } from '../tensor-proto.ts'
import { TrainingRefused } from '../training-refused.ts'
import { addAdapters } from './adapters.ts'

const network = openNetwork({ seed: 6 })
const x = network.input('x', [3, 4])
const shared = network.weight([4, 4])
const first = network.node('MatMul', [network.node('MatMul', [x, shared]), shared])
const model = network.bytes(
  network.node('Gemm', [first, network.weight([5, 4]), network.weight([5])], { transB: 1n, alpha: 0.5 }),
)

const outputOf = async (bytes: Uint8Array) =>
  [...(await evaluate(bytes, network.batch)).values()][0]?.data as Float32Array

/** As training would, gives each of these tensors other values. */
function changed(bytes: Uint8Array, names: readonly string[]): Uint8Array {
  const whole: ModelProto = fromBinary(ModelProtoSchema, bytes)
  for (const [at, initializer] of (whole.graph?.initializer ?? []).entries()) {
    if (!names.includes(initializer.name)) continue
    const tensor = readTensor(initializer)
    const data = Float32Array.from(tensor.data as Float32Array, (value, place) => value + Math.sin(at * 10 + place))
    whole.graph?.initializer.splice(at, 1, writeTensor(initializer.name, { ...tensor, data }))
  }
  return toBinary(ModelProtoSchema, whole)
}

test('merged adapters give what the model with adapters gives', async () => {
  const { bytes, names = [], finish } = addAdapters(model, { rank: 2, seed: 1 })
  // Of two matrices, one of which two nodes share.
  assert.equal(names.length, 4)
  assert.deepEqual(await outputOf(bytes), await outputOf(model))
  const trained = changed(bytes, names)
  const merged = finish(trained)
  const [expected, actual] = [await outputOf(trained), await outputOf(merged)]
  assert.ok(expected.every((value, at) => Math.abs(value - (actual[at] as number)) < 1e-4 * (1 + Math.abs(value))))
  assert.notDeepEqual(actual, await outputOf(model))
  const operators = (file: Uint8Array) => fromBinary(ModelProtoSchema, file).graph?.node.map(({ opType }) => opType)
  assert.deepEqual(operators(merged), operators(model))
})

test('a rank beyond the matrix is that of the matrix', () => {
  const { bytes, names = [] } = addAdapters(model, { rank: 256, seed: 1 })
  const dims = fromBinary(ModelProtoSchema, bytes)
    .graph?.initializer.filter(({ name }) => names.includes(name))
    .map(each => each.dims.map(Number))
  assert.deepEqual(dims, [
    [4, 4],
    [4, 4],
    [5, 4],
    [4, 4],
  ])
})

test('a model without products is refused', () => {
  const other = openNetwork()
  const bytes = other.bytes(other.node('Mul', [other.input('x', [2, 2]), other.weight([2, 2])]))
  assert.throws(() => addAdapters(bytes, { rank: 2, seed: 1 }), TrainingRefused)
})
