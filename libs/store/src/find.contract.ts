/** The part of the contract of `Collection` that is `find`. */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { beforeEach, describe, it } from 'node:test'
import fc from 'fast-check'

import type { Collection, Database, Query, Scalar } from './collection.ts'
import { ITEMS, type Item, type ItemIndex, item, TENANT } from './contract-items.fixture.ts'

export function describeFind(opened: () => Database): void {
  describe('find', () => {
    let items: Collection<Item, ItemIndex>
    const insert = (document: ReturnType<typeof item>) => items.write({ kind: 'insert', document, events: [] })

    beforeEach(() => {
      items = opened().collection<Item, ItemIndex>(ITEMS)
    })

    it('sees every write that was answered before', async () => {
      for (let i = 0; i < 20; i++) {
        await insert(item(`i${i}`))
        assert.equal((await items.find('primary', { equals: [TENANT], limit: 100 })).length, i + 1)
        assert.equal(await items.count('primary', { equals: [TENANT] }, 100), i + 1)
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

    it('counts no further than the limit', async () => {
      await Promise.all(Array.from({ length: 30 }, (_, i) => insert(item(`i${i}`, { state: 'ready', due: i }))))
      await insert(item('idle', { due: 3 }))
      await insert({ ...item('other', { state: 'ready', due: 3 }), tenant: 'acct_b/live' })
      for (const [limit, counted] of [
        [1, 1],
        [29, 29],
        [1_000_000, 31],
      ] as const)
        assert.equal(await items.count('due', { equals: [] }, limit), counted)
      assert.equal(await items.count('due', { equals: [3] }, 9), 2)
      assert.equal(await items.count('primary', { equals: [TENANT], after: ['i5'], before: ['idle'] }, 9), 4)
      await items.write({ kind: 'remove', version: 1, tenant: TENANT, id: 'i3', events: [] })
      assert.equal(await items.count('due', { equals: [3] }, 9), 1)
      await assert.rejects(items.count('primary', { equals: [] }, 0), RangeError)
    })

    it('agrees with a plain array on every index, range and order', async () => {
      await agreesWithArray(opened())
    })
  })
}

/** A property over random documents and queries. `FC_SEED` replays the seed that a failure prints. */
async function agreesWithArray(store: Database): Promise<void> {
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
        assert.equal(await items.count(index, asked, limit), found.length)
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
