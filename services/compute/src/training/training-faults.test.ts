import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { CreateTaskRequestSchema } from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import type { ModelPackage } from '@millhand/model'
import type { TaskModel } from '../models/task-models.ts'
import { trainableParts, trainingFault } from './trainability.ts'
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
