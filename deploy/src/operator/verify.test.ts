/** `pnpm millhand verify`, on a store that is sound and on one for each way in which it may not be. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { crc32 } from 'node:zlib'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import type { Document, OutboxEvent } from '@millhand/store'
import { openSqlite } from '@millhand/store/sqlite'
import { runOperator } from './run-operator.ts'

let root: string
let sound: string
let copies = 0

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'verify-'))
  sound = join(root, 'sound')
  await fill(sound)
})
after(() => rm(root, { recursive: true, force: true }))

const TENANT = 'acct_1/live'

/** A task of two steps whose input is a blob, and a file. */
async function fill(dataDir: string): Promise<void> {
  await mkdir(dataDir)
  const blobs = await filesystemBlobs(join(dataDir, 'blobs'))
  await blobs.put(`files/${TENANT}/content_1`, Buffer.from('kept'))
  await blobs.put(`inputs/${TENANT}/task_1/1`, Buffer.from('a large input'))
  const db = openSqlite({ file: join(dataDir, 'millhand.db') })
  type Stored = Document & Record<string, unknown>
  const tasks = db.collection<Stored, 'by_status'>({
    name: 'tasks',
    indexes: { by_status: { fields: ['tenant', 'status'] } },
  })
  const event = (version: number): OutboxEvent => ({
    ...{ topic: 'tasks.v1', key: 'task_1', id: `evt_${version}`, type: 'task.step', time: version },
    value: JSON.stringify({ resource_version: version }),
  })
  const history = [1, 2].map(version => ({ version, at: version }))
  const task = { tenant: TENANT, id: 'task_1', status: 'queued', input_blob: `inputs/${TENANT}/task_1/1`, history }
  await tasks.write({ kind: 'insert', document: task, events: [event(1)] })
  await tasks.write({ kind: 'replace', version: 1, document: { ...task, status: 'running' }, events: [event(2)] })
  const sha256 = createHash('sha256').update('kept').digest('hex')
  const content = { tenant: TENANT, id: 'content_1', state: 'kept', sha256 }
  await db
    .collection<Stored>({ name: 'contents', indexes: {} })
    .write({ kind: 'insert', document: content, events: [] })
  await db.close()
}

async function copied(): Promise<string> {
  const dataDir = join(root, String(++copies))
  await cp(sound, dataDir, { recursive: true })
  return dataDir
}

async function verify(dataDir: string) {
  const [out, err]: [string[], string[]] = [[], []]
  const terminal = { out: (text: string) => out.push(text), err: (text: string) => err.push(text) }
  const code = await runOperator(['verify'], { MILLHAND_DATA_DIR: dataDir }, terminal)
  return { code, stdout: out.join(''), stderr: err.join('') }
}

function sql(dataDir: string, text: string): void {
  const db = new DatabaseSync(join(dataDir, 'millhand.db'), { defensive: false })
  db.exec(text)
  db.close()
}

/** What a process leaves that was killed after commits. */
function mark({ frames }: { readonly frames: number }): Buffer {
  const bytes = Buffer.alloc(28)
  bytes.write('MHc2')
  bytes.writeUInt32BE(frames, 12)
  bytes.writeUInt32BE(1, 16) // The last frame's page; the CRC-32 behind it is that of no page here.
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 24)), 24)
  return bytes
}

const blob = (dataDir: string, key: string) => join(dataDir, 'blobs', 'contents', `${key}@`)

