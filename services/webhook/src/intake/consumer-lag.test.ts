import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { sqliteEventLog } from '@millhand/eventlog/sqlite'
import { type ManualClock, manualClock } from '@millhand/process'
import { noAccount } from '@millhand/store'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { getBacklog } from '../rpc/get-backlog.ts'
import { noon } from '../webhook.fixture.ts'
import { type ConsumerLag, createConsumerLag } from './consumer-lag.ts'
import { tasksTopic } from './intake.fixture.ts'
import { type OffsetRecord, offsetsSpec, openOffset } from './offset.ts'
import { taskEvent } from './task-event.fixture.ts'

let folder: string
let db: SqliteDatabase
let clock: ManualClock
let look: () => Promise<ConsumerLag>
let appended: number
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millhand-lag-'))
  db = openSqlite({ file: join(folder, 'millhand.db') })
  clock = manualClock(noon)
  look = createConsumerLag({ events: sqliteEventLog(db), topics: [tasksTopic], offsets: offsets(), clock })
  appended = 0
})
afterEach(async () => {
  await db.close()
  await rm(folder, { recursive: true })
})

const offsets = () => db.collection<OffsetRecord, never>(offsetsSpec)
async function append(count: number) {
  const writers = db.collection({ name: 'writers', indexes: {} })
  const document = { tenant: 't', id: `${appended}` }
  await writers.write({ kind: 'insert', document, events: Array.from({ length: count }, () => taskEvent()) })
  appended += count
}
/** The intake is done with so many events. */
const read = async (count: number) => (await openOffset(offsets())).moveTo(String(count), 0)

test('who has read all is not behind, however long nothing has come', async () => {
  assert.deepEqual(await look(), { events: 0, seconds: 0 })
  await append(3)
  await read(3)
  await clock.advance(3_600_000)
  assert.deepEqual(await look(), { events: 0, seconds: 0 })
})

test('who reads nothing is behind by all that comes, from the look before the first of it on', async () => {
  await look()
  await clock.advance(5_000)
  await append(3)
  assert.deepEqual(await look(), { events: 3, seconds: 5 })
  await clock.advance(60_000)
  await append(4)
  assert.deepEqual(await look(), { events: 7, seconds: 65 })
})

test('who is always a little behind, since more comes all the time, is behind by the time between two looks', async () => {
  for (let n = 1; n < 200; n++) {
    await append(10)
    await read(10 * n - 1)
    const { events, seconds } = await look()
    assert.ok(events === 1 && seconds <= 5, `${seconds} s`)
    await clock.advance(5_000)
  }
})

test('who catches up is behind by less and less', async () => {
  for (let n = 0; n < 12; n++) {
    await look()
    await append(10)
    await clock.advance(5_000)
  }
  const behind: number[] = []
  for (const done of [0, 60, 119, 120]) {
    if (done > 0) await read(done)
    behind.push((await look()).seconds)
  }
  assert.deepEqual(behind, [60, 30, 5, 0])
})

test('it is told for days of standing still, by few looks that are kept', async () => {
  await append(1)
  for (let n = 0; n < 3_000; n++) {
    await look()
    await clock.advance(60_000)
  }
  assert.deepEqual(await look(), { events: 1, seconds: 180_000 })
})

test('it is late once it has stood still for over a minute', async () => {
  const isLate = async () => (await getBacklog({ lag: look })()).isLate
  await append(5)
  assert.equal(await isLate(), false)
  await clock.advance(60_000)
  assert.equal(await isLate(), false)
  await clock.advance(1)
  assert.equal(await isLate(), true)
  await read(5)
  assert.equal(await isLate(), false)
})

test('a place in another log is as good as none', async () => {
  await append(2)
  const document = { tenant: noAccount, id: 'intake', position: '?', since: 0 }
  await offsets().write({ kind: 'insert', document, events: [] })
  assert.equal((await look()).events, 2)
})
