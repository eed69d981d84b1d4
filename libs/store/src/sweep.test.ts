import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '@millhand/process'
import type { Collection, Document } from './collection.ts'
import { type Sweep, sweep } from './sweep.ts'

/** So many documents, and a sweep of all of them. */
function sweeping(count: number) {
  const documents = new Map<string, Document>()
  const add = (id: string) => documents.set(id, { tenant: 't', id, version: 1 })
  for (let n = 0; n < count; n++) add(`${n}`)
  const collection: Pick<Collection<Document, 'due'>, 'find' | 'write'> = {
    find: async (_, { limit }) => [...documents.values()].slice(0, limit),
    async write(change) {
      assert.ok(change.kind === 'remove')
      documents.delete(change.id)
      return { kind: 'written', version: 1 }
    },
  }
  const clock = manualClock(0)
  const logged: unknown[] = []
  const log: Sweep<'due'>['log'] = { error: (event, fields) => void logged.push([event, fields]) }
  const options = { name: 'items', index: 'due', range: () => ({ equals: [] }), everyMs: 1_000 } as const
  const stop = new AbortController()
  const start = () => sweep({ ...options, collection, clock, log }, stop.signal)
  return { documents, add, collection, clock, logged, stop, start }
}

test('all that is found is removed, however many, and again after a while', async () => {
  const { documents, add, clock, logged, stop, start } = sweeping(1_000)
  const running = start()
  while (documents.size > 0) await clock.advance(0)
  add('later')
  await clock.advance(999)
  assert.equal(documents.size, 1)
  await clock.advance(1)
  assert.equal(documents.size, 0)
  stop.abort()
  await running
  assert.deepEqual(logged, [])
})

test('it ends with the signal, and leaves the rest', async () => {
  const { documents, collection, stop, start } = sweeping(1_000)
  const { find } = collection
  collection.find = async (...query) => {
    const page = await find(...query)
    stop.abort()
    return page
  }
  await start()
  assert.equal(documents.size, 800)
})

test('a store that fails is told to the log, and asked again', async () => {
  const { documents, collection, clock, logged, stop, start } = sweeping(3)
  const { find } = collection
  const error = new Error('away')
  collection.find = async () => {
    collection.find = find
    throw error
  }
  const running = start()
  await clock.advance(0)
  assert.deepEqual(logged, [['store.sweep_failed', { collection: 'items', error }]])
  assert.equal(documents.size, 3)
  await clock.advance(1_000)
  assert.equal(documents.size, 0)
  stop.abort()
  await running
})
