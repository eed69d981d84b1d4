/** Bases whose operators and names could break a head on their features: none is lost, and none is there twice. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import {
  AttributeProto_AttributeType,
  GraphProtoSchema,
  type ModelProto,
  ModelProtoSchema,
  NodeProtoSchema,
} from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import type { Tensor } from '@millhand/model'
import { evaluate } from '../gradient-check.fixture.ts'
import { inputOf } from '../graph-input.ts'
import { openGraphWriter } from '../graph-writer.ts'
import { writeTensor } from '../tensor-proto.ts'
import { openFrozenBase } from './frozen-base.ts'
import { newHead } from './new-head.ts'

const floats = (shape: readonly number[], ...data: readonly number[]): Tensor => ({
  dtype: 'float32',
  shape,
  data: Float32Array.from(data),
})

/** A graph that gives a value of the graph around it, under a name. */
const branch = (value: string, output: string) =>
  create(GraphProtoSchema, {
    name: output,
    node: [{ opType: 'Identity', input: [value], output: [output] }],
    output: [{ name: output }],
  })

/** Its features are 2x + (10, 20) + (0, 5), under the name that the output of a head has. */
function base(): ModelProto {
  const writer = openGraphWriter(20)
  const { graph } = writer
  graph.input.push(inputOf('x', 'float32', [1, 2]))
  writer.initializer('condition', { dtype: 'bool', shape: [], data: Uint8Array.of(1) })
  writer.initializer('head/weights', floats([2], 10, 20))
  writer.initializer('last', floats([2, 3], 1, 2, 3, 4, 5, 6))
  graph.sparseInitializer.push({
    $typeName: 'onnx.SparseTensorProto',
    values: writeTensor('few', floats([1], 5)),
    indices: writeTensor('', { dtype: 'int64', shape: [1], data: BigInt64Array.of(1n) }),
    dims: [2n],
  })
  writer.add('Add', ['x', 'x'], {}, 'doubled')
  const type = AttributeProto_AttributeType.GRAPH
  writer.copy(
    create(NodeProtoSchema, {
      opType: 'If',
      input: ['condition'],
      output: ['chosen'],
      attribute: [
        { name: 'then_branch', type, g: branch('doubled', 'head/bias') },
        { name: 'else_branch', type, g: branch('doubled', 'other') },
      ],
    }),
  )
  writer.add('Add', ['chosen', 'head/weights'], {}, 'more')
  writer.add('Add', ['more', 'few'], {}, 'scores')
  writer.output(writer.add('MatMul', ['scores', 'last'], {}, 'out'))
  return create(ModelProtoSchema, { irVersion: 8n, opsetImport: [{ domain: '', version: 20n }], graph })
}

const x = new Map([['x', floats([1, 2], 1, 2)]])
const numbersOf = (outputs: ReadonlyMap<string, Tensor>) =>
  [...outputs.values()].map(({ data }) => [...data].map(Number))

test('features are those of all that they are made of, values that graphs inside see and sparse ones too', async () => {
  const { featureModel, features } = openFrozenBase(toBinary(ModelProtoSchema, base()), NO_ENCODER)
  assert.equal(features, 'scores')
  assert.deepEqual(numbersOf(await evaluate(featureModel(), x)), [[12, 29]])
})

test('a head whose names are those of the base takes others', async () => {
  const head = fromBinary(ModelProtoSchema, newHead(2, ['a', 'b'], 2 ** 20).bytes)
  head.graph?.initializer.splice(
    0,
    2,
    ...[writeTensor('head/weights', floats([2, 2], 1, 0, 1, 2)), writeTensor('head/bias', floats([2], 100, 200))],
  )
  const { withHead } = openFrozenBase(toBinary(ModelProtoSchema, base()), NO_ENCODER)
  const whole = withHead(toBinary(ModelProtoSchema, head))
  assert.deepEqual(numbersOf(await evaluate(whole, x)), [[141, 258]])
})

const NO_ENCODER = { isEncoder: false, metadata: new Map<string, string>() }
