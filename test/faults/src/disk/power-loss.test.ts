/**
 * The power is lost at random moments of one run: each time the disk has what was synced, and of what was not synced any
 * part. A server that starts there has kept every promise of an answer, a stream and a webhook that came before.
 * `TEST_ALL` makes it 200 moments.
 */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { startReceiver } from '@millhand/test-e2e/receiver'
import { type Server, startServer } from '@millhand/test-e2e/server'
import { createClients } from '../clients.ts'
import { chosenSeed, type Random, random } from '../random.ts'
import { waitingRequest } from '../task-requests.ts'
import { gccMissing, prepareDisk } from './disk.ts'
import { type DiskRecord, readRecord } from './disk-record.ts'
import { brokenPromises, type Promised, uploads } from './promises.ts'
import { createStreamVisitors } from './stream-visitors.ts'

const isWhole = process.env.TEST_ALL !== undefined
const POINTS = isWhole ? 200 : 10
const TASKS = isWhole ? 800 : 300
const CLIENTS = 24
const AT_ONCE = 8
/** What a record has nothing to do with is small. */
const SMALL = { MILLHAND_DISK_RESERVE_MB: '1' }

test('a loss of power breaks no promise', { skip: gccMissing, timeout: 3_600_000 }, async t => {
  const seed = chosenSeed()
  t.diagnostic(`seed ${seed} (MILLHAND_SEED=${seed} replays the choice of moments, not the run)`)
  using disk = prepareDisk({ isRecorded: true })
  const { promised, env } = await run(disk, seed)
  const record = readRecord(disk.record, disk.dataDir)
  assert.deepEqual(differences(record, disk.dataDir), [], 'the record is not what was written')

  const points = pointsOf(record, random(seed + 1))
  const broken: string[] = []
  let done = 0
  const next = async () => {
    for (let point = points.pop(); point !== undefined; point = points.pop()) {
      const folder = mkdtempSync(join(tmpdir(), 'power-loss-'))
      for (const [name, content] of record.filesAt(point, random(seed + point))) {
        mkdirSync(dirname(join(folder, name)), { recursive: true })
        writeFileSync(join(folder, name), content, { mode: 0o600 })
      }
      const until = Number(record.timeOf(point)) / 1e6 - promised.epochMs
      const found = await brokenPromises(promised, until, folder, { ...env, ...SMALL }).catch(error => [String(error)])
      broken.push(...found.slice(0, 5).map(what => `at entry ${point} of ${record.length}: ${what}`))
      if (found.length === 0) rmSync(folder, { recursive: true })
      else t.diagnostic(`the data folder of entry ${point} is ${folder}`)
      done++
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
  const { seen, heard, received, files } = promised
  t.diagnostic(
    `${done} losses of power in ${record.length} entries; ${seen.acknowledged.length} answered with 201, ` +
      `${heard.length} streams, ${received.length} webhooks, ${files.length} files`,
  )
  assert.deepEqual(broken.slice(0, 20), [], `seed ${seed}`)
})

/** What clients were promised by a server whose disk is written down. */
async function run(disk: ReturnType<typeof prepareDisk>, seed: number) {
  // Times of the record are of the same clock, from another beginning.
  const epochMs = Number(process.hrtime.bigint()) / 1e6 - performance.now()
  await using server: Server = await startServer({ dataDir: disk.dataDir, env: { ...SMALL, ...disk.env } })
  await using receiver = await startReceiver()
  const json = { url: receiver.url('/hook'), events: ['task.*'] }
  assert.equal((await server.request('POST', '/v1/webhooks', { json })).status, 201)
  const requests = random(seed)
  const over = new AbortController()
  let left = TASKS
  const clients = createClients({
    urls: () => [server.url],
    key: server.key,
    clients: CLIENTS,
    next: async () => (left-- > 0 ? waitingRequest(requests) : undefined),
    // A disk that stands still for 10 s is no fault of ours, and promises nothing.
    unavailable: [504],
  })
  const visitors = createStreamVisitors({ url: server.url, key: server.key, visitors: 2, signal: over.signal })
  const visiting = visitors.run()
  const uploading = uploads(server, over.signal)
  const seen = await clients.run()
  over.abort()
  const [heard, files] = [await visiting, await uploading]
  await server.stop()
  assert.deepEqual(seen.unexpected, [])
  assert.deepEqual(visitors.stuck, [])
  const promised: Promised = { epochMs, seen, heard, received: receiver.at('/hook'), files }
  return { promised, env: { MILLHAND_BOOTSTRAP_KEY: server.key, MILLHAND_BOOTSTRAP_TEST_KEY: server.testKey } }
}

/** Half of them anywhere, half right after a sync, when answers are under way. */
function pointsOf(record: DiskRecord, { between }: Random): number[] {
  const synced = Array.from({ length: record.length }, (_, entry) => entry).filter(record.isSync)
  const afterSync = () => Math.min((synced[between(0, synced.length - 1)] as number) + between(1, 3), record.length - 1)
  return Array.from({ length: POINTS }, (_, n) => (n % 2 === 0 ? between(1, record.length - 1) : afterSync()))
}

/** Files that are not as the record says at its end. */
function differences(record: DiskRecord, dataDir: string): string[] {
  const written = record.filesAt(record.length)
  const there = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.name.endsWith('-shm'))
    .map(({ parentPath, name }) => join(parentPath, name).slice(dataDir.length + 1))
  return [
    ...there.filter(name => !written.get(name)?.equals(readFileSync(join(dataDir, name)))),
    ...[...written.keys()].filter(name => !there.includes(name)),
  ]
}
