/** A file of the layout before goes on: no event is lost, and each is found by its tenant. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { createLog } from '@millhand/telemetry'
import { prepareSchema } from './schema.ts'
import { openSqlite } from './sqlite.ts'

const folder = await mkdtemp(join(tmpdir(), 'earlier-schema-'))
after(() => rm(folder, { recursive: true, force: true }))

/** A file of version 1, with its events to be added. */
function earlierFile(name: string) {
  const file = join(folder, name)
  const before = new DatabaseSync(file)
  before.exec(`
    CREATE TABLE event_log (
      seq INTEGER PRIMARY KEY, topic TEXT NOT NULL, key TEXT NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL,
      time INTEGER NOT NULL, value TEXT NOT NULL, traceparent TEXT
    );
    CREATE TABLE event_subscriptions (subscriber_group TEXT PRIMARY KEY, seq INTEGER NOT NULL);
    CREATE TABLE archived_events (tenant, id, version, body);
    INSERT INTO event_subscriptions VALUES ('billing-usage', 2);
    PRAGMA user_version = 1;`)
  const insert = before.prepare('INSERT INTO event_log VALUES (?, ?, ?, ?, ?, ?, ?, NULL)')
  const add = (seq: number, time: number, value: string) => insert.run(seq, 't', 'k', `evt_${seq}`, 'x', time, value)
  return { file, before, add }
}

test('a file is brought up to date only where its disk has the room, and the log says how large it is', () => {
  const { file, before: db, add } = earlierFile('large.db')
  for (let seq = 1; seq <= 100; seq++) add(seq, seq, JSON.stringify({ text: 'x'.repeat(20_000) }))
  const lines: Record<string, unknown>[] = []
  const log = createLog({ level: 'info', write: line => lines.push(JSON.parse(line)), format: 'json' })
  const open = (freeBytes: number) => prepareSchema(db, { file, log, freeBytes: () => freeBytes })
  assert.throws(() => open(2 ** 21), /has schema version 1.* needs [34] MiB; 2 MiB are free\. .*not changed/)
  assert.deepEqual(db.prepare('PRAGMA user_version').get()?.user_version, 1)
  assert.equal(lines.length, 0)
  open(2 ** 22)
  assert.deepEqual(
    lines.map(({ event, events, from, to }) => [event, events, from, to]),
    [
      ['store.upgrade_begins', 100, 1, 2],
      ['store.upgraded', 100, 1, 2],
    ],
  )
  assert.ok(Number(lines[0]?.bytes) > 2_000_000)
  db.close()
})

test('events without tenant and arrival get both from their text and their place in the log', async () => {
  const { file, before, add } = earlierFile('millhand.db')
  add(1, 5_000, '{"account_id":"acct_a","mode":"live"}')
  add(2, 4_000, '{"account_id":"acct_b","mode":"test"}') // The clock went back.
  add(3, 6_000, '{}')
  before.close()

  const db = openSqlite({ file })
  const rows = () => db.read('SELECT seq, tenant, arrived FROM event_log ORDER BY seq')
  assert.deepEqual(rows(), [
    [1, 'acct_a/live', 5_000_000],
    [2, 'acct_b/test', 5_000_001],
    [3, null, 6_000_000],
  ])
  assert.deepEqual(db.read('SELECT * FROM event_subscriptions'), [['billing-usage', 2]])
  assert.deepEqual(db.read("SELECT name FROM sqlite_schema WHERE name = 'archived_events'"), [])
  assert.equal(db.lastEvent, 3)
  await db.close()
  const again = openSqlite({ file })
  assert.equal(again.lastEvent, 3)
  await again.close()
})
