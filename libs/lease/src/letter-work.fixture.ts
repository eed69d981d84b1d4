/** Pools of letters whose owners claim for themselves, on a store in memory of its own kind: flows are boxes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clock, manualClock } from '@millhand/process'
import type { Collection, Database } from '@millhand/store'
import { Pool } from './pool.ts'
import { countedByOwner, type LeaseCause, noDueTime, refuse, type StateMachine, type Work } from './work.ts'
import { createWorkStore, type WorkStore } from './work-store.ts'

export interface Letter extends Work {
  readonly box: string
}
type Stored = Collection<Letter, 'ready' | 'due'>
type Carrier = Pool<Letter, never>

const machine: StateMachine<Letter, LeaseCause> = {
  transition(letter, cause) {
    if (cause.kind === 'claimed') {
      if (letter.status !== 'queued') return refuse('not_queued')
      const { lease_id } = cause
      return { ...letter, status: 'running', lease_id, attempt: letter.attempt + 1, due_at: countedByOwner }
    }
    if (cause.kind === 'due') return { ...letter, status: 'queued', due_at: noDueTime }
    if (!('held' in cause) || letter.lease_id !== cause.held.lease_id) return refuse('stale_lease')
    const status = cause.kind === 'finished' && cause.outcome.kind !== 'returned' ? 'succeeded' : 'queued'
    return { ...letter, status, lease_id: '', due_at: noDueTime }
  },
  events: () => [],
}

/** On a database that is made in an empty file. */
export function openLetters(openDatabase: (options: { file: string }) => Database & { close(): Promise<void> }) {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-letters-'))
  const db = openDatabase({ file: join(folder, 'millhand.db') })
  const stored: Stored = db.collection<Letter, 'ready' | 'due'>({
    name: 'letters',
    indexes: {
      ready: { fields: ['pool', 'box', 'rank', 'id'], when: { field: 'status', in: ['queued'] } },
      due: {
        fields: ['pool', 'due_at', 'tenant', 'id'],
        when: { field: 'status', in: ['queued', 'waiting', 'running'] },
      },
    },
  })
  const clock = manualClock()
  /** Pools that have begun, and how many of those have nothing to do until the clock goes on. */
  const pools = { running: 0, asleep: 0 }
  const clockOfPools: Clock = {
    ...clock,
    async sleep(ms, signal) {
      if (ms > 0) pools.asleep++
      await clock.sleep(ms, signal).finally(() => {
        if (ms > 0) pools.asleep--
      })
    },
  }
  const stops: (() => Promise<void>)[] = []
  /** How many of a box may be out at once, and of `all`: else 2, and any number. */
  const most = new Map<string, number>()

  /** Over a store that does as `otherwise` says, and else as the real one does. */
  function open(otherwise: Partial<Stored> = {}, window = 4) {
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
      clock: clockOfPools,
      newLeaseId: () => crypto.randomUUID(),
      flows: { of: ({ box }) => box, rest: [] },
      share: () => ({ weight: 1, maxRunning: Number.POSITIVE_INFINITY }),
      caps: ({ flow }) => [
        { key: flow, maxRunning: most.get(flow) ?? 2 },
        { key: 'all', maxRunning: most.get('all') ?? 9_999 },
      ],
      ownerClaims: true,
      window,
      onError: () => {},
    })
    /** Runs it: once more where it was stopped. */
    const run = () => {
      const stopping = new AbortController()
      pools.running++
      const running = pool.run(stopping.signal).finally(() => pools.running--)
      const stop = async () => {
        stopping.abort()
        await running
      }
      stops.push(stop)
      return stop
    }
    return { work, pool, run, stop: run() }
  }

  const idle = async () => {
    while (pools.asleep < pools.running) await clock.advance(0)
  }
  const letter = (box: string, n: number): Letter => ({
    tenant: 'acct_a/live',
    id: `letter_${box}_${String(n).padStart(4, '0')}`,
    version: 1,
    box,
    ...{ pool: 'letters', group: box, rank: 1, status: 'queued', alone: false, backoff_ms: 0 },
    ...{ due_at: noDueTime, lease_id: '', attempt: 0 },
  })
  const claim = async (pool: Carrier, runs = 99, waitMs = 0) => {
    const { runs: claimed } = await pool.claim({ executorId: 'me', runs, busy: new Set(), waitMs }, never)
    return claimed.flatMap(run => run.work)
  }

  return {
    stored,
    clock,
    most,
    open,
    async put(
      to: Pick<WorkStore<Letter, LeaseCause>, 'insert'>,
      box: string,
      count: number,
      more: Partial<Letter> = {},
    ) {
      for (let n = 0; n < count; n++) await to.insert({ ...letter(box, n), ...more }, [])
    },
    /** Of which no pool is told. */
    async putUnheard(box: string, count: number, more: Partial<Letter> = {}) {
      const all = Array.from({ length: count }, (_, n) => ({ ...letter(box, n), ...more }))
      await Promise.all(all.map(document => stored.write({ kind: 'insert', document, events: [] })))
    },
    claim,
    /** Claims until so many have come: a pool that has just begun still reads its store. */
    async claimed(pool: Carrier, count: number) {
      const all: Letter[] = []
      while (all.length < count) {
        all.push(...(await claim(pool)))
        await clock.advance(0)
      }
      return all
    },
    settle(pool: Carrier, held: Letter) {
      const report = { compute_ms: 0, group_version: '', engine_kind: '', engine_name: '', provider: '' }
      return pool.settle(held, { kind: 'finished', held, outcome: { kind: 'output', output: '' }, report } as never)
    },
    /** Lets time pass, half a second at a time; what the pools do at each takes none. */
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 500) {
        await idle()
        await clock.advance(500)
      }
      await idle()
    },
    async close() {
      for (const stop of stops) await stop()
      await db.close()
      rmSync(folder, { recursive: true })
    },
  }
}

const never = new AbortController().signal
