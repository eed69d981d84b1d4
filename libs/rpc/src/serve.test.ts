import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { create, createFileRegistry, setExtension } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema, file_google_protobuf_wrappers, MethodOptionsSchema } from '@bufbuild/protobuf/wkt'
import { type ConnectError, createClient, createContextValues } from '@connectrpc/connect'
import { problemOf } from '@millhand/api'
import { http } from '@millhand/api/gen/google/api/annotations_pb.ts'
import { HttpRuleSchema } from '@millhand/api/gen/google/api/http_pb.ts'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { TaskStatus, TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { TaskField } from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { createDirectTransport, type Routes } from './direct-transport.ts'
import { type Principal, principalKey } from './principal.ts'
import { serve } from './serve.ts'

const caller: Principal = {
  accountId: 'acct_1',
  mode: 'test',
  tenant: 'acct_1/test',
  scopes: new Set(),
  keyId: 'key_1',
  plans: { compute: 'enterprise', developer: 'enterprise', workforce: 'enterprise' },
}
const asCaller = { contextValues: createContextValues().set(principalKey, caller) }

describe('serve', () => {
  it('refuses a method with an access option when the call has no principal', async () => {
    const { compute, handled } = open()
    assert.equal((await problem(compute.getTask({ id: 'task_1' }))).code, 'missing_credentials')
    assert.equal(handled(), 0)
    await compute.getTask({ id: 'task_1' }, asCaller)
    assert.equal(handled(), 1)
  })

  it('lets a method without an access option be called without a principal', async () => {
    const { lease, handled } = open()
    await lease.claim({ executorId: 'executor', pool: 'live/onnx', runs: 1 })
    assert.equal(handled(), 1)
  })

  it('refuses a request that breaks its rules before the handler sees it', async () => {
    const { compute, handled } = open()
    await problem(compute.getTask({}, asCaller))
    assert.equal(handled(), 0)
  })

  it('leaves a method without an implementation unimplemented', async () => {
    const { compute } = open()
    await assert.rejects(compute.cancelTask({ id: 'task_1' }, asCaller), /CancelTask is not implemented/)
  })

  it('refuses to start a method that has an HTTP route and no access option', () => {
    const options = create(MethodOptionsSchema)
    setExtension(options, http, create(HttpRuleSchema, { pattern: { case: 'get', value: '/open' } }))
    const text = '.google.protobuf.StringValue'
    const file = create(FileDescriptorProtoSchema, {
      name: 'open.proto',
      dependency: [file_google_protobuf_wrappers.proto.name],
      service: [{ name: 'OpenService', method: [{ name: 'Open', inputType: text, outputType: text, options }] }],
    })
    const open = createFileRegistry(file, () => file_google_protobuf_wrappers).getService('OpenService')
    assert.ok(open)
    assert.throws(() => serve(router => router.service(open, {}), createDirectTransport()), /no access option/)
  })
})

const good = { type: TaskType.INFERENCE, model: 'digits', input: '0' }

describe('request checks', () => {
  it('calls a request that only lacks fields missing_parameter', async () => {
    const { code, detail, errors } = await problem(open().compute.createTask({ model: 'digits' }, asCaller))
    assert.equal(code, 'missing_parameter')
    assert.match(detail, /`input` or `input_file` is required/)
    assert.deepEqual(errors, [
      {
        param: 'type',
        code: 'missing_parameter',
        message: '`type` is required: one of inference, training, batch, custom.',
      },
      { param: 'input', code: 'missing_parameter', message: '`input` or `input_file` is required.' },
    ])
  })

  it('calls anything else invalid_parameter, and names every fault', async () => {
    const { code, param, errors } = await problem(
      open().compute.createTask({ type: 9 as TaskType, input: 'x' }, asCaller),
    )
    assert.equal(code, 'invalid_parameter')
    assert.equal(param, 'type')
    assert.deepEqual(
      errors?.map(fault => [fault.param, fault.code]),
      [
        ['type', 'not_in'],
        ['model', 'missing_parameter'],
      ],
    )
  })

  it('shows no more of a long name than tells it from others', async () => {
    const metadata = { ['k'.repeat(400_000)]: 'x' }
    const { detail, errors } = await problem(open().compute.createTask({ ...good, metadata }, asCaller))
    assert.match(errors?.[0]?.param ?? '', /^metadata\.k{200,}…$/)
    assert.ok(detail.length < 1_000 && JSON.stringify(errors).length < 2_000)
  })

  it('calls an input that is too large payload_too_large', async () => {
    const { code, errors } = await problem(open().compute.createTask({ ...good, input: 'x'.repeat(524_289) }, asCaller))
    assert.equal(code, 'payload_too_large')
    assert.equal(errors?.[0]?.code, 'too_large')
  })

  const cases: [string, Record<string, unknown>, [string, string, string]][] = [
    ['an enum', { type: 9 }, ['type', 'not_in', '`type` must be one of inference, training, batch, custom.']],
    ['an enum set to nothing', { priority: 0 }, ['priority', 'not_in', '`priority` must be one of low, normal, high.']],
    [
      'two of which one is needed',
      { inputFile: 'file_a' },
      ['input_file', 'not_allowed', 'Only one of `input` and `input_file` can be given.'],
    ],
    ['a long string', { model: 'x'.repeat(129) }, ['model', 'max_len', '`model` must be at most 128 characters.']],
    ['a low number', { maxAttempts: 0 }, ['max_attempts', 'min', '`max_attempts` must be from 1 to 10.']],
    ['a high number', { maxAttempts: 11 }, ['max_attempts', 'max', '`max_attempts` must be from 1 to 10.']],
    [
      'a large map',
      { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, ''])) },
      ['metadata', 'too_many', '`metadata` must have at most 16 entries.'],
    ],
    [
      'a value of a map',
      { metadata: { a: 'x'.repeat(513) } },
      ['metadata.a', 'max_len', '`metadata.a` must be at most 512 characters.'],
    ],
    [
      'a key of a map',
      { metadata: { '': 'x' } },
      ['metadata[]', 'min_len', 'The key in `metadata[]` must not be empty.'],
    ],
  ]
  for (const [what, change, [param, code, message]] of cases) {
    it(`says what is wrong with ${what}`, async () => {
      const { errors } = await problem(open().compute.createTask({ ...good, ...change }, asCaller))
      assert.deepEqual(errors, [{ param, code, message }])
    })
  }

  it('says what is wrong with items of a list', async () => {
    const include = [TaskField.INPUT, 7 as TaskField, TaskField.INPUT]
    const { errors } = await problem(open().compute.listTasks({ include }, asCaller))
    assert.deepEqual(errors, [
      { param: 'include', code: 'not_unique', message: '`include` must contain unique items.' },
      { param: 'include[1]', code: 'not_in', message: '`include[1]` must be one of input, output.' },
    ])
  })

  it('says what is wrong with a number that has one bound', async () => {
    const { errors } = await problem(open().compute.waitTask({ id: 'task_1', timeoutMs: 60_001 }, asCaller))
    assert.deepEqual(errors, [{ param: 'timeout_ms', code: 'max', message: '`timeout_ms` must be at most 60000.' }])
  })
})

function open() {
  let handled = 0
  const handle = () => {
    handled++
    return {}
  }
  const transport = createDirectTransport()
  const routes = (router: Routes) => {
    const task = () => ({ ...handle(), status: TaskStatus.QUEUED })
    router.service(ComputeService, { createTask: task, getTask: task, waitTask: task, listTasks: handle })
    router.service(LeaseService, { claim: handle })
  }
  serve(routes, transport)
  return {
    compute: createClient(ComputeService, transport),
    lease: createClient(LeaseService, transport),
    handled: () => handled,
  }
}

async function problem(work: Promise<unknown>) {
  const reason = await work.then(
    () => assert.fail('the call was answered'),
    (error: ConnectError) => error,
  )
  return problemOf(reason, 'req_1')
}
