import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { OutboxEvent } from '@millhand/store'
import { asyncapi, faultsOf } from './payload.ts'
import { everyTaskEvent } from './task-events.ts'

describe('events that compute makes, and the AsyncAPI document', () => {
  let events: readonly OutboxEvent[]
  before(async () => {
    events = await everyTaskEvent()
  })

  it('each type is a message of it, and each message comes', () => {
    const types = new Set(events.map(({ type }) => type))
    const messages = Object.keys(asyncapi.components.messages).filter(name => name.startsWith('task.'))
    assert.deepEqual([...types].sort(), messages.sort())
  })

  it('each event is as its message says', () => {
    for (const { type, value } of events) assert.deepEqual(faultsOf(type, 'payload', JSON.parse(value)), [], value)
  })

  it('an event that lacks what is promised, or is of another type, is found', () => {
    const [event] = events.filter(({ type }) => type === 'task.succeeded')
    const whole = JSON.parse(event?.value ?? '')
    const { status: _, ...object } = whole.data.object
    for (const wrong of [
      { ...whole, data: { object } },
      { ...whole, data: {} },
      { ...whole, resource_version: '3' },
      { ...whole, created_at: 'yesterday' },
      { ...whole, object: 'task' },
    ])
      assert.notDeepEqual(faultsOf('task.succeeded', 'payload', wrong), [])
    assert.notDeepEqual(faultsOf('task.failed', 'payload', whole), [])
  })

  it('later versions may add what they like', () => {
    const [event] = events
    const whole = JSON.parse(event?.value ?? '')
    const later = { ...whole, more: 1, data: { ...whole.data, object: { ...whole.data.object, status: 'parked' } } }
    assert.deepEqual(faultsOf(event?.type ?? '', 'payload', later), [])
  })

  it('an output too large for an event is left out, and the event says so', () => {
    const ended = events.filter(({ type }) => type === 'task.succeeded').map(({ value }) => JSON.parse(value).data)
    assert.deepEqual(
      ended.map(data => [data.object.output, data.output_omitted, data.output_url === `/v1/tasks/${data.object.id}`]),
      [
        [{ digit: 7 }, undefined, false],
        [undefined, true, true],
      ],
    )
  })
})
