import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { TaskSchema, TaskStatus, TaskType } from '../gen/millhand/compute/v1/task_pb.ts'
import { ListTasksResponseSchema } from '../gen/millhand/compute/v1/task_request_pb.ts'
import { EventSchema } from '../gen/millhand/event/v1/event_pb.ts'
import { Mode } from '../gen/millhand/type/v1/mode_pb.ts'
import { everyKind } from './every-kind.fixture.ts'
import { jsonWriter } from './writer.ts'

const writeTask = jsonWriter(TaskSchema)

test('a task as the contract shows it', () => {
  const at = Date.UTC(2026, 10, 21, 7, 30, 0, 123)
  const task = create(TaskSchema, {
    id: 'task_01kaje5z1cf6tvnyxkkhbm3v8h',
    type: TaskType.INFERENCE,
    model: 'digits',
    status: TaskStatus.SUCCEEDED,
    mode: Mode.LIVE,
    input: '"\\\u0000é\u{1f600}\ud800',
    parameters: { a: { b: [1, null] } },
    queueTimeoutS: 86400,
    output: '{"label":"7"}',
    cost: { amount: '12.480000', currency: 'USD' },
    progress: { fraction: 0.5 },
    metadata: { team: 'a', ['__proto__']: 'b' },
    createdAt: timestampFromMs(at),
    finishedAt: timestampFromMs(at + 86_400_000),
    resourceVersion: 3,
  })
  assert.equal(
    writeTask(task),
    '{"object":"task","id":"task_01kaje5z1cf6tvnyxkkhbm3v8h","type":"inference","model":"digits","model_version":"",' +
      '"status":"succeeded","mode":"live","input":"\\"\\\\\\u0000é😀\\ud800","parameters":{"a":{"b":[1,null]}},' +
      '"queue_timeout_s":86400,"run_timeout_s":0,"max_attempts":0,"output":{"label":"7"},' +
      '"cost":{"amount":"12.480000","currency":"USD"},"attempt":0,"progress":{"fraction":0.5,"metrics":{}},' +
      '"metadata":{"team":"a","__proto__":"b"},"created_at":"2026-11-21T07:30:00.123Z","finished_at":"2026-11-22T07:30:00.123Z",' +
      '"resource_version":3}',
  )
})

test('lists and maps are there when they are empty; what is optional and not set is not', () => {
  assert.deepEqual(JSON.parse(writeTask(create(TaskSchema))), {
    object: 'task',
    id: '',
    model: '',
    model_version: '',
    parameters: {},
    queue_timeout_s: 0,
    run_timeout_s: 0,
    max_attempts: 0,
    attempt: 0,
    metadata: {},
    resource_version: 0,
  })
  assert.equal(
    jsonWriter(ListTasksResponseSchema)(create(ListTasksResponseSchema)),
    '{"object":"list","data":[],"has_more":false}',
  )
})

test('an optional value that is set to its zero is there', () => {
  const task = JSON.parse(writeTask(create(TaskSchema, { input: '', position: 0, usage: {} })))
  assert.equal(task.input, '')
  assert.equal(task.position, 0)
  assert.deepEqual(task.usage, { queue_ms: 0, compute_ms: 0, gpu_type: '', items: 0 })
})

test('a word that this build does not know is left out', () => {
  const task = JSON.parse(writeTask(create(TaskSchema, { status: 99 as TaskStatus })))
  assert.equal('status' in task, false)
})

test('JSON text is put in as it is, also in events; where it is empty it is null', () => {
  const write = jsonWriter(EventSchema)
  const event = JSON.parse(write(create(EventSchema, { type: 'task.queued', data: { object: '{"object":"task"}' } })))
  assert.deepEqual(event.data, { object: { object: 'task' } })
  assert.deepEqual(JSON.parse(write(create(EventSchema, { data: {} }))).data, { object: null })
})

test('fields can be left out by name', () => {
  const write = jsonWriter(TaskSchema, { omit: ['input', 'output'] })
  const task = JSON.parse(write(create(TaskSchema, { id: 'task_1', input: 'a', output: '1' })))
  assert.equal(task.id, 'task_1')
  assert.equal('input' in task || 'output' in task, false)
})

test('integers of 64 bits are numbers while a number is exact', () => {
  const write = jsonWriter(everyKind)
  const written = (value: bigint) => /"an_int64":([^,]*)/.exec(write(create(everyKind, { anInt64: value })))?.[1]
  assert.equal(written(9007199254740991n), '9007199254740991')
  assert.equal(written(-9007199254740991n), '-9007199254740991')
  assert.equal(written(9007199254740992n), '"9007199254740992"')
})
