import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timestampMs } from '@bufbuild/protobuf/wkt'
import { TaskStatus } from '../gen/millhand/compute/v1/task_pb.ts'
import { GetTaskRequestSchema, ListTasksRequestSchema, TaskField } from '../gen/millhand/compute/v1/task_request_pb.ts'
import { Order } from '../gen/millhand/type/v1/mode_pb.ts'
import { queryReader } from './query.ts'

const read = queryReader(ListTasksRequestSchema)

test('texts become what the fields are', () => {
  const reading = read(
    new URLSearchParams(
      'limit=5&order=asc&status=running&created_after=2026-11-21T07:30:00.123Z&metadata[team]=a&metadata[__proto__]=b&include=input,output',
    ),
  )
  assert.ok(reading.ok)
  const { limit, order, status, createdAfter, metadata, include } = reading.message
  assert.deepEqual([limit, order, status], [5, Order.ASC, TaskStatus.RUNNING])
  assert.equal(createdAfter && timestampMs(createdAfter), Date.UTC(2026, 10, 21, 7, 30, 0, 123))
  assert.deepEqual(Object.entries(metadata), [
    ['team', 'a'],
    ['__proto__', 'b'],
  ])
  assert.deepEqual(include, [TaskField.INPUT, TaskField.OUTPUT])
})

test('a list may repeat its key', () => {
  const reading = read([
    ['include', 'input'],
    ['include', 'output'],
  ])
  assert.ok(reading.ok)
  assert.deepEqual(reading.message.include, [TaskField.INPUT, TaskField.OUTPUT])
})

for (const [query, param, code] of [
  ['include=', 'include[0]', 'not_in'],
  ['limit=1&limit=2', 'limit', 'repeated'],
  ['metadata[a]=1&metadata[a]=2', 'metadata[a]', 'repeated'],
  ['limit=', 'limit', 'wrong_type'],
  ['limit=ten', 'limit', 'wrong_type'],
  ['limit=1.5', 'limit', 'wrong_type'],
  ['limit=0x10', 'limit', 'wrong_type'],
  ['limit=%201', 'limit', 'wrong_type'],
  ['limit=-1', 'limit', 'out_of_range'],
  ['limit=1e999', 'limit', 'out_of_range'],
  ['status=TASK_STATUS_RUNNING', 'status', 'not_in'],
  ['created_after=2026-02-30T00:00:00Z', 'created_after', 'wrong_type'],
  ['include=input,secret', 'include[1]', 'not_in'],
  ['metadata=a', 'metadata', 'wrong_type'],
  ['status[a]=running', 'status[a]', 'unknown_parameter'],
  ['createdAfter=2026-01-01T00:00:00Z', 'createdAfter', 'unknown_parameter'],
  ['__proto__=1', '__proto__', 'unknown_parameter'],
] as const) {
  test(`${query} is ${code}`, () => {
    const reading = read(new URLSearchParams(query))
    assert.ok(!reading.ok)
    assert.deepEqual(
      reading.faults.map(fault => [fault.param, fault.code]),
      [[param, code]],
    )
  })
}

test('a time whose + was not encoded is told so', () => {
  const reading = read(new URLSearchParams('created_after=2026-01-01T00:00:00+01:00'))
  assert.ok(!reading.ok)
  assert.match(reading.faults[0].message, /in a URL, write \+ as %2B\.$/)
  assert.ok(read(new URLSearchParams('created_after=2026-01-01T00:00:00%2B01:00')).ok)
})

test('fields of the path are left to the path', () => {
  const readRest = queryReader(GetTaskRequestSchema, { omit: ['id'] })
  assert.ok(readRest([]).ok)
  assert.equal(readRest([['id', 'task_1']]).ok, false)
})

test('a list of a million items is no exception', () => {
  assert.equal(read([['include', ','.repeat(1_000_000)]]).ok, false)
})
