import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { create, toBinary } from '@bufbuild/protobuf'
import { CreateTaskRequestSchema } from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import { ModelProtoSchema } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import type { ModelPackage } from '@millhand/model'
import type { TaskModel } from '../models/task-models.ts'
import { IncludedTraining, trainableParts, trainingFault } from './trainability.ts'
import { trainingFaults } from './training-faults.ts'

const MIB = 2 ** 20
const model = { id: 'digits', inputs: [], outputs: [], manifest: { processing: { kind: 'single', preprocess: {} } } }

const faults = (fileBytes: number, parameters: Record<string, string | number>) => {
  const found = { model, trainingFault: () => undefined, fileBytes: () => fileBytes } as unknown as TaskModel
  return trainingFaults(found, create(CreateTaskRequestSchema, { parameters }), 'live')
}

test('a run whose checkpoints would be too large is refused', () => {
  const [fault, ...others] = faults(16 * MIB, {})
  assert.deepEqual([fault?.param, others], ['parameters.optimizer', []])
  assert.match(fault?.message ?? '', /up to 65 MiB .* may have 64/)
  for (const parameters of [{ optimizer: 'sgd' }, { validation_split: 0 }, { train: 'head' }, { train: 'lora' }])
    assert.deepEqual(faults(16 * MIB, parameters), [], JSON.stringify(parameters))
  assert.deepEqual(faults(15 * MIB, {}), [])
})

test('adapters are refused for a model of texts whose file has no layers for them', () => {
  const text = {
    ...{ id: 'encoder', inputs: [], outputs: [] },
    manifest: { processing: { kind: 'single', preprocess: { name: 'tokens' } } },
  } as unknown as ModelPackage
  const whole = { bytes: 1, opsets: { 'ai.onnx': 17 }, operators: ['Gather', 'MatMul', 'Softmax'] }
  for (const [file, said] of [
    [whole, undefined],
    [{ ...whole, operators: ['Gather', 'MatMul'] }, /no layers of attention/],
    [{ ...whole, opsets: { 'ai.onnx': 11 } }, /version 11, older than 13/],
  ] as const) {
    const faultOf: TaskModel['trainingFault'] = part => trainingFault(text, file, part)
    assert.deepEqual(trainableParts(text, faultOf), said ? ['head'] : ['head', 'lora'])
    const found = { model: text, trainingFault: faultOf, fileBytes: () => 1 } as unknown as TaskModel
    const asked = (train: string) =>
      trainingFaults(found, create(CreateTaskRequestSchema, { parameters: { train } }), 'live')
    assert.deepEqual(asked('head'), [])
    assert.deepEqual(
      asked('lora').map(({ param }) => param),
      said ? ['parameters.train'] : [],
    )
    if (said) assert.match(asked('lora')[0]?.message ?? '', said)
  }
})

const numbers = (files: object = {}) =>
  ({
    ...{ id: 'network', version: '1', files, inputs: [{ name: 'x', dtype: 'float32', shape: [-1, 4] }], outputs: [] },
    manifest: { format: 'onnx', processing: { kind: 'single', preprocess: { name: 'tensors' } } },
  }) as unknown as ModelPackage

/** What is listed, and the faults of tasks that ask for each part. */
function partsAndFaults(model: ModelPackage, faultOf: TaskModel['trainingFault']) {
  const found = { model, trainingFault: faultOf, fileBytes: () => 1 } as unknown as TaskModel
  const asked = (train: string) =>
    trainingFaults(found, create(CreateTaskRequestSchema, { parameters: { train } }), 'live')
  return {
    parts: trainableParts(model, faultOf),
    faults: ['all', 'head', 'lora'].flatMap(train => asked(train).map(({ message }) => message)),
  }
}

const WITHOUT_PRODUCT = {
  parts: ['all'],
  faults: ['head', 'lora'].map(
    part =>
      `\`parameters.train\` can't be ${part} for this model: it has no product (Gemm or MatMul); \`all\` of it can be trained.`,
  ),
}

