/** What every adapter of `Collection` has to do. An adapter's test calls `describeCollection` and adds its own. */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { afterEach, beforeEach, describe, it } from 'node:test'
import fc from 'fast-check'
import type { Collection, CollectionSpec, Document, Draft, OutboxEvent, Query, Scalar } from './collection.ts'

/** A store that has just been opened: empty, except after `reopen`. */
export interface OpenStore {
  collection<T extends Document, I extends string>(spec: CollectionSpec<I>): Collection<T, I>
  /** All events that were ever appended, in the log's order of each key. May wait until an outbox has drained. */
  readEvents(): Promise<readonly OutboxEvent[]>
  /** Closes the store and opens what it left. */
  reopen(): Promise<OpenStore>
  close(): Promise<void>
}

interface Item extends Document {
  readonly name: string
  readonly state: string
  readonly rank: number
  readonly due?: number
  readonly note?: string
}

const ITEMS = {
  name: 'items',
  indexes: {
    by_rank: { fields: ['tenant', 'rank', 'name'] },
    by_state: { fields: ['state'] },
    due: { fields: ['due', 'id'], when: { field: 'state', in: ["wait'ing", 'ready'] } },
    unique_name: { fields: ['tenant', 'name'], unique: true },
  },
} as const satisfies CollectionSpec

type ItemIndex = keyof typeof ITEMS.indexes

const TENANT = 'acct_a/live'

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

    describe('find', () => {
      it('sees every write that was answered before', async () => {
        for (let i = 0; i < 20; i++) {
          await insert(item(`i${i}`))
          assert.equal((await items.find('primary', { equals: [TENANT], limit: 100 })).length, i + 1)
        }
      })

      it('orders strings by their UTF-8 bytes and breaks ties by (tenant, id)', async () => {
        // UTF-16 order would put the emoji (a surrogate pair) before U+FF5E.
        const names = ['', 'A', 'Z', 'a', 'a\u0000', 'a\u0000b', 'ab', 'é', '日本', '\uff5e', '😀']
        await Promise.all(names.map((name, i) => insert(item(`${names.length - i}`, { name, state: 'same' }))))
        const byName = await items.find('by_rank', { equals: [TENANT, 1], limit: 100 })
        assert.deepEqual(
          byName.map(({ name }) => name),
          names,
        )
        const byTie = await items.find('by_state', { equals: ['same'], limit: 100 })
        assert.deepEqual(
          byTie.map(({ id }) => id),
          names.map((_, i) => `${i + 1}`).sort(),
        )
        const down = await items.find('by_state', { equals: ['same'], order: 'desc', limit: 3 })
        assert.deepEqual(
          down.map(({ id }) => id),
          names
            .map((_, i) => `${i + 1}`)
            .sort()
            .reverse()
            .slice(0, 3),
        )
      })

      it('orders numbers by value', async () => {
        const ranks = [-1e15, -2.5, -1, 0, 0.1, 2, 10, 1e3, 2 ** 53 - 1]
        await Promise.all(ranks.map((rank, i) => insert(item(`${ranks.length - i}`, { rank }))))
        const found = await items.find('by_rank', { equals: [TENANT], limit: 100 })
        assert.deepEqual(
          found.map(({ rank }) => rank),
          ranks,
        )
      })

      it('does not take a string of digits for a number', async () => {
        await insert(item('10', { name: '10' }))
        await insert(item('9', { name: '9' }))
        const found = await items.find('by_rank', { equals: [TENANT, 1], limit: 10 })
        assert.deepEqual(
          found.map(({ name }) => name),
          ['10', '9'],
        )
        assert.equal((await items.find('by_rank', { equals: [TENANT, 1, '9'], limit: 10 })).length, 1)
      })

      it('gives back any JSON, unchanged', async () => {
        const note = 'nul \u0000, line \u2028, emoji 😀, quote " \\ \' and __proto__'
        const odd = JSON.parse('{"__proto__": {"x": [1, null, true, {"y": ""}]}, "constructor": 1e300}')
        const document = { ...item('a', { note }), odd }
        await insert(document)
        assert.deepEqual(await items.get(TENANT, 'a'), { ...document, version: 1 })
        const id = 'b\u0000c 日本 😀'
        await insert(item(id))
        assert.equal((await items.get(TENANT, id))?.id, id)
        assert.equal(await items.get(TENANT, 'b'), undefined)
      })

      it('leaves out of a partial index what is not in it', async () => {
        await insert(item('in', { state: "wait'ing", due: 2 }))
        await insert(item('first', { state: 'ready', due: 1 }))
        await insert(item('out', { state: 'idle', due: 3 }))
        const due = () => items.find('due', { equals: [], before: [100], limit: 10 })
        assert.deepEqual(
          (await due()).map(({ id }) => id),
          ['first', 'in'],
        )
        await items.write({ kind: 'replace', version: 1, document: item('first', { due: 1 }), events: [] })
        assert.deepEqual(
          (await due()).map(({ id }) => id),
          ['in'],
        )
        await items.write({
          kind: 'replace',
          version: 1,
          document: item('out', { state: 'ready', due: 3 }),
          events: [],
        })
        assert.deepEqual(
          (await due()).map(({ id }) => id),
          ['in', 'out'],
        )
      })

      it('agrees with a plain array on every index, range and order', async () => {
        await agreesWithArray(store)
      })
    })
  })
}

