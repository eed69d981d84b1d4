import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventTypes, matches, patternFaults } from './event-types.ts'

test('a pattern asks for a type by its name, for all that begin so, or for all', () => {
  for (const [pattern, type, isAsked] of [
    ['task.succeeded', 'task.succeeded', true],
    ['task.succeeded', 'workforce.task.succeeded', false],
    ['task.*', 'task.queued', true],
    ['task.*', 'tasks.queued', false],
    ['task.*', 'task', false],
    ['workforce.*', 'workforce.task.queued', true],
    ['workforce.task.*', 'workforce.task.queued', true],
    ['*', 'key.revoked', true],
    ['*.revoked', 'key.revoked', false],
    ['task*', 'task.queued', false],
    ['', 'task.queued', false],
    ['.*', 'task.queued', false],
  ] as const) {
    assert.equal(matches(pattern, type), isAsked, `${pattern} ${type}`)
  }
})

test('what asks for nothing is a fault that names its place and all there is', () => {
  assert.deepEqual(patternFaults('events', ['*', 'task.*', 'webhook.disabled'], eventTypes), [])
  const [fault, more] = patternFaults('events', ['task.*', 'task.done'], eventTypes)
  assert.equal(more, undefined)
  assert.equal(fault?.param, 'events[1]')
  for (const type of eventTypes) assert.ok(fault?.message.includes(type), type)
})
