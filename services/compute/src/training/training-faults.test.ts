import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { CreateTaskRequestSchema } from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import type { TaskModel } from '../models/task-models.ts'
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
