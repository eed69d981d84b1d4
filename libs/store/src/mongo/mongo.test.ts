import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createLog } from '@millhand/telemetry'
import { mongoMissing, startMongo, startWiredTiger, wiredTigerMissing } from '@millhand/test-servers'
import { MongoClient } from 'mongodb'
import { describeCollection, type OpenStore } from '../collection.contract.ts'
import type { Change, Collection, CollectionSpec, Document, OutboxEvent, WriteResult } from '../collection.ts'
import { conflict, event, ITEMS, type Item, type ItemIndex, item, TENANT, written } from '../contract-items.fixture.ts'
import { type MongoDatabase, openMongo } from './mongo.ts'

const log = createLog({ level: 'error' })

for (const [name, start, skip] of [
  ['MongoDB', startMongo, mongoMissing],
  ['MongoDB on WiredTiger', startWiredTiger, wiredTigerMissing],
] as const)
  describe(name, { skip }, async () => {
    const server = await start()
    after(() => server[Symbol.asyncDispose]())

    describeCollection(name, async () => opened(server.url()))

    it('has exactly one winner in each of 200 races of two processes', async t => {
      const url = server.url()
      const rivals = [open(t, url), open(t, url)].map(db => db.collection<Item, ItemIndex>(ITEMS))
      const [first] = rivals as [Collection<Item, ItemIndex>]
      for (const id of ['contested', 'own0', 'own1']) await first.write(insert(id))
      for (let version = 1; version <= 200; version++) {
        // Each has a second write in the same group, so that the server's count alone does not say who has won.
        const results = await Promise.all(
          rivals.flatMap((items, rival) => [
            items.write(replace('contested', version, `${rival}`)),
            items.write(replace(`own${rival}`, version, '')),
          ]),
        )
        const [a, , b] = results as [WriteResult, WriteResult, WriteResult]
        assert.deepEqual([a, b].map(({ kind }) => kind).sort(), ['conflict', 'written'], `round ${version}`)
        const winner = a.kind === 'written' ? '0' : '1'
        assert.equal((await first.get(TENANT, 'contested'))?.note, winner)
        for (const own of [results[1], results[3]]) assert.deepEqual(own, written(version + 1))
      }
    })

    it('tells which writes of one group were made, whatever the others were', async t => {
      const url = server.url()
      const items = open(t, url).collection<Item, ItemIndex>(ITEMS)
      for (const id of ['a', 'b', 'c', 'd']) await items.write(insert(id))
      await items.write(replace('c', 1, ''))
      const taken = { ...replace('d', 1, ''), document: item('d', { name: 'a' }) } as Change<Item>
      const results = await Promise.all([
        items.write(replace('a', 1, '')),
        items.write(replace('b', 9, '')),
        items.write(replace('c', 1, '')),
        items.write(taken),
        items.write(replace('none', 1, '')),
        items.write(insert('a', { name: 'other' })),
        items.write(insert('e')),
      ])
      const version = conflict('version')
      const expected = [written(2), version, version, conflict('unique_name'), version, conflict('primary'), written(1)]
      assert.deepEqual(results, expected)
    })

    it('frees the unique keys of what was removed, before its events are out', async t => {
      const items = open(t, server.url()).collection<Item, ItemIndex>(ITEMS)
      for (const id of ['a', 'b']) {
        await items.write(insert(id))
        await items.write({ kind: 'remove', version: 1, tenant: TENANT, id, events: [event(id, 'gone')] })
      }
      assert.deepEqual(
        await items.write({ kind: 'insert', document: item('c', { name: 'a' }), events: [] }),
        written(1),
      )
      assert.deepEqual(await items.write(insert('b')), written(1))
      assert.deepEqual(await items.write(insert('b', { name: 'other' })), conflict('primary'))
      const found = await items.find('primary', { equals: [], limit: 10 })
      assert.deepEqual(
        found.map(({ id }) => id),
        ['b', 'c'],
      )
    })

    it('makes its indexes before the first write, by names that tell of what they are', async t => {
      const url = server.url()
      const db = open(t, url)
      db.collection(ITEMS)
      await db.prepare(AbortSignal.timeout(300_000))
      const client = new MongoClient(url)
      t.after(() => client.close())
      const names = (await client.db().collection(ITEMS.name).indexes()).map(({ name }) =>
        name?.replace(/[0-9a-f]{8}$/, '#'),
      )
      assert.deepEqual(names.sort(), [
        '_id_',
        'by_rank_#',
        'by_state_#',
        'due_#',
        'outbox_pending',
        'primary_#',
        'unique_name_#',
      ])
    })

    it('refuses what it can’t index', async t => {
      const db = open(t, server.url())
      const named = (field: string) => () => db.collection({ name: 'x', indexes: { y: { fields: [field] } } })
      for (const field of ['_id', 'body', 'outbox', 'write_id', 'a.b', '$a'])
        assert.throws(named(field), /can't be indexed/)
      const items = db.collection<Item, ItemIndex>(ITEMS)
      const odd = { ...item('a'), rank: null } as unknown as Item
      await assert.rejects(items.write({ kind: 'insert', document: odd, events: [] }), /rank is not a scalar/)
      await assert.rejects(items.find('nothing' as ItemIndex, { equals: [], limit: 1 }), RangeError)
      await assert.rejects(items.find('primary', { equals: [], limit: 0 }), RangeError)
      await assert.rejects(items.find('primary', { equals: ['a'], after: ['b', 'c'], limit: 1 }), RangeError)
    })

    it('is closed for good, after what was under way', async () => {
      const db = openMongo({ url: server.url(), log })
      const items = db.collection<Item, ItemIndex>(ITEMS)
      const writing = items.write(insert('a'))
      await Promise.all([db.close(), db.close()])
      assert.deepEqual(await writing, written(1))
      await assert.rejects(items.get(TENANT, 'a'), /closed/)
      await assert.rejects(db.ping(), /closed/)
    })
  })

const insert = (id: string, fields: Partial<Item> = {}): Change<Item> => ({
  kind: 'insert',
  document: item(id, fields),
  events: [event(id, `${id}.1`)],
})

const replace = (id: string, version: number, note: string): Change<Item> => ({
  kind: 'replace',
  version,
  document: item(id, { note }),
  events: [event(id, `${id}.${version + 1}`)],
})

function open(t: { after(fn: () => Promise<void>): void }, url: string): MongoDatabase {
  const db = openMongo({ url, log })
  t.after(() => db.close())
  return db
}

/** A store whose relay publishes into an array. */
function opened(url: string, before: readonly OutboxEvent[] = []): OpenStore {
  const db = openMongo({ url, log })
  const events = [...before]
  const ending = new AbortController()
  const writing = new Set<Promise<unknown>>()
  let expected = before.length
  let arrived = () => {}
  // What went out just before the reopening may come again.
  const known = new Set(before.map(({ id }) => id))
  const publish = async (more: readonly OutboxEvent[]) => {
    events.push(...more.filter(({ id }) => !known.has(id)))
    arrived()
  }
  const relaying = db.relay({ publish }, ending.signal)

  const counting = <T extends Document, I extends string>(collection: Collection<T, I>): Collection<T, I> => ({
    ...collection,
    async write(change) {
      const work = collection.write(change)
      writing.add(work)
      const result = await work.finally(() => writing.delete(work))
      if (result.kind === 'written') expected += change.events.length
      return result
    },
  })

  const close = async () => {
    ending.abort()
    await relaying
    await db.close()
  }
  const readEvents = async () => {
    while (events.length < expected) {
      await new Promise<void>(resolve => {
        arrived = resolve
      })
    }
    return events
  }
  return {
    collection: <T extends Document, I extends string>(spec: CollectionSpec<I>) => counting(db.collection<T, I>(spec)),
    readEvents,
    async reopen() {
      await readEvents()
      await close()
      return opened(url, events)
    },
    close,
  }
}