describe('millhand verify', () => {
  it('ends with 0 where all is sound, and counts what no document names', async () => {
    const dataDir = await copied()
    const found = await verify(dataDir)
    assert.deepEqual([found.code, found.stderr], [0, ''])
    assert.match(found.stdout, /^blobs +2 +sound$/m)
    await writeFile(blob(dataDir, `files/${TENANT}/left`), 'x')
    const noted = await verify(dataDir)
    assert.equal(noted.code, 0)
    assert.match(noted.stdout, /^blobs +2 +sound; 1 that no document names, such as files\/acct_1\/live\/left$/m)
  })

  it('has the same as JSON', async () => {
    const out: string[] = []
    const terminal = { out: (text: string) => out.push(text), err: () => {} }
    assert.equal(await runOperator(['verify', '--json'], { MILLHAND_DATA_DIR: sound }, terminal), 0)
    const { sound: isSound, checks } = JSON.parse(out.join(''))
    assert.equal(isSound, true)
    assert.deepEqual(
      checks.map(({ check, problems }: { check: string; problems: string[] }) => [check, problems]),
      ['write-ahead log', 'pages and indexes', 'documents', 'events', 'events of tasks', 'blobs'].map(check => [
        check,
        [],
      ]),
    )
  })

  const faults: Record<string, [(dataDir: string) => unknown, RegExp]> = {
    'a lost event': [
      dataDir =>
        sql(
          dataDir,
          "INSERT INTO event_log SELECT 4, topic, key, 'evt_4', type, time, value, NULL, tenant, arrived FROM event_log WHERE seq = 1",
        ),
      /^events: 1 events between 1 and 4 are missing$/m,
    ],
    'a task without its event': [
      dataDir => sql(dataDir, 'DELETE FROM event_log WHERE seq = 2'),
      /^events of tasks: task_1 has no event of its version 2$/m,
    ],
    'a log that has lost commits': [
      dataDir => writeFile(join(dataDir, 'millhand.db-committed'), mark({ frames: 5 })),
      /^write-ahead log: .*millhand\.db-wal is missing/m,
    ],
    'an event that is no JSON': [
      dataDir => sql(dataDir, "UPDATE event_log SET value = '{' WHERE seq = 1"),
      /^events: 1 events are not JSON$/m,
    ],
    'an event that is there twice': [
      dataDir =>
        sql(
          dataDir,
          'INSERT INTO event_log SELECT 3, topic, key, id, type, time, value, NULL, tenant, arrived FROM event_log WHERE seq = 2',
        ),
      /^events: 1 events have the id of another$/m,
    ],
    'a document of no version': [
      dataDir => sql(dataDir, 'UPDATE tasks SET version = 0'),
      /^documents: tasks acct_1\/live task_1: /m,
    ],
    'a subscriber that is ahead': [
      dataDir => sql(dataDir, "INSERT INTO event_subscriptions VALUES ('webhooks', 9)"),
      /^events: webhooks has read up to 9, and the newest event is 2$/m,
    ],
    'a document that is no JSON': [
      dataDir => sql(dataDir, "UPDATE contents SET body = '{'"),
      /^documents: contents acct_1\/live content_1: /m,
    ],
    'a column that differs from its body': [
      dataDir => sql(dataDir, "UPDATE tasks SET status = 'queued'"),
      /^documents: tasks acct_1\/live task_1: /m,
    ],
    'an index that lacks a row': [
      dataDir =>
        sql(
          dataDir,
          `PRAGMA writable_schema = 1;
           UPDATE sqlite_schema SET sql = sql || ' WHERE 0' WHERE name = 'tasks.by_status';
           PRAGMA writable_schema = RESET;
           REINDEX "tasks.by_status";
           PRAGMA writable_schema = 1;
           UPDATE sqlite_schema SET sql = replace(sql, ' WHERE 0', '') WHERE name = 'tasks.by_status'`,
        ),
      /^pages and indexes: tasks: .*tasks\.by_status/m,
    ],
    'a blob that is gone': [
      dataDir => rm(blob(dataDir, `inputs/${TENANT}/task_1/1`)),
      /^blobs: inputs\/acct_1\/live\/task_1\/1 is missing$/m,
    ],
    'a blob with other contents': [
      dataDir => writeFile(blob(dataDir, `files/${TENANT}/content_1`), 'kepT'),
      /^blobs: files\/acct_1\/live\/content_1 has other contents than were stored$/m,
    ],
    'a file that is no database': [
      dataDir => writeFile(join(dataDir, 'millhand.db'), 'no database '.repeat(1000)),
      /^pages and indexes: the file: file is not a database$/m,
    ],
  }
  for (const [what, [damage, said]] of Object.entries(faults)) {
    it(`ends with 1 and names ${what}`, async () => {
      const dataDir = await copied()
      await damage(dataDir)
      const { code, stderr } = await verify(dataDir)
      assert.match(stderr, said)
      assert.match(stderr, /Restore it from a backup/)
      assert.equal(code, 1)
    })
  }

  it('ends with 2 where there is no store', async () => {
    const { code, stderr } = await verify(join(root, 'none'))
    assert.equal(code, 2)
    assert.match(stderr, /millhand\.db is not there/)
  })
})
