import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { metadataOf } from '@millhand/api'
import { createLog } from '@millhand/telemetry'
import { mongoMissing, startMongo } from '@millhand/test-servers'
import { MongoClient } from 'mongodb'
import type { Change, Collection, WriteResult } from '../collection.ts'
import { conflict, event, ITEMS, type Item, type ItemIndex, item, TENANT, written } from '../contract-items.fixture.ts'
import { type MongoDatabase, OutcomeUnknown, openMongo } from './mongo.ts'
import { type SeveringProxy, startProxy } from './severing-proxy.fixture.ts'

const log = createLog({ level: 'error' })

describe('MongoDB: faults', { skip: mongoMissing }, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'store-mongo-'))
  const server = await startMongo({ dataDir })
  after(async () => {
    await server[Symbol.asyncDispose]()
    await rm(dataDir, { recursive: true, force: true })
  })

  it('loses no acknowledged write of 200 when the server is killed, and makes none twice', async t => {
    const url = server.url()
    const db = openMongo({ url, log })
    t.after(() => db.close())
    const items = db.collection<Item, ItemIndex>(ITEMS)
    await db.prepare(AbortSignal.timeout(300_000))
    const answers = new Map<string, WriteResult | 'rejected'>()
    let killed: Promise<void> | undefined
    const chain = async (writer: number) => {
      for (let i = 0; i < 8; i++) {
        const id = `${writer}.${i}`
        answers.set(id, await items.write(insert(id)).catch(() => 'rejected' as const))
        if (answers.size >= 60) killed ??= server.kill().then(() => server.start())
      }
    }
    await Promise.all(Array.from({ length: 25 }, (_, writer) => chain(writer)))
    assert.ok(killed)
    await killed
    assert.equal(answers.size, 200)
    const there = await stored(url)
    for (const [id, answer] of answers) {
      const document = there.get(id)
      const ids = document?.outbox.map(({ id }) => id)
      if (answer !== 'rejected') assert.deepEqual(answer, written(1))
      if (answer !== 'rejected' || document) assert.deepEqual(ids, [`${id}.1`])
    }
    const acknowledged = [...answers.values()].filter(answer => answer !== 'rejected')
    assert.ok(acknowledged.length >= 60, `${acknowledged.length} acknowledged`)
  })

  describe('an answer that does not come', () => {
    const changes: Record<string, Change<Item>> = {
      insert: insert('new'),
      replace: replace('there', 1, 'changed'),
      remove: { kind: 'remove', version: 1, tenant: TENANT, id: 'there', events: [event('there', 'there.2')] },
    }
    for (const [kind, change] of Object.entries(changes)) {
      for (const fate of ['answer lost', 'request lost', 'request late'] as const) {
        it(`${kind}, ${fate}: it is made once`, async () => {
          await using test = await behindProxy(server.address, server.url())
          await test.items.write(insert('there'))
          const late = test.proxy.next(fate)
          const result = await test.items.write(change)
          await late()
          assert.deepEqual(result, written(kind === 'replace' ? 2 : 1))
          const id = kind === 'insert' ? 'new' : 'there'
          const document = (await stored(test.url)).get(id)
          const events = kind === 'insert' ? ['new.1'] : ['there.1', 'there.2']
          assert.deepEqual(
            document?.outbox.map(({ id }) => id),
            events,
          )
          assert.equal(document?.version, { insert: 1, replace: 2, remove: undefined }[kind])
        })
      }
    }

    it('is a conflict where another was faster', async () => {
      await using test = await behindProxy(server.address, server.url())
      await test.items.write(insert('there'))
      test.proxy.next('request lost', async () => {
        await test.direct.write(replace('there', 1, 'theirs'))
      })
      assert.deepEqual(await test.items.write(replace('there', 1, 'mine')), conflict('version'))
      assert.equal((await test.direct.get(TENANT, 'there'))?.note, 'theirs')
    })

    it('is found behind three later writes, and not behind more', async () => {
      await using test = await behindProxy(server.address, server.url())
      for (const [id, later] of [
        ['three', 3],
        ['four', 4],
      ] as const) {
        await test.items.write(insert(id))
        test.proxy.next('answer lost', async () => {
          for (let i = 0; i < later; i++) await test.direct.write(replace(id, 2 + i, 'theirs'))
        })
        const writing = test.items.write(replace(id, 1, 'mine'))
        if (later === 3) assert.deepEqual(await writing, written(2))
        else await assert.rejects(writing, ({ cause }) => cause instanceof OutcomeUnknown)
        assert.equal((await test.direct.get(TENANT, id))?.version, 2 + later)
      }
    })

    it('is told to the relay of this process when the writer was not told', async () => {
      await using test = await behindProxy(server.address, server.url())
      await test.items.write(insert('a'))
      test.proxy.next('answer lost', async () => {
        test.proxy.refuse(true)
      })
      await assert.rejects(test.items.write(replace('a', 1, 'mine')))
      test.proxy.refuse(false)
      const heard = Promise.withResolvers<Item>()
      const ending = new AbortController()
      const relaying = test.db.relay(
        { publish: async () => {}, heard: (_, document) => heard.resolve(document as Item) },
        ending.signal,
      )
      assert.equal((await heard.promise).note, 'mine')
      ending.abort()
      await relaying
    })
  })

  it('rejects within seconds while the server stands still, and then made the write at most once', async t => {
    const url = server.url()
    const db = openMongo({ url: `${url}?socketTimeoutMS=500&connectTimeoutMS=500&serverSelectionTimeoutMS=500`, log })
    t.after(() => db.close())
    const items = db.collection<Item, ItemIndex>(ITEMS)
    await items.write(insert('a'))
    server.pause()
    while (!isStopped(server.pid)); // The signal is on its way; a thread of the server may still answer.
    try {
      await Promise.all([
        assert.rejects(items.write(replace('a', 1, 'mine'))),
        assert.rejects(items.write(insert('b'))),
        assert.rejects(items.get(TENANT, 'a')),
      ])
    } finally {
      server.resume()
    }
    await db.ping()
    // The same again: it can't be told before what became of the first, and both can't be.
    const again = await Promise.all([items.write(replace('a', 1, 'mine')), items.write(insert('b'))])
    const there = await stored(url)
    const events = ['a', 'b'].map(id => there.get(id)?.outbox.map(({ id }) => id))
    assert.deepEqual(events, [['a.1', 'a.2'], ['b.1']], JSON.stringify(again))
  })

  it('rejects at once while the server has stood still for long, and works by itself when it goes on', async t => {
    // The driver's own look at the server, which takes the connection from a write under way, does not come meanwhile.
    const db = openMongo({ url: `${server.url()}?heartbeatFrequencyMS=600000`, log })
    t.after(() => db.close())
    const items = db.collection<Item, ItemIndex>(ITEMS)
    await items.write(insert('a'))
    // For the write below to have a connection that is open: one that is made while the server stands still never is.
    await Promise.all(Array.from({ length: 4 }, () => items.get(TENANT, 'a')))
    server.pause()
    try {
      const writing = items.write(replace('a', 1, 'mine'))
      // A read that waits for a connection may fail before: to connect takes at most as long as the circuit.
      let failure: unknown
      do failure = await items.get(TENANT, 'a').catch((error: unknown) => error)
      while (!isCircuitOpen(failure))
      await assert.rejects(items.write(insert('b')), isCircuitOpen)
      server.resume()
      assert.deepEqual(await writing, written(2)) // It was sent before.
      // A read that gave up while the server stood still may end only now, and open the circuit once more.
      const limit = performance.now() + 300_000
      const read = async (id: string): Promise<Item | undefined> =>
        await items.get(TENANT, id).catch(async error => {
          if (!isCircuitOpen(error) || performance.now() > limit) throw error
          await new Promise(resolve => setImmediate(resolve))
          return await read(id)
        })
      assert.equal((await read('a'))?.note, 'mine')
      assert.equal(await read('b'), undefined)
    } finally {
      server.resume()
    }
  })

  it('rejects while the server is away, and works when it is back', async t => {
    const url = `${server.url()}?serverSelectionTimeoutMS=1000`
    const db = openMongo({ url, log })
    t.after(() => db.close())
    const items = db.collection<Item, ItemIndex>(ITEMS)
    await items.write(insert('a'))
    await server.kill()
    const preparing = openMongo({ url, log })
    preparing.collection(ITEMS)
    const prepared = preparing.prepare(AbortSignal.timeout(300_000))
    await Promise.all([
      assert.rejects(db.ping()),
      assert.rejects(items.get(TENANT, 'a')),
      assert.rejects(items.write(insert('b'))),
    ])
    await server.start()
    await prepared
    await preparing.close()
    await db.ping()
    assert.equal((await items.get(TENANT, 'a'))?.version, 1)
  })
})

