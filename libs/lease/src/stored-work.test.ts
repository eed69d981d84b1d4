import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Collection } from '@millhand/store'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import fc from 'fast-check'
import { ReadyQueue } from './ready-queue.ts'
import { readyWork, tenants } from './stored-work.ts'
import { noDueTime, type Work, workIndexes } from './work.ts'

const share = { weight: 1, maxRunning: Number.POSITIVE_INFINITY }

/** So many pieces of a flow and rank: those that are ready, and those that wait for their next attempt. */
interface Part {
  readonly tenant: string
  readonly rank: number
  readonly ready: number
  readonly waiting: number
}
const part: fc.Arbitrary<Part> = fc.record({
  tenant: fc.constantFrom('a/live', 'b/live', 'c/live', 'd/live', 'e/live'),
  rank: fc.constantFrom(0, 1, 2),
  ready: fc.oneof(fc.nat(3), fc.nat(20)),
  waiting: fc.oneof(fc.constant(0), fc.nat(8)),
})
const parts = fc.uniqueArray(part, { maxLength: 15, selector: ({ tenant, rank }) => `${tenant} ${rank}` })

describe('a ready queue that is filled from the store', () => {
  let folder: string
  let db: SqliteDatabase
  let stored: Collection<Work, 'ready' | 'due'>
  let pools = 0
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'millhand-stored-work-'))
    db = openSqlite({ file: join(folder, 'millhand.db') })
    stored = db.collection<Work, 'ready' | 'due'>({ name: 'work', indexes: workIndexes })
  })
  after(async () => {
    await db.close()
    rmSync(folder, { recursive: true })
  })

  /** In a pool of its own. */
  async function store(all: readonly Part[]): Promise<Work[]> {
    const pool = `pool_${++pools}`
    const works = all.flatMap(({ tenant, rank, ready, waiting }) =>
      Array.from({ length: ready + waiting }, (_, n): Work => {
        const id = `${pool}_${tenant}_${rank}_${String(n).padStart(4, '0')}`
        const backoff_ms = n < ready ? 0 : 1 + (n % 3)
        return {
          ...{ tenant, id, version: 1, pool, group: 'g', rank, status: 'queued', alone: false, backoff_ms },
          ...{ due_at: noDueTime, lease_id: '', attempt: 0 },
        }
      }),
    )
    await Promise.all(works.map(document => stored.write({ kind: 'insert', document, events: [] })))
    return works
  }

  it('takes up every piece that is ready, or knows that the store has more of its line and rank', async () => {
    const claims = fc.array(fc.nat(6), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(parts, fc.integer({ min: 1, max: 9 }), claims, async (all, window, taking) => {
        const works = await store(all)
        const queue = new ReadyQueue({ running: () => 0, window })
        const known = new Set<string>()
        // Claims go on while it reads, and it is filled again by whoever looks for what nobody told of.
        for (let times = 0; times < 2; times++) {
          const turns = taking.values()
          for await (const page of readyWork({ find: stored.find }, `pool_${pools}`, tenants, queue)) {
            for (const { tenant, id, group, rank, alone = false, backoff_ms } of page) {
              assert.equal(backoff_ms, 0)
              if (queue.offer({ tenant, id, flow: tenant, group, rank, alone, share })) known.add(id)
            }
            queue.take(turns.next().value ?? 0)
          }
          for (const { tenant, id, rank, backoff_ms } of works) {
            if (backoff_ms === 0 && !known.has(id)) assert.ok(queue.hasMore({ flow: tenant, rank }), id)
          }
        }
      }),
    )
  })

  it('passes over what only waits', async () => {
    const rest = { rank: 1, waiting: 300 }
    await store(['a/live', 'b/live', 'c/live'].map(tenant => ({ tenant, ready: 2, ...rest })))
    const queue = new ReadyQueue({ running: () => 0, window: 4 })
    let read = 0
    const find: typeof stored.find = async (index, query) => {
      const found = await stored.find(index, query)
      read += found.length
      assert.ok(read < 100)
      return found
    }
    const ready: Work[] = []
    for await (const page of readyWork({ find }, `pool_${pools}`, tenants, queue)) ready.push(...page)
    assert.deepEqual([ready.length, read], [6, 15])
  })
})
