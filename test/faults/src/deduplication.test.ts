import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Message, withoutRepeats } from './deduplication.ts'
import type { Logged } from './history-checks.ts'

test('what came again with the same content, in order or out of it, is dropped', () => {
  const messages = [message(1), message(2), message(1), message(2), message(3)]
  const { events, repeats, faults } = withoutRepeats(messages)
  assert.deepEqual(versions(events), [1, 2, 3])
  assert.deepEqual(versions(repeats.map(repeat => repeat.event)), [1, 2])
  assert.deepEqual(faults, [])
})

test('a count by events is right only where repeats are dropped', () => {
  const messages = [message(1), message(2), message(3), message(3)]
  const ends = (events: readonly Logged[]) => events.filter(event => event.version === 3).length
  assert.equal(ends(withoutRepeats(messages).events), 1)
  assert.equal(ends(messages.map(({ event }) => event)), 2)
})

test('finds an event with two contents', () => {
  const other = { ...message(1), content: 'other' }
  assert.match(withoutRepeats([message(1), other]).faults.join(), /task_a: event evt_1 has two contents/)
})

test('finds a task in two partitions', () => {
  const elsewhere = { ...message(2), partition: 1 }
  assert.deepEqual(withoutRepeats([message(1), elsewhere]).faults, ['task_a: is in the partitions 0 and 1'])
})

const versions = (events: readonly Logged[]): number[] => events.map(({ version }) => version)

function message(version: number): Message {
  const id = `evt_${version}`
  const event: Logged = { id, task: 'task_a', type: 'task.queued', status: 'queued', version, attempt: 0 }
  return { event, content: `content of ${id}`, partition: 0, takenAt: version }
}
