import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { mongoMissing, startMongo } from '@millhand/test-servers'
import { type Db, MongoClient } from 'mongodb'
import { event, TENANT } from '../contract-items.fixture.ts'
import { EventsRefused } from '../events-refused.ts'
import { insertion, open, putBack, started } from './relay.fixture.ts'
import { startProxy } from './severing-proxy.fixture.ts'
import type { StoredDocument } from './stored-document.ts'

describe('MongoDB: outboxes that writes clear', { skip: mongoMissing }, async () => {
  const server = await startMongo()
  after(() => server[Symbol.asyncDispose]())

  /** The server, as a test looks into it. */
  async function look(t: { after(fn: () => Promise<void>): void }, url: string): Promise<Db> {
    const client = await new MongoClient(url).connect()
    t.after(() => client.close())
    return client.db()
  }

  it('are left with what is not published', async t => {
    const url = server.url()
    const db = await look(t, url)
    const { owner } = open(t, url)
    const [first, second] = [held(), held()]
    const log = started(t, owner, {}, async events => {
      if (events.some(({ id }) => id === 'a.1')) await first.hold()
      if (events.some(({ id }) => id === 'a.2')) await second.hold()
    })
    await owner.write('a', 1)
    await first.begun
    await owner.write('a', 2)
    assert.deepEqual(await outboxOf(db, 'a'), ['a.1', 'a.2'])
    first.end()
    await second.begun
    await owner.write('a', 3)
    assert.deepEqual(await outboxOf(db, 'a'), ['a.2', 'a.3'])
    second.end()
    await log.has(['a.3'])
    await turn()
    await owner.remove('a', 3)
    await log.has(['a.removed'])
    await emptied(db)
    assert.deepEqual(log.ids(), ['a.1', 'a.2', 'a.3', 'a.removed'])
    assert.equal(await outboxOf(db, 'a'), undefined)
    assert.equal((await owner.items.write(insertion('a', 'a.again'))).kind, 'written')
    await log.has(['a.again'])
  })

  for (const next of ['a write', 'a clear'])
    it(`keep what an operator has put back before ${next}`, async t => {
      const url = server.url()
      const db = await look(t, url)
      const { owner } = open(t, url)
      let refuses = true
      const log = started(t, owner, {}, async events => {
        if (refuses && events.some(({ id }) => id === 'a.1')) throw new EventsRefused(new Map([['a.1', 'too large']]))
      })
      await owner.write('a', 1)
      while ((await db.collection('dead_events').countDocuments()) === 0);
      refuses = false
      const before = log.ids().length
      assert.ok(await putBack(db, 'a.1'))
      const expected = ['a.1', ...(next === 'a write' ? ['a.2'] : [])]
      if (next === 'a write') await owner.write('a', 2)
      await log.when(() => expected.every(id => log.ids().slice(before).includes(id)))
      await emptied(db)
    })

  it('keep what another process has written since, and this one did not read yet', async t => {
    const url = server.url()
    const db = await look(t, url)
    const { owner, other } = open(t, url)
    const log = started(t, owner)
    await owner.write('a', 1)
    await log.has(['a.1'])
    await turn()
    await other.write('a', 2)
    await owner.write('a', 3)
    await log.has(['a.3'])
    assert.deepEqual(log.ids(), ['a.1', 'a.2', 'a.3'])
    await emptied(db)
  })

  it('are told apart from those of another life of the document with the same version', async t => {
    const url = server.url()
    const db = await look(t, url)
    const { owner, other } = open(t, url)
    const log = started(t, owner)
    await owner.write('a', 1)
    await log.has(['a.1'])
    await turn()
    await other.remove('a', 1)
    assert.equal((await other.items.write(insertion('a', 'a.again'))).kind, 'written')
    await owner.write('a', 2)
    await log.has(['a.2'])
    assert.deepEqual(log.ids(), ['a.1', 'a.removed', 'a.again', 'a.2'])
    await emptied(db)
  })

  for (const fate of ['answer lost', 'request lost', 'request late'] as const)
    it(`lose nothing where a write has its ${fate}`, async t => {
      const url = server.url()
      const db = await look(t, url)
      const proxy = await startProxy(Number(server.address.split(':')[1]))
      const { owner, other } = open(t, url.replace(server.address, `127.0.0.1:${proxy.port}`))
      t.after(() => proxy.close())
      const log = started(t, owner)
      await owner.write('a', 1)
      await log.has(['a.1'])
      await turn()
      const late = proxy.next(fate)
      await owner.write('a', 2)
      await late()
      await other.write('a', 3)
      await owner.write('a', 4)
      await log.has(['a.4'])
      assert.deepEqual([...new Set(log.ids())], ['a.1', 'a.2', 'a.3', 'a.4'])
      for (const repeated of log.events) assert.deepEqual(repeated, event('a', repeated.id))
      await emptied(db)
    })
})

/** A publish that waits for `end`. */
function held() {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const hold = async () => {
    begun.resolve()
    await ended.promise
  }
  return { begun: begun.promise, hold, end: ended.resolve }
}

/** What is published is known to be. */
const turn = () => new Promise(resolve => setImmediate(resolve))

async function outboxOf(db: Db, id: string) {
  const document = await db.collection<StoredDocument>('items').findOne({ _id: `${TENANT}/${id}` })
  return document?.outbox.map(({ id }) => id)
}

/** Resolves when all outboxes are cleared. */
async function emptied(db: Db): Promise<void> {
  while ((await db.collection('items').countDocuments({ outbox_pending: 1 })) > 0);
}
