/** How much a pool reads of its store, and that nobody waits for it who need not. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openSqlite } from '@millhand/store/sqlite'
import { type Letter, openLetters } from './letter-work.fixture.ts'

const WINDOW = 4

describe('what a pool reads of its store', () => {
  let letters: ReturnType<typeof openLetters>
  /** How often it was asked since the last look, and how many documents it gave. */
  let asked: { due: number; ready: number; documents: number; gets: number }
  /** What answers of the index `ready` wait for. */
  let held: Promise<void> | undefined

  beforeEach(() => {
    letters = openLetters(openSqlite)
    held = undefined
    look()
  })
  afterEach(() => letters.close())

  function look() {
    const before = asked
    asked = { due: 0, ready: 0, documents: 0, gets: 0 }
    return before
  }
  const open = () =>
    letters.open(
      {
        get(tenant, id) {
          asked.gets++
          return letters.stored.get(tenant, id)
        },
        async find(index, query) {
          if (index === 'ready') await held
          const found = await letters.stored.find(index, query)
          asked[index === 'ready' ? 'ready' : 'due']++
          asked.documents += found.length
          return found
        },
      },
      WINDOW,
    )
  const boxes = (claimed: readonly Letter[]) => claimed.map(({ box }) => box).sort()

  it('asks once a second while there is nothing to do', async () => {
    open()
    await letters.pass(1_000)
    look()
    await letters.pass(60_000)
    const { due, ready } = look()
    assert.ok(due <= 60 + 1, `${due} times for what is due`) // Once for leases.
    assert.ok(ready <= 1, `${ready} times for what is ready`)
  })

  it('finds what is due at its time where it heard of it, and else within a second', async () => {
    const { work, pool } = open()
    const waiting = (ms: number) => ({ status: 'waiting', due_at: letters.clock.now() + ms })
    await letters.put(work, 'first', 1, waiting(10_300))
    await letters.put(work, 'second', 1, waiting(12_700))
    const until = async (ms: number) => {
      await letters.pass(ms - letters.clock.monotonic())
      return boxes(await letters.claim(pool))
    }
    assert.deepEqual(await until(10_000), [])
    assert.deepEqual(await until(10_500), ['first'])
    assert.deepEqual(await until(12_500), [])
    assert.deepEqual(await until(13_000), ['second'])
    await letters.putUnheard('unheard', 1, waiting(7_300))
    assert.deepEqual(await until(20_000), [])
    assert.deepEqual(await until(21_500), ['unheard'])
  })

  it('reads of a long line one more than its window holds when it begins', async () => {
    for (const box of ['a', 'b']) await letters.putUnheard(box, 1_000)
    await letters.putUnheard('c', 1)
    const { pool } = open()
    await letters.pass(500)
    const { ready, documents } = look()
    assert.deepEqual(boxes(await letters.claim(pool)), ['a', 'a', 'b', 'b', 'c'])
    assert.ok(ready <= 3 && documents <= 3 * (WINDOW + 1), `${documents} documents, asked for ${ready} times`)
  })

  it('reads short lines together', async () => {
    for (let n = 0; n < 100; n++) await letters.putUnheard(`box${n}`, 3)
    const { pool } = open()
    await letters.pass(500)
    const { ready, documents } = look()
    assert.equal((await letters.claim(pool, 999)).length, 200)
    assert.ok(ready <= 10 && documents <= 310, `${documents} documents, asked for ${ready} times`)
  })

  it('goes past lines that are full when it looks again, and finds what nobody told of behind them', async () => {
    for (let n = 0; n < 50; n++) await letters.putUnheard(`box${n}`, 20)
    const { pool } = open()
    letters.most.set('all', 0)
    await letters.pass(500)
    await letters.putUnheard('last', 3)
    look()
    await letters.pass(121_000)
    const { ready, documents } = look()
    assert.ok(ready <= 60 && documents <= 60, `${documents} documents, asked for ${ready} times`)
    letters.most.set('all', 999)
    pool.mayRunMore('all')
    for (let n = 0; n < 50; n++) letters.most.set(`box${n}`, 0)
    assert.deepEqual(boxes(await letters.claim(pool)), ['last', 'last'])
  })

  it('lends what it has while the store is slow to give more', async () => {
    letters.most.set('a', 99)
    await letters.putUnheard('a', 20)
    const { pool } = open()
    await letters.pass(500)
    const store = Promise.withResolvers<void>()
    held = store.promise
    for (let n = 0; n < WINDOW; n++) assert.equal((await letters.claim(pool, 1)).length, 1)
    const waiting = letters.claim(pool, 99, 60_000)
    store.resolve()
    assert.ok((await waiting).length > 0)
  })

  it('goes on with what has half emptied while it read', async () => {
    for (const box of ['a', 'b']) letters.most.set(box, 99)
    for (const box of ['a', 'b']) await letters.putUnheard(box, 20)
    const { pool } = open()
    await letters.pass(500)
    const store = Promise.withResolvers<void>()
    held = store.promise
    look()
    while (!boxes(await letters.claim(pool, 1)).includes('b'));
    for (let n = 0; n < 2 * WINDOW - 2; n++) await letters.claim(pool, 1)
    store.resolve()
    for (let turns = 0; turns < 1_000 && asked.ready < 2; turns++) await nextTurn()
    assert.equal(asked.ready, 2)
  })

  it('lends everything, however many windows that is, and reads nothing twice by name', async () => {
    letters.most.set('a', 999)
    await letters.putUnheard('a', 300)
    const { pool } = open()
    await letters.pass(500)
    const held: Letter[] = []
    while (held.length < 300) held.push(...(await letters.claim(pool, 7, 60_000)))
    for (const one of held) await letters.settle(pool, one)
    assert.equal(new Set(held.map(({ id }) => id)).size, 300)
    assert.equal(look().gets, 0)
  })

  it('tells what is due that it is without reading it again', async () => {
    await letters.putUnheard('a', 100, { status: 'waiting', due_at: 5_000 })
    const { pool } = open()
    letters.most.set('a', 999)
    await letters.pass(6_000)
    assert.equal((await letters.claim(pool)).length, WINDOW)
    assert.equal(look().gets, 0)
  })

  it('is not misled by what it read before another changed it', async () => {
    await letters.putUnheard('a', 1)
    const one = open()
    await letters.pass(500)
    const other = letters.open()
    await letters.pass(500)
    assert.equal((await letters.claim(other.pool)).length, 1)
    assert.deepEqual(await letters.claim(one.pool), [])
  })
})
