import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { ModelProtoSchema } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import { smallEncoder } from './frozen/encoder.fixture.ts'
import { writeTensor } from './tensor-proto.ts'
import { writeModel } from './write-model.ts'

test('what is written is read as the same model', () => {
  const model = fromBinary(ModelProtoSchema, smallEncoder({ layers: 2 }))
  model.metadataProps.push({ $typeName: 'onnx.StringStringEntryProto', key: 'a', value: 'b' })
  model.graph?.initializer.push(
    // Of a length that takes four bytes, and of none.
    writeTensor('large', { dtype: 'float32', shape: [600_000], data: new Float32Array(600_000).fill(3) }),
    writeTensor('empty', { dtype: 'float32', shape: [0], data: new Float32Array(0) }),
    { ...writeTensor('fields', { dtype: 'float32', shape: [2], data: new Float32Array(0) }), floatData: [1, 2] },
  )
  const written = fromBinary(ModelProtoSchema, writeModel(model))
  assert.ok(Buffer.from(toBinary(ModelProtoSchema, written)).equals(toBinary(ModelProtoSchema, model)))
})

test('a model without a graph has none', () => {
  const model = create(ModelProtoSchema, { irVersion: 8n })
  assert.deepEqual(writeModel(model), toBinary(ModelProtoSchema, model))
})
