/** A pool whose owner claims for itself: its leases end with it, by no time. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ManualClock, manualClock } from '@millhand/runner'
import type { Collection } from '@millhand/store'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { Pool } from './pool.ts'
import { countedByOwner, type LeaseCause, type Machine, noDueTime, refuse, type Work } from './work.ts'
import { createWorkStore, type WorkStore } from './work-store.ts'

interface Letter extends Work {
  readonly box: string
}
type Stored = Collection<Letter, 'ready' | 'due'>
type Carrier = Pool<Letter, never>

const never = new AbortController().signal
const hour = 3_600_000

const machine: Machine<Letter, LeaseCause> = {
  transition(letter, cause) {
    if (cause.kind === 'claimed') {
      if (letter.status !== 'queued') return refuse('not_queued')
      const { lease_id } = cause
      return { ...letter, status: 'running', lease_id, attempt: letter.attempt + 1, due_at: countedByOwner }
    }
    if (!('held' in cause) || letter.lease_id !== cause.held.lease_id) return refuse('stale_lease')
    const status = cause.kind === 'finished' && cause.outcome.kind !== 'returned' ? 'succeeded' : 'queued'
    return { ...letter, status, lease_id: '', due_at: noDueTime }
  },
  events: () => [],
}

describe('a pool whose owner claims for itself', () => {
  let folder: string
  let db: SqliteDatabase
  let stored: Stored
  let clock: ManualClock
  let stops: (() => Promise<void>)[]
  let most: Map<string, number>

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millhand-owner-claims-'))
    db = openSqlite({ file: join(folder, 'millhand.db') })
    stored = db.collection<Letter, 'ready' | 'due'>({
      name: 'letters',
      indexes: {
        ready: { fields: ['pool', 'box', 'rank', 'id'], when: { field: 'status', in: ['queued'] } },
        due: { fields: ['pool', 'due_at', 'tenant', 'id'], when: { field: 'status', in: ['queued', 'running'] } },
      },
    })
    clock = manualClock()
    stops = []
    most = new Map()
  })
  afterEach(async () => {
    for (const stop of stops) await stop()
    await db.close()
    rmSync(folder, { recursive: true })
  })

  function open(otherwise: Partial<Stored> = {}) {
    const collection: Stored = {
      get: (...words) => stored.get(...words),
      find: (...words) => stored.find(...words),
      count: (...words) => stored.count(...words),
      write: change => stored.write(change),
      ...otherwise,
    }
    const work = createWorkStore({ collection, machine, clock, onChanged: (...words) => pool.changed(...words) })
    const pool: Carrier = new Pool<Letter, never>({
      name: 'letters',
      work,
      clock,
      newLeaseId: () => crypto.randomUUID(),
      lines: { of: ({ box }) => box, rest: [] },
      share: () => ({ weight: 1, mostRunning: Number.POSITIVE_INFINITY }),
      caps: ({ line }) => [
        { key: line, mostRunning: most.get(line) ?? 2 },
        { key: 'all', mostRunning: most.get('all') ?? 9_999 },
      ],
      ownerClaims: true,
      window: 4,
      onError: () => {},
    })
    const stopping = new AbortController()
    const running = pool.run(stopping.signal)
    const stop = async () => {
      stopping.abort()
      await running
    }
    stops.push(stop)
    return { work, pool, stop }
  }

  const letter = (box: string, n: number): Letter => ({
    tenant: 'acct_a/live',
    id: `letter_${box}_${String(n).padStart(4, '0')}`,
    version: 1,
    box,
    ...{ pool: 'letters', group: box, rank: 1, status: 'queued', alone: false, backoff_ms: 0 },
    ...{ due_at: noDueTime, lease_id: '', attempt: 0 },
  })
  const put = async (to: Pick<WorkStore<Letter, LeaseCause>, 'insert'>, box: string, count: number) => {
    for (let n = 0; n < count; n++) await to.insert(letter(box, n), [])
  }
  const putUnheard = async (box: string, count: number) => {
    for (let n = 0; n < count; n++) await stored.write({ kind: 'insert', document: letter(box, n), events: [] })
  }
  const claim = async (pool: Carrier, runs = 99, waitMs = 0) => {
    const { runs: claimed } = await pool.claim({ executorId: 'me', runs, busy: new Set(), waitMs }, never)
    return claimed.flatMap(run => run.work)
  }
  /** Claims until so many have come: a pool that has just begun still reads its store. */
  const claimed = async (pool: Carrier, count: number) => {
    const all: Letter[] = []
    while (all.length < count) {
      all.push(...(await claim(pool)))
      await clock.advance(0)
    }
    return all
  }
  const settle = (pool: Carrier, held: Letter) => {
    const report = { compute_ms: 0, group_version: '', engine_kind: '', engine_name: '', provider: '' }
    return pool.settle(held, { kind: 'finished', held, outcome: { kind: 'output', output: '' }, report } as never)
  }
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 500) {
      await clock.advance(500)
      await nextTurn()
    }
  }

  it('lets boxes take turns, and gives several of one at once', async () => {
    const { work, pool } = open()
    await put(work, 'a', 4)
    await put(work, 'b', 1)
    assert.deepEqual((await claim(pool)).map(({ box }) => box).sort(), ['a', 'a', 'b'])
    assert.deepEqual(await claim(pool), [])
  })

  it('keeps a lease until it is settled, however long that takes', async () => {
    const { work, pool } = open()
    await put(work, 'a', 1)
    const [held] = await claim(pool)
    await pass(hour / 60)
    assert.deepEqual(await claim(pool), [])
    assert.equal(await settle(pool, held as Letter), true)
  })

  it('takes up at once what another held that is gone', async () => {
    const before = open()
    await put(before.work, 'a', 2)
    assert.equal((await claim(before.pool)).length, 2)
    await before.stop()
    const after = open()
    assert.equal((await claimed(after.pool, 2)).length, 2)
    assert.equal(clock.monotonic(), 0)
  })

  it('refuses what an owner of before settles, and its own goes on', async () => {
    const before = open()
    await put(before.work, 'a', 1)
    const [old] = await claim(before.pool)
    const after = open()
    const [held] = await claimed(after.pool, 1)
    assert.equal(await settle(before.pool, old as Letter), false)
    assert.equal(await settle(after.pool, held as Letter), true)
  })

  it('gives room back whatever came of a claim', async () => {
    let fails = false
    const { work, pool } = open({
      write: async change => {
        const result = await stored.write(change)
        if (fails && change.kind === 'replace') throw new Error('the answer is lost')
        return result
      },
    })
    await put(work, 'a', 2)
    fails = true
    await assert.rejects(claim(pool), /lost/)
    fails = false
    await pass(1_500)
    const held = await claimed(pool, 2)
    assert.deepEqual(
      held.map(({ attempt }) => attempt),
      [2, 2],
    )
  })

  it('settles again where the store could not say whether it had', async () => {
    let fails = false
    const { work, pool } = open({
      write: change => (fails ? Promise.reject(new Error('away')) : stored.write(change)),
    })
    await put(work, 'a', 1)
    const [held] = await claim(pool)
    fails = true
    await assert.rejects(settle(pool, held as Letter), /away/)
    await pass(5_000)
    fails = false
    await pass(5_000)
    assert.equal(await settle(pool, held as Letter), true)
  })

  it('lets another have the place of what ends under the same cap, also while its claim waits', async () => {
    const { work, pool } = open()
    most.set('all', 1)
    for (const box of ['a', 'b']) await put(work, box, 1)
    const [one, ...none] = await claim(pool)
    assert.deepEqual([one?.box, none], ['a', []])
    const waiting = claim(pool, 99, hour)
    await nextTurn()
    await settle(pool, one as Letter)
    assert.equal((await waiting)[0]?.box, 'b')
  })

  it('wakes a claim that waits when a cap is raised', async () => {
    const { work, pool } = open()
    most.set('a', 0)
    await put(work, 'a', 5)
    assert.deepEqual(await claim(pool), [])
    const waiting = claim(pool, 99, hour)
    await nextTurn()
    most.set('a', 3)
    pool.mayRunMore('a')
    assert.equal((await waiting).length, 3)
  })

  it('finds what nobody told of, window by window', async () => {
    const { pool } = open()
    await pass(1_000)
    for (const box of ['a', 'b', 'c']) await putUnheard(box, 300)
    for (const box of ['a', 'b', 'c']) most.set(box, 1_000)
    await pass(31_000)
    const all: Letter[] = []
    for (let some = await claim(pool); some.length > 0; some = await claim(pool)) all.push(...some)
    assert.equal(new Set(all.map(({ id }) => id)).size, 900)
  })

  it('reads of a long line no more than its window when it begins', async () => {
    for (const box of ['a', 'b']) await putUnheard(box, 1_000)
    await putUnheard('c', 1)
    let read = 0
    const { pool } = open({
      find: async (...words) => {
        const found = await stored.find(...words)
        read += found.length
        return found
      },
    })
    await pass(500)
    assert.deepEqual((await claim(pool)).map(({ box }) => box).sort(), ['a', 'a', 'b', 'b', 'c'])
    assert.ok(read < 1_000, `${read} were read`)
  })
})
