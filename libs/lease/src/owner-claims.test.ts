/** A pool whose owner claims for itself: its leases end with it, by no time. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openSqlite } from '@millhand/store/sqlite'
import { type Letter, openLetters } from './letter-work.fixture.ts'
import { countedByOwner } from './work.ts'

const hour = 3_600_000
const boxes = (letters: readonly Letter[]) => letters.map(({ box }) => box).sort()

describe('a pool whose owner claims for itself', () => {
  let letters: ReturnType<typeof openLetters>

  beforeEach(() => {
    letters = openLetters(openSqlite)
  })
  afterEach(() => letters.close())

  it('lets boxes take turns, and gives several of one at once', async () => {
    const { work, pool } = letters.open()
    await letters.put(work, 'a', 4)
    await letters.put(work, 'b', 1)
    assert.deepEqual((await letters.claim(pool)).map(({ box }) => box).sort(), ['a', 'a', 'b'])
    assert.deepEqual(await letters.claim(pool), [])
  })

  it('keeps a lease until it is settled, however long that takes', async () => {
    const { work, pool } = letters.open()
    await letters.put(work, 'a', 1)
    const [held] = await letters.claim(pool)
    await letters.pass(hour / 60)
    assert.deepEqual(await letters.claim(pool), [])
    assert.equal(await letters.settle(pool, held as Letter), true)
  })

  it('takes up at once what another held that is gone', async () => {
    const before = letters.open()
    await letters.put(before.work, 'a', 2)
    assert.equal((await letters.claim(before.pool)).length, 2)
    await before.stop()
    const after = letters.open()
    assert.equal((await letters.claimed(after.pool, 2)).length, 2)
    assert.equal(letters.clock.monotonic(), 0)
  })

  it('refuses what an owner of before settles, and its own goes on', async () => {
    const before = letters.open()
    await letters.put(before.work, 'a', 1)
    const [old] = await letters.claim(before.pool)
    const after = letters.open()
    const [held] = await letters.claimed(after.pool, 1)
    assert.equal(await letters.settle(before.pool, old as Letter), false)
    assert.equal(await letters.settle(after.pool, held as Letter), true)
  })

  it('hears of what was given back elsewhere when what it settles is refused', async () => {
    const before = letters.open()
    await letters.put(before.work, 'a', 1)
    const [old] = await letters.claim(before.pool)
    const after = letters.open()
    const held = await letters.claimed(after.pool, 1)
    await after.pool.release([{ group: 'a', work: held }])
    await after.stop()
    assert.equal(await letters.settle(before.pool, old as Letter), false)
    assert.equal((await letters.claim(before.pool)).length, 1)
  })

  it('lends nothing once it has ended, and when it runs again all that there is then', async () => {
    const { work, pool, run, stop } = letters.open()
    await letters.put(work, 'a', 3)
    const lent = await letters.claim(pool)
    assert.deepEqual(boxes(lent), ['a', 'a'])
    await letters.put(work, 'b', 2)
    await stop()
    assert.deepEqual(await letters.claim(pool), [])

    const other = letters.open()
    const taken = await letters.claimed(other.pool, 4)
    for (const one of taken.filter(({ box }) => box === 'a')) await letters.settle(other.pool, one)
    await other.stop()
    await letters.putUnheard('c', 1)
    await letters.putUnheard('d', 1, { status: 'waiting', due_at: letters.clock.now() + 5_000 })

    run()
    await letters.pass(500)
    const again = await letters.claim(pool)
    assert.deepEqual(boxes(again), ['a', 'b', 'b', 'c'])
    for (const one of lent) assert.equal(await letters.settle(pool, one), false)
    for (const one of again) assert.equal(await letters.settle(pool, one), true)
    await letters.pass(6_000)
    assert.deepEqual(boxes(await letters.claim(pool)), ['d'])
  })

  it('looks again soon after it began for what an owner of before has left meanwhile', async () => {
    const { pool } = letters.open()
    await letters.pass(1_000)
    await letters.putUnheard('a', 1)
    await letters.putUnheard('b', 1, { status: 'running', lease_id: 'left', due_at: countedByOwner })
    await letters.pass(6_000)
    assert.deepEqual(boxes(await letters.claim(pool)), ['a', 'b'])
  })

  it('takes up soon what an owner of before has claimed after a stall, and left', async () => {
    const [before, after] = [letters.open(), letters.open()]
    await letters.pass(10_000)
    await letters.put(before.work, 'a', 1)
    await letters.put(after.work, 'b', 1)
    const unheard = await letters.stored.find('ready', { equals: ['letters'], limit: 9 })
    for (const letter of unheard) for (const { pool } of [before, after]) pool.changed(undefined, letter)
    assert.deepEqual(boxes(await letters.claim(before.pool)), ['a', 'b'])
    assert.deepEqual(await letters.claim(after.pool), [])
    await before.stop()
    await letters.pass(6_000)
    assert.deepEqual(boxes(await letters.claim(after.pool)), ['a', 'b'])
  })

  it('gives room back whatever came of a claim', async () => {
    let fails = false
    const { work, pool } = letters.open({
      write: async change => {
        const result = await letters.stored.write(change)
        if (fails && change.kind === 'replace') throw new Error('the answer is lost')
        return result
      },
    })
    await letters.put(work, 'a', 2)
    fails = true
    await assert.rejects(letters.claim(pool), /lost/)
    fails = false
    await letters.pass(1_500)
    const held = await letters.claimed(pool, 2)
    assert.deepEqual(
      held.map(({ attempt }) => attempt),
      [2, 2],
    )
  })

  it('settles again where the store could not say whether it had', async () => {
    let fails = false
    const { work, pool } = letters.open({
      write: change => (fails ? Promise.reject(new Error('away')) : letters.stored.write(change)),
    })
    await letters.put(work, 'a', 1)
    const [held] = await letters.claim(pool)
    fails = true
    await assert.rejects(letters.settle(pool, held as Letter), /away/)
    await letters.pass(5_000)
    fails = false
    await letters.pass(5_000)
    assert.equal(await letters.settle(pool, held as Letter), true)
  })

  it('lets another have the place of what ends under the same cap, also while its claim waits', async () => {
    const { work, pool } = letters.open()
    letters.most.set('all', 1)
    for (const box of ['a', 'b']) await letters.put(work, box, 1)
    const [one, ...none] = await letters.claim(pool)
    assert.deepEqual([one?.box, none], ['a', []])
    const waiting = letters.claim(pool, 99, hour)
    await nextTurn()
    await letters.settle(pool, one as Letter)
    assert.equal((await waiting)[0]?.box, 'b')
  })

  it('wakes a claim that waits when a cap is raised', async () => {
    const { work, pool } = letters.open()
    letters.most.set('a', 0)
    await letters.put(work, 'a', 5)
    assert.deepEqual(await letters.claim(pool), [])
    const waiting = letters.claim(pool, 99, hour)
    await nextTurn()
    letters.most.set('a', 3)
    pool.mayRunMore('a')
    assert.equal((await waiting).length, 3)
  })

  it('finds what nobody told of, window by window', async () => {
    const { pool } = letters.open()
    await letters.pass(1_000)
    for (const box of ['a', 'b', 'c']) await letters.putUnheard(box, 300)
    for (const box of ['a', 'b', 'c']) letters.most.set(box, 1_000)
    await letters.pass(121_000)
    const all: Letter[] = []
    for (let some = await letters.claim(pool); some.length > 0; some = await letters.claim(pool)) all.push(...some)
    assert.equal(new Set(all.map(({ id }) => id)).size, 900)
  })
})