/** A property over random documents and queries. `FC_SEED` replays the seed that a failure prints. */
async function agreesWithArray(store: OpenStore): Promise<void> {
  const seed = Number(process.env.FC_SEED ?? randomInt(2 ** 31))
  const word = fc.constantFrom('', 'a', 'aa', 'b', '\u0000', 'é', '\uff5e', '😀')
  const rank = fc.constantFrom(-1, 0, 0.5, 1, 2)
  const tenant = fc.constantFrom('t1', 't2')
  const state = fc.constantFrom("wait'ing", 'ready', 'idle')
  const documents = fc.uniqueArray(
    fc.record({ tenant, id: word, name: word, rank, due: rank, state }, { noNullPrototype: true }),
    {
      selector: ({ tenant, id }) => JSON.stringify([tenant, id]),
      maxLength: 12,
    },
  )
  const fields = {
    primary: ['tenant', 'id'],
    by_rank: ['tenant', 'rank', 'name', 'id'],
    by_state: ['state', 'tenant', 'id'],
    due: ['due', 'id', 'tenant'],
  }
  const values: Record<string, fc.Arbitrary<Scalar>> = { tenant, id: word, name: word, rank, due: rank, state }
  const query = fc.constantFrom(...(Object.keys(fields) as (keyof typeof fields)[])).chain(index => {
    const key = fc.tuple(...fields[index].map(field => values[field] as fc.Arbitrary<Scalar>))
    const size = fc.nat({ max: fields[index].length })
    return fc.record({
      index: fc.constant(index),
      key,
      equals: size,
      after: fc.option(fc.tuple(key, size)),
      before: fc.option(fc.tuple(key, size)),
      order: fc.constantFrom('asc' as const, 'desc' as const),
      limit: fc.integer({ min: 1, max: 12 }),
    })
  })

  let round = 0
  const property = fc.asyncProperty(
    documents,
    fc.array(query, { minLength: 1, maxLength: 10 }),
    async (all, queries) => {
      round += 1
      const { unique_name: _, ...indexes } = ITEMS.indexes
      const items = store.collection<Item, keyof typeof indexes>({ name: `items_${round}`, indexes })
      await Promise.all(all.map(document => items.write({ kind: 'insert', document, events: [] })))
      for (const { index, key, equals, after, before, order, limit } of queries) {
        const range = (bound: [Scalar[], number] | null) => bound?.[0].slice(equals, Math.max(bound[1], equals)) ?? []
        const asked: Query = {
          equals: key.slice(0, equals),
          ...(range(after).length > 0 && { after: range(after) }),
          ...(range(before).length > 0 && { before: range(before) }),
          order,
          limit,
        }
        const within = index === 'due' ? all.filter(({ state }) => state !== 'idle') : all
        const found = await items.find(index, asked)
        assert.deepEqual(
          found.map(({ version, ...document }) => document),
          model(within, fields[index], asked),
          JSON.stringify({ index, asked }),
        )
      }
    },
  )
  await fc.assert(property, { seed, numRuns: 40, endOnFailure: true })
}

function model<T extends object>(documents: readonly T[], fields: readonly string[], query: Query): T[] {
  const { equals, after, before, order, limit } = query
  const keyOf = (document: T) => fields.map(field => (document as Record<string, Scalar>)[field] as Scalar)
  const compare = (a: readonly Scalar[], b: readonly Scalar[]) => {
    for (let i = 0; i < Math.min(a.length, b.length); i++) {
      const [x, y] = [a[i], b[i]]
      const by = typeof x === 'number' ? x - Number(y) : Buffer.compare(Buffer.from(String(x)), Buffer.from(String(y)))
      if (by !== 0) return by
    }
    return 0
  }
  return documents
    .filter(document => {
      const key = keyOf(document)
      const rest = key.slice(equals.length)
      return (
        compare(key.slice(0, equals.length), equals) === 0 &&
        (after === undefined || compare(rest, after) > 0) &&
        (before === undefined || compare(rest, before) < 0)
      )
    })
    .sort((a, b) => (order === 'desc' ? compare(keyOf(b), keyOf(a)) : compare(keyOf(a), keyOf(b))))
    .slice(0, limit)
}

const item = (id: string, fields: Partial<Draft<Item>> = {}): Draft<Item> => ({
  tenant: TENANT,
  id,
  name: id,
  state: 'idle',
  rank: 1,
  ...fields,
})

const event = (key: string, id: string): OutboxEvent => ({
  topic: 'items.v1',
  key,
  id,
  type: 'item.changed',
  time: 1_700_000_000_123,
  value: JSON.stringify({ id, text: 'NUL \u0000 and 😀' }),
})

const written = (version: number) => ({ kind: 'written', version })
const conflict = (index: string) => ({ kind: 'conflict', index })
