import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { createContextValues, type HandlerContext } from '@connectrpc/connect'
import { countingIds, problemOf } from '@millhand/api'
import { TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { CreateTaskRequestSchema } from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import { type Catalogue, parseManifest } from '@millhand/model'
import { principalKey } from '@millhand/rpc'
import type { ComputeDeps } from '../compute-deps.ts'
import { createTaskModels } from '../models/task-models.ts'
import { noFiles, noModels } from '../no-files.fixture.ts'
import { createTask } from './create-task.ts'

const numbers = { name: 'numbers', count: 64, min: 0, max: 16, scale: 1 }
const processing = { kind: 'single', preprocess: numbers, postprocess: { name: 'classify' } }
const catalogue = new Map<string, object>([
  ['digits', { status: 'ready', id: 'digits', manifest: { processing } }],
  ['writer', { status: 'ready', id: 'writer', manifest: parseManifest('{"name":"Writer","format":"gguf"}') }],
  ['cracked', { status: 'broken', id: 'cracked', problem: 'model.onnx is no ONNX file' }],
])

/** What a create with these values is refused with. */
async function refusal(
  request: MessageInitShape<typeof CreateTaskRequestSchema>,
  mode: 'live' | 'test' = 'live',
): Promise<{ code: string; errors: (readonly [string, string])[] }> {
  const tasks = { insert: () => assert.fail('it was stored') }
  const models = catalogue as unknown as Catalogue
  const taskModels = createTaskModels({ models, ownModels: noModels, files: noFiles })
  const gpuTypes = { providerFault: async () => undefined }
  const textGeneration = { fault: 'MILLHAND_TEXT_SLOTS is 0' }
  const deps = { taskModels, gpuTypes, textGeneration, ids: countingIds(), tasks } as unknown as ComputeDeps
  const caller = {
    accountId: 'acct_1',
    mode,
    tenant: `acct_1/${mode}`,
    scopes: new Set(['*']),
    keyId: 'key_1',
    plans: { compute: 'enterprise', developer: 'enterprise', workforce: 'enterprise' },
  }
  const values = createContextValues().set(principalKey, caller)
  const call = createTask(deps)(create(CreateTaskRequestSchema, request), { values } as HandlerContext)
  const error = await call.then(
    () => assert.fail('it was accepted'),
    (cause: unknown) => cause,
  )
  const { code, errors = [] } = problemOf(error, 'req_1')
  return { code, errors: errors.map(fault => [fault.param, fault.code]) }
}

const input = JSON.stringify(Array.from({ length: 64 }, () => 0))

describe('a create that can not be run', () => {
  for (const [name, request, code, errors] of [
    [
      'examples, and no such model',
      { type: TaskType.TRAINING, model: 'nope', input },
      'invalid_parameter',
      [['model', 'not_found']],
    ],
    [
      'no examples for a model that can not be trained',
      { type: TaskType.TRAINING, model: 'writer', input: ' ' },
      'model_input_invalid',
      [
        ['input', 'model_input_invalid'],
        ['model', 'not_trainable'],
      ],
    ],
    [
      'parameters without end',
      { type: TaskType.INFERENCE, model: 'digits', input, parameters: { a: 'x'.repeat(16_384) } },
      'payload_too_large',
      [['parameters', 'too_large']],
    ],
    [
      'text generated line by line',
      { type: TaskType.BATCH, model: 'writer', input: 'Hi.' },
      'invalid_parameter',
      [['type', 'not_allowed']],
    ],
    [
      'parameters that are unknown, and others that can not be',
      { type: TaskType.INFERENCE, model: 'writer', input: 'Hi.', parameters: { max_token: 1, top_p: 2, seed: 'x' } },
      'invalid_parameter',
      [
        ['parameters.max_token', 'unknown'],
        ['parameters.top_p', 'invalid'],
        ['parameters.seed', 'invalid'],
      ],
    ],
    [
      'a broken model',
      { type: TaskType.INFERENCE, model: 'cracked', input },
      'invalid_parameter',
      [['model', 'broken']],
    ],
    [
      'an input that does not fit alone',
      { type: TaskType.INFERENCE, model: 'digits', input: 'seven' },
      'model_input_invalid',
      [['input', 'model_input_invalid']],
    ],
  ] as const) {
    it(`is told of everything at once: ${name}`, async () => {
      assert.deepEqual(await refusal(request), { code, errors })
      assert.deepEqual(await refusal(request, 'test'), { code, errors })
    })
  }

  for (const [asked, code] of [
    ['sandbox:error:rate_limited', 'rate_limited'],
    ['sandbox:error:engine_unavailable', 'engine_unavailable'],
    ['sandbox:error:internal', 'internal'],
  ] as const) {
    it(`is answered with what it asks the sandbox for, and in live mode with what is wrong with it: ${asked}`, async () => {
      const request = { type: TaskType.INFERENCE, model: 'digits', input: asked }
      assert.deepEqual(await refusal(request, 'test'), { code, errors: [] })
      assert.equal((await refusal(request)).code, 'model_input_invalid')
      assert.equal((await refusal({ ...request, model: 'nope' }, 'test')).code, 'invalid_parameter')
    })
  }

  it('that generates text is refused with the setting where nothing here does', async () => {
    const request = { type: TaskType.INFERENCE, model: 'writer', input: 'Hi.', parameters: { max_tokens: 5 } }
    assert.deepEqual(await refusal(request), {
      code: 'engine_unavailable',
      errors: [['model', 'engine_unavailable']],
    })
  })

  it('is held to its model in the sandbox too, where it asks for nothing that the sandbox knows', async () => {
    for (const input of [
      'sandbox:',
      'sandbox:slow',
      'sandbox:slow:soon',
      'sandbox:error',
      'sandbox:error:No',
      'Sandbox:fail',
    ]) {
      const request = { type: TaskType.INFERENCE, model: 'digits', input }
      assert.equal((await refusal(request, 'test')).code, 'model_input_invalid', input)
    }
  })
})
