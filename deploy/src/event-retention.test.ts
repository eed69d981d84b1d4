/** The log of the one process grows no longer than all have read it. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { manualClock } from '@millhand/process'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { trimEvents } from './event-retention.ts'

const DAY_MS = 86_400_000
let folder: string
let db: SqliteDatabase
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millhand-retention-'))
  db = openSqlite({ file: join(folder, 'millhand.db') })
})
afterEach(async () => {
  await db.close()
  await rm(folder, { recursive: true })
})

test('events that webhooks have not read stay in the log, however old, and the log says who holds them', async () => {
  const clock = manualClock(Date.UTC(2026, 10, 22, 12))
  const things = db.collection({ name: 'things', indexes: {} })
  for (let n = 1; n <= 4; n++) {
    const event = { topic: 't', key: 'k', id: `evt_${n}`, type: 'x', time: clock.now(), value: '{}' }
    await things.write({ kind: 'insert', document: { tenant: 't', id: `${n}` }, events: [event] })
  }
  await clock.advance(40 * DAY_MS) // Nobody had started it meanwhile.

  const left = () => db.read<[string]>('SELECT id FROM event_log').map(([id]) => id)
  /** What is left after the trimmings of two hours, and what each said. */
  const trimmed = async (position: string): Promise<[string[], ...unknown[][]]> => {
    const said: unknown[] = []
    const write = (line: string) => {
      const { event, events, held_by } = JSON.parse(line)
      said.push([event, events ?? held_by])
    }
    const log = createLog({ level: 'info', write })
    const stop = new AbortController()
    const hours: unknown[][] = []
    const sleep = async () => {
      if (hours.push(said.splice(0)) === 2) stop.abort()
    }
    const tails = async () => ({ webhooks: position })
    const topics = { webhooks: ['t'] }
    await trimEvents({ db, retentionMs: 30 * DAY_MS, tails, topics, clock: { ...clock, sleep }, log }, stop.signal)
    return [left(), ...hours]
  }
  const all = ['evt_1', 'evt_2', 'evt_3', 'evt_4']
  const held = ['events.held_back', ['webhooks']]
  // Not in the first hour: it may just have been started, and read on.
  assert.deepEqual(await trimmed('beginning'), [all, [], [held]])
  assert.deepEqual(await trimmed('a place in another log'), [all, [], [held]])
  assert.deepEqual(await trimmed('2'), [all.slice(2), [['events.trimmed', 2]], [held]])
  assert.deepEqual(await trimmed('4'), [all.slice(3), [['events.trimmed', 1]], []])
})

test('a group that no service reads with any more does not hold back the log', async () => {
  const clock = manualClock(Date.UTC(2026, 10, 22, 12))
  const things = db.collection({ name: 'things', indexes: {} })
  for (let n = 1; n <= 2; n++) {
    const event = { topic: 't', key: 'k', id: `evt_${n}`, type: 'x', time: clock.now(), value: '{}' }
    await things.write({ kind: 'insert', document: { tenant: 't', id: `${n}` }, events: [event] })
  }
  await clock.advance(40 * DAY_MS)
  await db.execute("INSERT INTO event_subscriptions VALUES ('earlier', 0), ('billing-compute', 2)")
  const stop = new AbortController()
  const sleep = async () => stop.abort()
  const log = createLog({ level: 'error' })
  const topics = { 'billing-compute': ['t'] }
  const options = { db, retentionMs: 30 * DAY_MS, tails: async () => ({}), topics, log }
  await trimEvents({ ...options, clock: { ...clock, sleep } }, stop.signal)
  assert.deepEqual(db.read('SELECT subscriber_group FROM event_subscriptions'), [['billing-compute']])
  assert.deepEqual(db.read('SELECT id FROM event_log'), [['evt_2']])
})
