/** How much of a tenant's work a pool leases at once. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ManualClock, manualClock } from '@millhand/process'
import type { Collection } from '@millhand/store'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { leaseMs } from './lease-timers.ts'
import { Pool } from './pool.ts'
import {
  countedByOwner,
  type LeaseCause,
  noDueTime,
  refuse,
  type StateMachine,
  type Work,
  workIndexes,
} from './work.ts'
import { createWorkStore, type WorkStore } from './work-store.ts'

type Stored = Collection<Work, 'ready' | 'due'>
type Claimer = Pool<Work, never>

const never = new AbortController().signal
const report = { compute_ms: 0, group_version: '', engine_kind: '', engine_name: '', provider: '' }

const machine: StateMachine<Work, LeaseCause> = {
  transition(work, cause) {
    if (cause.kind === 'claimed') {
      if (work.status !== 'queued') return refuse('not_queued')
      const { lease_id } = cause
      return { ...work, status: 'running', lease_id, attempt: work.attempt + 1, due_at: countedByOwner }
    }
    if (cause.kind === 'finished' && work.lease_id === cause.held.lease_id) {
      return { ...work, status: 'succeeded', lease_id: '', due_at: noDueTime }
    }
    if (cause.kind === 'lease_ended') return { ...work, status: 'queued', lease_id: '', due_at: noDueTime }
    return refuse('not_now')
  },
  events: () => [],
}

describe('a pool that may lease two pieces of a tenant’s work at once', () => {
  let folder: string
  let db: SqliteDatabase
  let stored: Stored
  let clock: ManualClock
  let ending: { stop(): Promise<void> }[]
  let made = 0

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millhand-caps-'))
    db = openSqlite({ file: join(folder, 'millhand.db') })
    stored = db.collection<Work, 'ready' | 'due'>({ name: 'work', indexes: workIndexes })
    clock = manualClock()
    ending = []
  })
  afterEach(async () => {
    for (const pool of ending) await pool.stop()
    await db.close()
    rmSync(folder, { recursive: true })
  })

  function open(find: Stored['find'] = (...words) => stored.find(...words)) {
    const collection: Stored = {
      get: (...words) => stored.get(...words),
      find,
      count: (...words) => stored.count(...words),
      write: change => stored.write(change),
    }
    const work = createWorkStore({ collection, machine, clock, onChanged: (...words) => pool.changed(...words) })
    const pool: Claimer = new Pool<Work, never>({
      name: 'live/onnx',
      work,
      clock,
      newLeaseId: () => crypto.randomUUID(),
      share: () => ({ weight: 1, maxRunning: 2 }),
      maxBatch: () => 4,
      onError: () => {},
    })
    const stopping = new AbortController()
    const running = pool.run(stopping.signal)
    const stop = async () => {
      stopping.abort()
      await running
    }
    ending.push({ stop })
    return { work, pool, stop }
  }

  async function put(work: WorkStore<Work, LeaseCause>, tenant: string) {
    const id = `task_${String(made++).padStart(4, '0')}`
    const queued = { pool: 'live/onnx', group: 'g', rank: 1, status: 'queued', alone: false, backoff_ms: 0 }
    await work.insert({ tenant, id, version: 1, ...queued, due_at: noDueTime, lease_id: '', attempt: 0 }, [])
  }
  const claim = async (pool: Claimer, executorId = 'exec_a', waitMs = 0) => {
    const { runs } = await pool.claim({ executorId, runs: 1, busy: new Set(), waitMs }, never)
    return runs.flatMap(run => run.work)
  }
  /** Claims until something has come: a pool that has just begun still reads its store. */
  const claimSome = async (pool: Claimer) => {
    for (;;) {
      const leased = await claim(pool)
      if (leased.length > 0) return leased
      await nextTurn()
    }
  }
  const finish = async (pool: Claimer, { tenant, id, lease_id, attempt }: Work) =>
    assert.ok(await pool.finish(tenant, id, { lease_id, attempt }, { kind: 'output', output: '1' }, report))

  it('keeps to that, however many ask at once, and passes over to others', async () => {
    const { work, pool } = open()
    for (let i = 0; i < 6; i++) await put(work, 'acct_a/live')
    await claimSome(pool).then(leased => assert.equal(leased.length, 2))
    const asked = await Promise.all(['a', 'b', 'c'].map(executor => claim(pool, executor)))
    assert.deepEqual(asked.flat(), [])
    await put(work, 'acct_b/live')
    const [other] = await claim(pool)
    assert.equal(other?.tenant, 'acct_b/live')
  })

  it('keeps to that between the asking and the lease', async () => {
    const { work, pool } = open()
    await put(work, 'acct_a/live')
    await finish(pool, (await claimSome(pool))[0] as Work)
    for (let i = 0; i < 9; i++) await put(work, 'acct_a/live')
    const asked = await Promise.all(['a', 'b', 'c'].map(executor => claim(pool, executor)))
    assert.equal(asked.flat().length, 2)
  })

  it('gives room for newcomers to a tenant of which nothing runs, as soon as there is one', async () => {
    const { work, pool } = open()
    const newcomers = { executorId: 'exec_n', runs: 1, busy: new Set<string>(), newcomersOnly: true }
    await put(work, 'acct_a/live')
    assert.equal((await claimSome(pool)).length, 1)
    await put(work, 'acct_a/live')
    assert.deepEqual((await pool.claim({ ...newcomers, waitMs: 0 }, never)).runs, [])
    const waiting = pool.claim({ ...newcomers, waitMs: 600_000 }, never)
    await put(work, 'acct_b/live')
    await put(work, 'acct_b/live')
    const { runs } = await waiting
    assert.deepEqual(new Set(runs.flatMap(run => run.work.map(({ tenant }) => tenant))), new Set(['acct_b/live']))
    await put(work, 'acct_b/live')
    assert.deepEqual((await pool.claim({ ...newcomers, waitMs: 0 }, never)).runs, [])
    assert.equal((await claim(pool)).length > 0, true, 'what is left is for the other slots')
  })

  it('gives the next to a claim that waits, as soon as one has ended in any way', async () => {
    const { work, pool } = open()
    for (let i = 0; i < 5; i++) await put(work, 'acct_a/live')
    const [first, second] = await claimSome(pool)
    const waiting = claim(pool, 'exec_b', 600_000)
    await finish(pool, first as Work)
    const [third] = await waiting
    assert.ok(third)
    const lost = claim(pool, 'exec_b', 600_000)
    await clock.advance(leaseMs - 1_000)
    await pool.renew('acct_a/live', third.id, third.lease_id)
    for (let ms = 0; ms < 2_000; ms += 500) await clock.advance(500)
    const [fourth] = await lost
    assert.notEqual(fourth?.id, third.id)
    assert.equal((await stored.get('acct_a/live', (second as Work).id))?.lease_id === second?.lease_id, false)
  })

  it('keeps to that from the beginning, where another has leased before', async () => {
    const before = open()
    for (let i = 0; i < 2; i++) await put(before.work, 'acct_a/live')
    const [first] = await claimSome(before.pool)
    await before.stop()

    const looks = Promise.withResolvers<void>()
    const after = open(async (index, query) => {
      if (index === 'due') await looks.promise
      return await stored.find(index, query)
    })
    await put(after.work, 'acct_a/live')
    assert.deepEqual(await claim(after.pool), [])
    const waiting = claim(after.pool, 'exec_b', 600_000)
    looks.resolve()
    await put(after.work, 'acct_b/live')
    assert.equal((await waiting)[0]?.tenant, 'acct_b/live')
    assert.deepEqual(await claim(after.pool), [])
    await finish(after.pool, first as Work)
    assert.equal((await claim(after.pool)).length, 1)
  })
})
