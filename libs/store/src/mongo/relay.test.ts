import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { mongoMissing, startMongo } from '@millhand/test-servers'
import { MongoClient } from 'mongodb'
import type { DocumentRef, OutboxEvent } from '../collection.ts'
import { event, ITEMS, type Item, item, TENANT, written } from '../contract-items.fixture.ts'
import { EventsRefused } from '../events-refused.ts'
import type { DeadEvent } from './dead-events.ts'
import { insertion, open, putBack, started, until, withoutRepeats } from './relay.fixture.ts'

describe('MongoDB: the relay', { skip: mongoMissing }, async () => {
  const server = await startMongo()
  after(() => server[Symbol.asyncDispose]())

  it('publishes once what waits, what is written in its process, and what others write and ring for', async t => {
    const { owner, other } = open(t, server.url())
    await other.write('before', 1)
    const log = started(t, owner)
    await log.has(['before.1'])
    await owner.write('own', 1)
    await owner.write('own', 2)
    await other.write('own', 3)
    await log.has(['own.1', 'own.2', 'own.3'])
    await other.write('rung', 1)
    owner.db.ring([{ collection: ITEMS.name, tenant: TENANT, id: 'rung' }])
    await log.has(['rung.1'])
    assert.equal(log.ids().length, 5)
  })

  it('tells of what others wrote, and not of what its own process wrote', async t => {
    const { owner, other } = open(t, server.url())
    const heard: [string, Item][] = []
    const log = started(t, owner, { heard: (name, document) => heard.push([name, document as Item]) })
    await owner.write('own', 1)
    await other.write('theirs', 1)
    await owner.write('both', 1)
    await other.write('both', 2)
    await log.has(['own.1', 'theirs.1', 'both.1', 'both.2'])
    const known = new Map(heard.map(([name, { id, version }]) => [id, { name, version }]))
    assert.deepEqual(Object.fromEntries(known), {
      theirs: { name: 'items', version: 1 },
      both: { name: 'items', version: 2 },
    })
  })

  it('leaves the version alone, and no more than an empty outbox', async t => {
    const { owner } = open(t, server.url())
    const log = started(t, owner)
    for (let version = 1; version <= 5; version++) await owner.write('a', version)
    await log.has(['a.5'])
    assert.equal((await owner.items.get(TENANT, 'a'))?.version, 5)
    await log.end()
    const again = started(t, owner)
    await owner.write('b', 1)
    await again.has(['b.1'])
    assert.equal((await owner.items.get(TENANT, 'a'))?.version, 5)
  })

  it('dies between publishing and taking out: the next one repeats, with equal content, in order', async t => {
    const { owner, other } = open(t, server.url())
    const first = started(t, owner, {}, async () => first.abort())
    for (let version = 1; version <= 3; version++) await owner.write('a', version)
    await first.has(['a.1'])
    await first.end()
    await other.write('a', 4)
    const second = started(t, other)
    await second.has(['a.1', 'a.2', 'a.3', 'a.4'])
    assert.deepEqual(second.ids(), ['a.1', 'a.2', 'a.3', 'a.4'])
    for (const repeated of [...first.events, ...second.events]) assert.deepEqual(repeated, event('a', repeated.id))
  })

  it('repeats a publish that rejects, and skips nothing', async t => {
    const { owner } = open(t, server.url())
    let refusals = 3
    const log = started(t, owner, {}, async () => {
      if (refusals-- > 0) throw new Error('no log')
    })
    for (let version = 1; version <= 3; version++) await owner.write('a', version)
    await log.has(['a.3'])
    assert.deepEqual(withoutRepeats(log.events), ['a.1', 'a.2', 'a.3'])
    assert.ok(refusals <= 0)
  })

  it('keeps what the log refuses, and an operator can put it back', async t => {
    const url = server.url()
    const { owner } = open(t, url)
    let refuses = true
    const log = started(t, owner, {}, async events => {
      if (refuses && events.some(({ id }) => id === 'a.1')) throw new EventsRefused(new Map([['a.1', 'too large']]))
    })
    await owner.write('a', 1)
    await owner.write('a', 2)
    await log.has(['a.2'])
    await owner.write('b', 1)
    await log.has(['b.1']) // In a later round.
    const client = await new MongoClient(url).connect()
    t.after(() => client.close())
    const key = `${TENANT}/a`
    const dead = client.db().collection<DeadEvent>('dead_events')
    const kept = await dead.findOne({ _id: 'a.1' })
    assert.partialDeepStrictEqual(kept, { collection: 'items', document: key, reason: 'too large' })
    assert.deepEqual(kept?.event, event('a', 'a.1'))

    refuses = false
    const published = log.ids('a').filter(id => id === 'a.1').length
    assert.ok(await putBack(client.db(), 'a.1'))
    await log.when(() => log.ids('a').filter(id => id === 'a.1').length > published)
    assert.equal(await dead.countDocuments(), 0)
    assert.equal((await owner.items.get(TENANT, 'a'))?.version, 2)
  })

  it('takes out only what it published, when more is written meanwhile', async t => {
    const { owner, other } = open(t, server.url())
    await owner.write('a', 1)
    await owner.write('b', 1)
    await owner.remove('b', 1)
    let meanwhile = async () => {
      meanwhile = async () => {}
      await other.write('a', 2)
      assert.deepEqual(await other.items.write(insertion('b', 'b.again')), written(1))
    }
    const log = started(t, owner, {}, () => meanwhile())
    await log.has(['a.2', 'b.again'])
    assert.deepEqual(log.ids('a'), ['a.1', 'a.2'])
    assert.deepEqual(log.ids('b'), ['b.1', 'b.removed', 'b.again'])
    assert.equal((await owner.items.get(TENANT, 'b'))?.version, 1)
  })

  it('keeps the order of each document with two relays at once', async t => {
    const { owner, other } = open(t, server.url())
    const all: OutboxEvent[] = []
    const both = async (events: readonly OutboxEvent[]) => void all.push(...events)
    const logs = [started(t, owner, {}, both), started(t, other, {}, both)]
    const ids = Array.from({ length: 10 }, (_, i) => `d${i}`)
    const expected = (id: string) => Array.from({ length: 10 }, (_, i) => `${id}.${i + 1}`)
    await Promise.all(
      ids.map(async id => {
        for (let version = 1; version <= 10; version++) await (version % 2 ? owner : other).write(id, version)
      }),
    )
    await until(logs, () => withoutRepeats(all).length === 100)
    for (const id of ids) {
      const order = withoutRepeats(all.filter(({ key }) => key === id))
      assert.deepEqual(order, expected(id))
    }
  })

  it('takes a tombstone away once its events are out, and an insertion over one comes after them', async t => {
    const { owner } = open(t, server.url())
    await owner.write('a', 1)
    await owner.remove('a', 1)
    await owner.write('kept', 1)
    await owner.remove('kept', 1)
    assert.deepEqual(await owner.items.write(insertion('a', 'a.again')), written(1))
    const log = started(t, owner)
    await log.has(['a.again', 'kept.removed'])
    assert.deepEqual(log.ids('a'), ['a.1', 'a.removed', 'a.again'])
    assert.equal((await owner.items.get(TENANT, 'a'))?.version, 1)
  })

  it('is told of once a turn, where none runs', async t => {
    const told: (readonly DocumentRef[])[] = []
    const { owner } = open(t, server.url(), refs => told.push(refs))
    await Promise.all([owner.write('a', 1), owner.write('b', 1)])
    await owner.items.write({ kind: 'replace', version: 1, document: item('a'), events: [] })
    await new Promise(resolve => setImmediate(resolve))
    const ref = (id: string) => ({ collection: 'items', tenant: TENANT, id })
    assert.deepEqual(told, [[ref('a'), ref('b')]])
  })

  it('is one a process', async t => {
    const { owner } = open(t, server.url())
    started(t, owner)
    await assert.rejects(owner.db.relay({ publish: async () => {} }, AbortSignal.timeout(1_000)), /a relay runs/)
  })
})
