import assert from 'node:assert/strict'
import { test } from 'node:test'
import { typeFaults } from './event-types.ts'

/** The states of the contract, section 4, and what section 9 adds to them. */
const instances = ['pending', 'provisioning', 'running', 'scaling', 'degraded', 'terminating', 'terminated', 'failed']
const tasks = ['queued', 'started', 'retrying', 'cancelling', 'succeeded', 'failed', 'cancelled', 'expired']

test('what happens to instances and tasks of the workforce can be asked for before any does, and nothing else', () => {
  const there = [
    ...[...instances, 'scaled'].map(word => `instance.${word}`),
    ...tasks.map(word => `workforce.task.${word}`),
  ]
  assert.deepEqual(typeFaults('events', there), [])
  const none = [
    'instance.stopping',
    'instance.stopped',
    'instance.created',
    'workforce.task.running',
    'workforce.failed',
  ]
  assert.deepEqual(
    typeFaults('events', none).map(({ param }) => param),
    none.map((_, at) => `events[${at}]`),
  )
})
