/** What every adapter of `Collection` has to do. An adapter's test calls `describeCollection` and adds its own. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { Collection, Database, Draft, OutboxEvent } from './collection.ts'
import { conflict, event, ITEMS, type Item, type ItemIndex, item, TENANT, written } from './contract-items.fixture.ts'
import { describeFind } from './find.contract.ts'

/** A store that has just been opened: empty, except after `reopen`. */
export interface OpenStore extends Database {
  /** All events that were ever appended, in the log's order of each key. May wait until an outbox has drained. */
  readEvents(): Promise<readonly OutboxEvent[]>
  /** Closes the store and opens what it left. */
  reopen(): Promise<OpenStore>
  close(): Promise<void>
}

export function describeCollection(name: string, open: () => Promise<OpenStore>): void {
  describe(`${name}: Collection`, () => {
    let store: OpenStore
    let items: Collection<Item, ItemIndex>

    beforeEach(async () => {
      store = await open()
      items = store.collection<Item, ItemIndex>(ITEMS)
    })
    afterEach(() => store.close())

    const insert = (document: Draft<Item>, events: readonly OutboxEvent[] = []) =>
      items.write({ kind: 'insert', document, events })

    describe('write', () => {
      it('inserts a document as version 1, replaces it as the next, removes it', async () => {
        assert.deepEqual(await insert(item('a')), { kind: 'written', version: 1 })
        assert.deepEqual(await items.get(TENANT, 'a'), { ...item('a'), version: 1 })

        const document = item('a', { rank: 7, note: 'changed' })
        assert.deepEqual(await items.write({ kind: 'replace', version: 1, document, events: [] }), written(2))
        assert.deepEqual(await items.get(TENANT, 'a'), { ...document, version: 2 })

        await items.write({ kind: 'remove', version: 2, tenant: TENANT, id: 'a', events: [] })
        assert.equal(await items.get(TENANT, 'a'), undefined)
        assert.deepEqual(await items.find('primary', { equals: [], limit: 10 }), [])
        assert.deepEqual(await insert(item('a')), written(1))
      })

      it('inserts a document as the version that is said: who has read an earlier one does not take it for that', async () => {
        const first = 2 ** 50
        await insert(item('a'))
        await items.write({ kind: 'remove', version: 1, tenant: TENANT, id: 'a', events: [] })
        const write = { kind: 'insert', version: first, document: item('a'), events: [] } as const
        assert.deepEqual(await items.write(write), written(first))
        // Of two indexes that refuse a document nothing promises which is named: this one breaks the primary alone.
        const again = { ...write, document: item('a', { name: 'other' }) }
        assert.deepEqual(await items.write(again), conflict('primary'))
        assert.deepEqual(await items.get(TENANT, 'a'), { ...item('a'), version: first })
        const change = { document: item('a', { rank: 2 }), events: [] }
        assert.deepEqual(await items.write({ kind: 'replace', version: 1, ...change }), conflict('version'))
        assert.deepEqual(await items.write({ kind: 'replace', version: first, ...change }), written(first + 1))
        assert.deepEqual((await items.find('primary', { equals: [], limit: 2 }))[0]?.version, first + 1)
      })

      it('replaces a document as the version that is said', async () => {
        await insert(item('a'))
        const change = { document: item('a', { rank: 2 }), events: [] }
        assert.deepEqual(await items.write({ kind: 'replace', version: 1, to: 4, ...change }), written(4))
        assert.equal((await items.get(TENANT, 'a'))?.version, 4)
        assert.deepEqual(await items.write({ kind: 'replace', version: 2, ...change }), conflict('version'))
        assert.deepEqual(await items.write({ kind: 'replace', version: 4, ...change }), written(5))
      })

      it('takes a document that still carries the version it was read with', async () => {
        await insert(item('a'))
        const read = await items.get(TENANT, 'a')
        assert.ok(read)
        await items.write({ kind: 'replace', version: 1, document: { ...read, rank: 2 }, events: [] })
        assert.deepEqual(await items.get(TENANT, 'a'), { ...item('a', { rank: 2 }), version: 2 })
      })

      it('drops fields that a replacement lacks', async () => {
        await insert(item('a', { note: 'here', due: 5, state: 'ready' }))
        await items.write({ kind: 'replace', version: 1, document: item('a'), events: [] })
        assert.deepEqual(await items.get(TENANT, 'a'), { ...item('a'), version: 2 })
        assert.deepEqual(await items.find('due', { equals: [], limit: 10 }), [])
      })

      it('stores what the document was at the call', async () => {
        const document = { ...item('a'), note: 'before' }
        const writing = insert(document)
        document.note = 'after'
        await writing
        assert.equal((await items.get(TENANT, 'a'))?.note, 'before')
      })

      it('keeps tenants apart', async () => {
        await insert(item('a'))
        assert.deepEqual(await insert({ ...item('a', { rank: 2 }), tenant: 'acct_a/test' }), written(1))
        assert.equal((await items.get('acct_a/test', 'a'))?.rank, 2)
        assert.equal((await items.get(TENANT, 'a'))?.rank, 1)
        assert.equal(await items.get('acct_b/live', 'a'), undefined)
      })

      it('names the index that refuses an insert', async () => {
        await insert(item('a'))
        assert.deepEqual(await insert(item('a', { name: 'other', rank: 2 })), conflict('primary'))
        assert.deepEqual(await insert(item('b', { name: 'a' })), conflict('unique_name'))
        assert.equal(await items.get(TENANT, 'b'), undefined)
      })

      it('names the index that refuses a replacement', async () => {
        await insert(item('a'))
        await insert(item('b'))
        const taken = item('b', { name: 'a' })
        assert.deepEqual(
          await items.write({ kind: 'replace', version: 1, document: taken, events: [] }),
          conflict('unique_name'),
        )
        assert.deepEqual(await items.get(TENANT, 'b'), { ...item('b'), version: 1 })
      })

      it('refuses a replacement or removal of another version, or of what is not there', async () => {
        await insert(item('a'))
        await items.write({ kind: 'replace', version: 1, document: item('a', { rank: 2 }), events: [] })
        for (const version of [0, 1, 3]) {
          const document = item('a', { rank: 3, name: 'b' })
          assert.deepEqual(await items.write({ kind: 'replace', version, document, events: [] }), conflict('version'))
          const gone = items.write({ kind: 'remove', version, tenant: TENANT, id: 'a', events: [] })
          assert.deepEqual(await gone, conflict('version'))
        }
        assert.deepEqual(
          await items.write({ kind: 'replace', version: 1, document: item('b'), events: [] }),
          conflict('version'),
        )
        assert.equal((await items.get(TENANT, 'a'))?.rank, 2)
      })

      it('has exactly one winner among many concurrent writes of one version', async () => {
        await insert(item('a', { rank: 0 }))
        for (let version = 1; version <= 20; version++) {
          const rivals = Array.from({ length: 16 }, (_, rival) =>
            items.write({
              kind: 'replace',
              version,
              document: item('a', { rank: rival }),
              events: [event('a', `${version}.${rival}`)],
            }),
          )
          const results = await Promise.all(rivals)
          const winners = results.flatMap((result, rival) => (result.kind === 'written' ? [rival] : []))
          assert.equal(winners.length, 1, `round ${version}`)
          for (const result of results) if (result.kind === 'conflict') assert.equal(result.index, 'version')
          const now = await items.get(TENANT, 'a')
          assert.deepEqual([now?.rank, now?.version], [winners[0], version + 1])
          assert.equal((await store.readEvents()).at(-1)?.id, `${version}.${winners[0]}`)
        }
        assert.equal((await store.readEvents()).length, 20)
      })

      it('has exactly one winner among many concurrent inserts of one unique value', async () => {
        const rivals = Array.from({ length: 32 }, (_, rival) => insert(item(`r${rival}`, { name: 'one' })))
        const results = await Promise.all(rivals)
        assert.equal(results.filter(({ kind }) => kind === 'written').length, 1)
        for (const result of results) if (result.kind === 'conflict') assert.equal(result.index, 'unique_name')
        assert.equal((await items.find('primary', { equals: [], limit: 100 })).length, 1)
      })

      it('lets a conflict disturb no write around it', async () => {
        await insert(item('taken'))
        const ids = Array.from({ length: 30 }, (_, i) => `n${i}`)
        const results = await Promise.all(
          ids.map((id, i) => insert(item(id, i % 3 === 1 ? { name: 'taken' } : {}), [event(id, `evt_${id}`)])),
        )
        const expected = ids.filter((_, i) => i % 3 !== 1)
        assert.deepEqual(
          results.map(({ kind }) => kind),
          ids.map((_, i) => (i % 3 === 1 ? 'conflict' : 'written')),
        )
        const found = await items.find('primary', { equals: [TENANT], limit: 100 })
        assert.deepEqual(found.map(({ id }) => id).sort(), [...expected, 'taken'].sort())
        assert.deepEqual((await store.readEvents()).map(({ key }) => key).sort(), [...expected].sort())
      })
    })

    describe('events', () => {
      it('are appended whole', async () => {
        const plain = event('a', 'evt_1')
        const traced = {
          ...event('a', 'evt_2'),
          traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        }
        await insert(item('a'), [plain, traced])
        assert.deepEqual(await store.readEvents(), [plain, traced])
      })

      it('are appended if and only if the change was made', async () => {
        await insert(item('a'), [event('a', 'made')])
        await insert(item('a'), [event('a', 'primary')])
        await insert(item('b', { name: 'a' }), [event('b', 'unique')])
        await items.write({ kind: 'replace', version: 9, document: item('a'), events: [event('a', 'version')] })
        await items.write({ kind: 'remove', version: 9, tenant: TENANT, id: 'a', events: [event('a', 'remove')] })
        await items.write({ kind: 'remove', version: 1, tenant: TENANT, id: 'a', events: [event('a', 'removed')] })
        assert.deepEqual(
          (await store.readEvents()).map(({ id }) => id),
          ['made', 'removed'],
        )
      })

      it('keep their order per key, over documents written at once', async () => {
        const ids = Array.from({ length: 8 }, (_, i) => `k${i}`)
        await Promise.all(
          ids.map(async id => {
            await insert(item(id), [event(id, `${id}.0`)])
            for (let version = 1; version < 6; version++) {
              const events = [event(id, `${id}.${version}a`), event(id, `${id}.${version}b`)]
              await items.write({ kind: 'replace', version, document: item(id, { rank: version }), events })
            }
          }),
        )
        const events = await store.readEvents()
        for (const id of ids) {
          const expected = [`${id}.0`, ...[1, 2, 3, 4, 5].flatMap(n => [`${id}.${n}a`, `${id}.${n}b`])]
          assert.deepEqual(
            events.filter(({ key }) => key === id).map(event => event.id),
            expected,
          )
        }
      })
    })

    describe('durability', () => {
      it('keeps documents, versions and events over a reopening', async () => {
        await insert(item('a', { note: 'kept' }), [event('a', 'evt_1')])
        await insert(item('b', { state: 'ready', due: 3 }), [event('b', 'evt_2')])
        await items.write({ kind: 'replace', version: 1, document: item('a'), events: [event('a', 'evt_3')] })
        await items.write({ kind: 'remove', version: 2, tenant: TENANT, id: 'a', events: [event('a', 'evt_4')] })
        store = await store.reopen()
        items = store.collection<Item, ItemIndex>(ITEMS)

        assert.equal(await items.get(TENANT, 'a'), undefined)
        assert.deepEqual(await items.find('due', { equals: [3], limit: 1 }), [
          { ...item('b', { state: 'ready', due: 3 }), version: 1 },
        ])
        const events = await store.readEvents()
        assert.deepEqual(
          events.filter(({ key }) => key === 'a').map(({ id }) => id),
          ['evt_1', 'evt_3', 'evt_4'],
        )
        assert.deepEqual(await insert(item('c', { name: 'b' })), conflict('unique_name'))
      })

      it('fills an index that is new to a collection with the documents that are there', async () => {
        await insert(item('a', { note: 'x' }))
        await insert(item('b', { note: 'y' }))
        store = await store.reopen()
        const more = { ...ITEMS.indexes, by_note: { fields: ['note'], when: { field: 'state', in: ['idle'] } } }
        const wider = store.collection<Item, ItemIndex | 'by_note'>({ name: 'items', indexes: more })
        assert.deepEqual(
          (await wider.find('by_note', { equals: ['y'], limit: 5 })).map(({ id }) => id),
          ['b'],
        )
        items = wider
      })
    })

    describeFind(() => store)
  })
}