test('of a network without a product neither a head nor adapters are listed or accepted', () => {
  const partsWith = (...operators: string[]) => {
    const file = { bytes: 1, opsets: { 'ai.onnx': 17 }, operators }
    return partsAndFaults(numbers(), part => trainingFault(numbers(), file, part))
  }
  for (const operator of ['Conv', 'Gather']) assert.deepEqual(partsWith(operator, 'Relu'), WITHOUT_PRODUCT)
  for (const operator of ['Gemm', 'MatMul'])
    assert.deepEqual(partsWith('Conv', operator), { parts: ['all', 'head', 'lora'], faults: [] })
})

test('an operator that training does not go through is refused by name at create', () => {
  const file = { bytes: 1, opsets: { 'ai.onnx': 17 }, operators: ['Gemm', 'Clip', 'Relu', 'Constant'] }
  const { parts, faults } = partsAndFaults(numbers(), part => trainingFault(numbers(), file, part))
  assert.deepEqual(parts, [])
  assert.equal(
    faults[0],
    "The model `network` can't be trained: it has operators that training does not go through: Clip.",
  )
})

test('a network of the deployment without a product has no head and no adapters either', t => {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-network-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'model.onnx')
  const type = { value: { case: 'tensorType' as const, value: { elemType: 1, shape: {} } } }
  const graph = {
    node: [{ opType: 'Conv', input: ['x', 'w'], output: ['y'] }],
    ...{ input: [{ name: 'x', type }], output: [{ name: 'y', type }] },
  }
  const opsetImport = [{ domain: '', version: 17n }]
  writeFileSync(path, toBinary(ModelProtoSchema, create(ModelProtoSchema, { opsetImport, graph })))
  const network = numbers({ model: path })
  const included = new IncludedTraining()
  assert.deepEqual(
    partsAndFaults(network, part => included.faultOf(network, part)),
    WITHOUT_PRODUCT,
  )
})

test('adapters are refused for an encoder of the deployment that is quantized', t => {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-encoder-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'model.onnx')
  const node = [
    { opType: 'MatMulInteger', input: ['attention_mask', 'weights'], output: ['x'] },
    { opType: 'Softmax', input: ['x'], output: ['last_hidden_state'] },
  ]
  const graph = { node, input: [{ name: 'attention_mask' }], output: [{ name: 'last_hidden_state' }] }
  const opsetImport = [{ domain: '', version: 17n }]
  writeFileSync(path, toBinary(ModelProtoSchema, create(ModelProtoSchema, { opsetImport, graph })))
  const encoder = {
    ...{ id: 'encoder', version: '1', inputs: [], outputs: [], files: { model: path } },
    manifest: { processing: { kind: 'embedding' } },
  } as unknown as ModelPackage
  const included = new IncludedTraining()
  const faultOf: TaskModel['trainingFault'] = part => included.faultOf(encoder, part)
  assert.deepEqual(trainableParts(encoder, faultOf), ['head'])
  const found = { model: encoder, trainingFault: faultOf, fileBytes: () => 1 } as unknown as TaskModel
  const [fault] = trainingFaults(found, create(CreateTaskRequestSchema, { parameters: { train: 'lora' } }), 'live')
  assert.equal(fault?.param, 'parameters.train')
  assert.match(fault?.message ?? '', /no product .* with weights, as those of a quantized model/)
})

test('a model of the deployment whose file can not be used is listed, and not trained', t => {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-unusable-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'model.onnx')
  const type = { value: { case: 'tensorType' as const, value: { elemType: 1, shape: {} } } }
  const node = [{ opType: 'Own', domain: 'example.com', output: ['y'] }]
  const graph = { node, output: [{ name: 'y', type }] }
  writeFileSync(path, toBinary(ModelProtoSchema, create(ModelProtoSchema, { graph })))
  const model = (id: string, processing: object): ModelPackage =>
    ({
      ...{ id, version: '1', inputs: [], outputs: [], files: { model: path } },
      manifest: { format: 'onnx', processing },
    }) as unknown as ModelPackage
  const included = new IncludedTraining()
  const tensors = model('tensors', { kind: 'single', preprocess: { name: 'tensors' } })
  assert.match(included.faultOf(tensors) ?? '', /custom operators are not loaded/)
  writeFileSync(path, 'no model')
  const encoder = model('encoder', { kind: 'embedding' })
  assert.equal(included.faultOf(encoder, 'lora'), 'its file cannot be read')
})