const isCircuitOpen = (error: unknown) => metadataOf(error).circuit === 'open'

const insert = (id: string): Change<Item> => ({ kind: 'insert', document: item(id), events: [event(id, `${id}.1`)] })

const replace = (id: string, version: number, note: string): Change<Item> => ({
  kind: 'replace',
  version,
  document: item(id, { note }),
  events: [event(id, `${id}.${version + 1}`)],
})

/** What is in the database, by another client. */
async function stored(url: string): Promise<Map<string, Stored>> {
  const client = new MongoClient(url)
  try {
    const all = await client.db().collection<Stored>(ITEMS.name).find().toArray()
    return new Map(all.map(document => [document._id.slice(`${TENANT}/`.length), document]))
  } finally {
    await client.close()
  }
}

interface Stored {
  readonly _id: string
  readonly version?: number
  readonly outbox: readonly { readonly id: string }[]
}

interface BehindProxy extends AsyncDisposable {
  readonly url: string
  readonly proxy: SeveringProxy
  readonly db: MongoDatabase
  /** Through the proxy. */
  readonly items: Collection<Item, ItemIndex>
  readonly direct: Collection<Item, ItemIndex>
}

async function behindProxy(address: string, url: string): Promise<BehindProxy> {
  const proxy = await startProxy(Number(address.split(':')[1]))
  const db = openMongo({ url: url.replace(address, `127.0.0.1:${proxy.port}`), log })
  const other = openMongo({ url, log })
  return {
    url,
    proxy,
    db,
    items: db.collection<Item, ItemIndex>(ITEMS),
    direct: other.collection<Item, ItemIndex>(ITEMS),
    async [Symbol.asyncDispose]() {
      await Promise.all([db.close(), other.close()])
      await proxy.close()
    },
  }
}

/** Whether every thread of a process stands still, where that is to be seen (proc(5)). */
function isStopped(pid: number): boolean {
  if (process.platform !== 'linux') return true
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads.every(thread => /\) T /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'latin1')))
}
