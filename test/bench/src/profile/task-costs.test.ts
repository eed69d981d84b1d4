/** What a task costs in calls: these are exact, whatever the machine does meanwhile. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@millhand/test-e2e/server'
import { digitsTasks } from '../digits-task.ts'
import { countCalls } from './count-calls.ts'
import type { Counts } from './counts.ts'
import { type ProfiledServer, profiledServer } from './profiled-server.ts'

const TASKS = 100
/** What has taken longer than this may have rested for 30 ms, after which it is written without its end. */
const LATE_MS = 25

describe('a task', () => {
  let profiled: ProfiledServer
  let raw: string

  before(async () => {
    const entry = fileURLToPath(new URL('../noop-server.ts', import.meta.url))
    profiled = await profiledServer({ what: 'counts', entry, folder: temporaryFolder('millhand-costs-') })
    const [task] = await digitsTasks(profiled.server)
    raw = task?.body ?? ''
    await create({ prefer: 'wait=30' })
  })
  after(() => profiled[Symbol.asyncDispose]())

  const create = async (more: Record<string, string> = {}) => {
    const headers = { 'content-type': 'application/json', ...more }
    const { status, body } = await profiled.server.request('POST', '/v1/tasks', { raw, headers })
    assert.equal(status, 201)
    return body
  }
  const counted = async (work: () => Promise<unknown>) => (await profiled.during(work)) as Counts

  it('that is waited for at one connection is made JSON once and costs two transactions at most', async () => {
    let late = 0
    const began = performance.now()
    const counts = await counted(async () => {
      for (let task = 0; task < TASKS; task++) {
        const asked = performance.now()
        const { status } = await create({ prefer: 'wait=30' })
        assert.equal(status, 'succeeded')
        if (performance.now() - asked >= LATE_MS) late += 1
      }
    })
    const seconds = (performance.now() - began) / 1_000
    assert.equal(counts.recordEncodes, counts.recordWrites)
    assert.ok(counts.recordWrites <= TASKS + 2 * late, `${counts.recordWrites} writes, ${late} late`)
    assert.equal(counts.events, 3 * TASKS)
    assert.equal(counts.eventCopies, 0)
    // Places of readers are saved once a second where nothing else is written, and counts for `/status` every ten.
    const most = 2 * (TASKS + late) + Math.ceil(seconds) + Math.ceil(seconds / 10)
    assert.ok(counts.transactions <= most, `${counts.transactions} transactions, ${late} late, ${seconds} s`)
    assert.equal(counts.syncs, counts.transactions)
  })

  it('that nobody waits for is made JSON once a write, and its events are stored once', async () => {
    const counts = await counted(async () => {
      const created = await Promise.all(Array.from({ length: 20 }, () => create()))
      for (const { id } of created)
        while ((await profiled.server.request('GET', `/v1/tasks/${id}`)).body.status !== 'succeeded') await pause(10)
    })
    assert.equal(counts.recordEncodes, counts.recordWrites)
    assert.deepEqual([counts.events, counts.eventCopies], [60, 0])
  })
})

test('a second encode, a second copy of an event and each commit are counted', () => {
  const counts = countCalls()
  using db = new DatabaseSync(':memory:')
  db.exec('CREATE TABLE tasks (body); CREATE TABLE archive (body); CREATE TABLE event_log (a, b, c, d, e, f, g)')
  const value = JSON.stringify({ id: 'evt_1', type: 'task.queued', object: {} })
  const record = { tenant: 'a/live', history: [], attempt: 0 }
  const rowOf = (table: string, ...row: (string | number)[]) =>
    db.prepare(`INSERT INTO ${table} VALUES (${row.map(() => '?').join(', ')})`).run(...row)
  db.prepare('BEGIN IMMEDIATE').run()
  rowOf('tasks', JSON.stringify(record))
  rowOf('event_log', 1, 'topic', 'key', 'evt_1', 'task.queued', 0, value)
  rowOf('archive', JSON.stringify({ tenant: 'a/live', value }))
  rowOf('archive', JSON.stringify({ read: 'evt_1' }))
  db.prepare('COMMIT').run()
  JSON.stringify(record)
  const { transactions, recordWrites, recordEncodes, events, eventCopies, statements } = counts
  assert.deepEqual([transactions, recordWrites, recordEncodes, events, eventCopies, statements], [1, 1, 2, 1, 1, 4])
})
