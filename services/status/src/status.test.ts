import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt'
import { type Client, createClient } from '@connectrpc/connect'
import { codeOf } from '@millhand/api'
import { StatusService } from '@millhand/api/gen/millhand/status/v1/status_service_pb.ts'
import { type ManualClock, manualClock } from '@millhand/process'
import { createDirectTransport, serve } from '@millhand/rpc'
import { noAccount } from '@millhand/store'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { type DayRecord, daysSpec } from './daily-history.ts'
import { createStatusService } from './status.ts'

const DAY_MS = 86_400_000
const NOON = Date.UTC(2026, 10, 21, 12)
const today = '2026-11-21'

let folder: string
let db: SqliteDatabase
let clock: ManualClock
let status: ReturnType<typeof createStatusService>
let client: Client<typeof StatusService>
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millhand-status-'))
  db = openSqlite({ file: join(folder, 'millhand.db') })
  clock = manualClock(NOON)
  status = createStatusService({ db, clock, log: createLog({ level: 'error' }) })
  const transport = createDirectTransport()
  serve(status.routes, transport)
  client = createClient(StatusService, transport)
})
afterEach(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

const compute = (upMs: number, downMs: number) => ({ name: 'compute', upMs, downMs })
const counted = { requests: 10, failed: 1, timed: 8, slow: 2 }
const send = (gatewayId: string, sequence: number, day = today, since = clock.now() - 60_000) =>
  client.report({
    gatewayId,
    sequence,
    day,
    components: [compute(59_000, 1_000)],
    ...counted,
    since: timestampFromMs(since),
  })

test('what gateways report of a day is added up', async () => {
  await send('one', 1)
  await clock.advance(60_000)
  await send('one', 2)
  await client.report({
    gatewayId: 'two',
    sequence: 1,
    day: today,
    components: [{ name: 'identity', upMs: 5 }],
    since: timestampFromMs(NOON),
  })
  const [day, ...others] = (await client.getHistory({})).days
  assert.deepEqual(others, [])
  assert.equal(day?.day, today)
  assert.deepEqual([day?.requests, day?.failed, day?.timed, day?.slow], [20, 2, 16, 4])
  assert.deepEqual(
    day?.components.map(({ name, upMs, downMs }) => [name, upMs, downMs]),
    [
      ['compute', 118_000, 2_000],
      ['identity', 5, 0],
    ],
  )
  assert.equal(Number(day?.updatedAt?.seconds) * 1_000, NOON + 60_000)
})

test('a day is counted since the earliest that a gateway says, also after a restart', async () => {
  for (const [sequence, since] of [NOON - 5_000, NOON - 9_000, NOON - 1_000].entries())
    await send('one', sequence + 1, today, since)
  await send('two', 1, today, NOON + 1_000)
  const again = createDirectTransport()
  serve(createStatusService({ db, clock, log: createLog({ level: 'error' }) }).routes, again)
  const [day] = (await createClient(StatusService, again).getHistory({})).days
  assert.ok(day?.since)
  assert.deepEqual([timestampMs(day.since), day.requests], [NOON - 9_000, 40])
})

test('a day that an earlier version has counted goes on, and so do reports of its gateways', async () => {
  const counts = { requests: 10, failed: 1, timed: 8, slow: 2 }
  const document = { tenant: noAccount, id: today, components: [], ...counts, reporters: [], updated_at: NOON }
  await db.collection<Omit<DayRecord, 'since'>>(daysSpec).write({ kind: 'insert', document, events: [] })
  const told = async () => {
    const [day] = (await client.getHistory({})).days
    assert.ok(day?.since)
    return [timestampMs(day.since), day.requests]
  }
  assert.deepEqual(await told(), [Date.parse(today), 10])
  await client.report({ gatewayId: 'one', sequence: 1, day: today, ...counted })
  assert.deepEqual(await told(), [Date.parse(today), 20])
})

test('a report that comes again counts once, also after others', async () => {
  await send('one', 1)
  await send('two', 1)
  await send('one', 2)
  for (const [gateway, sequence] of [
    ['one', 1],
    ['one', 2],
    ['two', 1],
  ] as const)
    await send(gateway, sequence)
  assert.equal((await client.getHistory({})).days[0]?.requests, 30)
})

test('of gateways that report at the same moment none is lost', async () => {
  await Promise.all(Array.from({ length: 20 }, (_, at) => send(`gateway ${at}`, 1)))
  assert.equal((await client.getHistory({})).days[0]?.requests, 200)
})

test('the last 90 days are told, the oldest first; those before are removed', async () => {
  for (let day = 0; day < 92; day++) {
    await send('one', day + 1, new Date(clock.now()).toISOString().slice(0, 10))
    await clock.advance(DAY_MS)
  }
  const told = (await client.getHistory({})).days.map(({ day }) => day)
  assert.equal(told.length, 89) // Of today there is no report yet.
  assert.deepEqual([told[0], told.at(-1)], ['2026-11-24', '2027-02-20'])
  const days = db.collection<DayRecord>(daysSpec)
  const kept = () => days.find('primary', { equals: [noAccount], limit: 100 })
  assert.equal((await kept()).length, 92)
  const stop = new AbortController()
  const running = status.run(stop.signal)
  while ((await kept()).length > 89) await clock.advance(1_000)
  stop.abort()
  await running
  assert.deepEqual(
    (await kept()).map(({ id }) => id),
    told,
  )
})

test('a day that is not kept is refused, and one that is near is not', async () => {
  for (const day of ['2026-08-23', '2026-11-23', 'yesterday']) {
    await assert.rejects(send('one', 1, day), error => codeOf(error) === 'invalid_parameter', day)
  }
  await send('one', 1, '2026-08-24')
  await send('one', 1, '2026-11-22')
})
