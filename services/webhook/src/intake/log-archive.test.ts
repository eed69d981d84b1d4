/** Where the log is the archive, the intake stores no event, and reads only those that somebody asks for. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { sqliteArchive, sqliteEventLog } from '@millhand/eventlog/sqlite'
import type { Document, OutboxEvent } from '@millhand/store'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { logArchiver } from '../archive/archiver.ts'
import { AskingTenants } from './asking-tenants.ts'
import { killedAfter, openArchive, running, tasksTopic } from './intake.fixture.ts'
import { createIntake } from './intake.ts'
import { endpoint, taskEvent } from './task-event.fixture.ts'

const withCallback = (account: string) =>
  taskEvent({ account, callback: { url: 'https://example.com/called', events: [] } })

describe('sqlite: the log as the archive', () => {
  let folder: string
  let db: SqliteDatabase
  let at: ReturnType<typeof openArchive>
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-log-archive-'))
    db = openSqlite({ file: join(folder, 'millhand.db') })
    const stored = openArchive({ db, events: sqliteEventLog(db) })
    at = { ...stored, deps: { ...stored.deps, archiver: logArchiver(sqliteArchive(db, [tasksTopic])) } }
  })
  afterEach(async () => {
    await db.close()
    await rm(folder, { recursive: true })
  })

  async function append(tenant: string, ...events: OutboxEvent[]): Promise<void> {
    const writers = db.collection<Document, never>({ name: 'writers', indexes: {} })
    await writers.write({ kind: 'insert', document: { tenant, id: crypto.randomUUID() }, events })
  }
  async function takeIn(tenant: string, ...events: OutboxEvent[]): Promise<void> {
    const intake = running(at.deps)
    await append(tenant, ...events)
    await intake.until(...events)
    await intake.stop()
  }

  it('makes deliveries of what an endpoint or a callback asks for, and stores no event', async () => {
    const heard = endpoint()
    await at.add(heard)
    const [mine, others, callback] = [taskEvent(), taskEvent({ account: 'acct_b' }), withCallback('acct_b')]
    await append('acct_b/live', others, callback)
    await takeIn('acct_a/live', mine)
    const rows = await at.rows()
    assert.ok(rows.includes(`${mine.id} -> ${heard.id}`))
    assert.equal(rows.length, 2)
    assert.ok(rows.some(row => row.startsWith(`${callback.id} -> callback:`)))
    assert.deepEqual(await at.archived(), [])
  })

  it('doubles nothing and loses nothing when its owner is killed in mid batch, at whatever write', async () => {
    await at.add(endpoint(), endpoint())
    const events = Array.from({ length: 4 }, () => taskEvent())
    await append('acct_a/live', ...events)
    // 8 rows and an offset for each batch: killed before each of the writes of one.
    for (let left = 0; left <= 8; left++) {
      await killedAfter(at.deps, left, (mortal, signal) =>
        createIntake({ ...mortal, archiver: at.deps.archiver }).run(signal),
      )
    }
    const last = taskEvent()
    await takeIn('acct_a/live', last)
    assert.equal((await at.rows()).length, 10)
  })

  it('finds an endpoint that was made since it last looked', async () => {
    const [before, after] = [taskEvent(), taskEvent()]
    const intake = running(at.deps)
    await append('acct_a/live', before)
    await intake.until(before)
    const heard = endpoint()
    await at.add(heard)
    await append('acct_a/live', after)
    await intake.until(after)
    await intake.stop()
    assert.deepEqual(await at.rows(), [`${after.id} -> ${heard.id}`])
  })

  it('calls urgent what somebody is known to ask for', async () => {
    const asking = new AskingTenants(at.webhooks)
    const event = { ...taskEvent(), position: '1', tenant: 'acct_a/live' }
    assert.equal(asking.isUrgent(event), false)
    assert.deepEqual(await asking.wanted([event]), [])
    const heard = endpoint()
    await at.add(heard)
    assert.deepEqual(await asking.wanted([event]), [event])
    assert.equal(asking.isUrgent(event), true)
    assert.equal(asking.isUrgent({ ...event, tenant: 'acct_b/live' }), false)
    assert.equal(asking.isUrgent({ ...withCallback('acct_b'), tenant: 'acct_b/live' }), true)
    await at.webhooks.write({ kind: 'replace', version: 1, document: { ...heard, status: 'disabled' }, events: [] })
    assert.deepEqual(await asking.wanted([event]), [])
    assert.equal(asking.isUrgent(event), false)
  })
})
