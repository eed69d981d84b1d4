import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt'
import { createClient } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import {
  type DaySchema,
  type ReportRequest,
  StatusService,
} from '@millhand/api/gen/millhand/status/v1/status_service_pb.ts'
import { Mode } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import { createDirectTransport } from '@millhand/rpc'
import type { Status } from '../src/pages/status/status-document.ts'
import { createRequestCounts } from '../src/status/request-counts.ts'
import { now } from './fake-services.ts'
import { start, validTask } from './start.ts'

/** A status service that keeps what it is told, and tells what it is given. */
function fakeStatus() {
  const transport = createDirectTransport()
  const fake = {
    reports: [] as ReportRequest[],
    days: [] as MessageInitShape<typeof DaySchema>[],
    asked: 0,
    isAway: false,
    client: createClient(StatusService, transport),
  }
  const here = () => {
    if (fake.isAway) throw fail('unavailable', 'It is away.')
  }
  transport.service(StatusService, {
    report(report) {
      here()
      fake.reports.push(report)
      return {}
    },
    getHistory() {
      fake.asked++
      here()
      return { days: fake.days }
    },
  })
  return fake
}

const sinceOf = (report: ReportRequest | undefined) => report?.since && timestampMs(report.since)

const asJson = { headers: { accept: 'application/json' } }

test('answers are counted: which failed, and of those that are no waits, streams or files, which were slow', () => {
  const counts = createRequestCounts()
  counts.add(200, 100)
  counts.add(404, 100.1)
  counts.add(500, 1)
  counts.add(503, undefined)
  counts.add(200, undefined)
  assert.deepEqual(counts.take(), { requests: 5, failed: 2, timed: 3, slow: 1 })
  assert.deepEqual(counts.take(), { requests: 0, failed: 0, timed: 0, slow: 0 })
})

test('the page is written once a second, however many look at it', async t => {
  const status = fakeStatus()
  const { url, clock } = await start(t, { status: status.client })
  const tags = async () => (await Promise.all([1, 2].map(() => fetch(`${url}/status`)))).map(a => a.headers.get('etag'))
  const [first, second] = await tags()
  assert.equal(first, second)
  await clock.advance(999)
  assert.equal((await tags())[0], first)
  assert.equal((await fetch(`${url}/status`, { headers: { 'if-none-match': String(first) } })).status, 304)
  await clock.advance(1)
  assert.notEqual((await tags())[0], first)
})

test('a gateway reports every ten seconds and when it stops: requests of the API, by how they were answered', async t => {
  const status = fakeStatus()
  const { gateway, url, clock, services, call, post } = await start(t, { status: status.client })
  const created = (await (await post(validTask)).json()) as { id: string }
  await call(`/v1/tasks/${created.id}`)
  await call('/v1/tasks/task_unknown')
  services.failure = new Error('broken')
  await call('/v1/tasks')
  services.failure = undefined
  await fetch(`${url}/healthz`)
  await fetch(`${url}/nowhere`)
  const sandbox = { authorization: `Bearer ${services.key(['*'], { mode: Mode.TEST })}` }
  assert.equal((await call('/v1/tasks', { headers: sandbox })).status, 200)
  await clock.advance(10_000)
  const [first, ...others] = status.reports
  assert.deepEqual(others, [])
  assert.deepEqual([first?.sequence, first?.day], [1, '2026-11-21'])
  assert.deepEqual([first?.requests, first?.failed, first?.timed], [4, 1, 4])
  assert.deepEqual(
    first?.components.map(({ name, upMs, downMs }) => [name, upMs, downMs]),
    [['gateway', 10_000, 0]],
  )
  assert.equal(sinceOf(first), now)
  await call('/v1/tasks')
  await gateway.close()
  assert.deepEqual(
    status.reports.map(({ gatewayId, sequence, requests }) => [gatewayId, sequence, requests]),
    [
      [first?.gatewayId, 1, 4],
      [first?.gatewayId, 2, 1],
    ],
  )
  assert.equal(status.reports[1]?.components[0]?.downMs, 0, 'a stop is no outage')
  assert.equal(sinceOf(status.reports[1]), now + 10_000, 'each goes on where the one before has ended')
})

test('a stop is no outage, however long it takes for what is still to be answered', async t => {
  const status = fakeStatus()
  const { gateway, clock, services, call } = await start(t, { status: status.client })
  const gate = Promise.withResolvers<void>()
  services.files.gate = gate.promise
  const slow = call('/v1/files', { method: 'POST', body: 'bytes' })
  while (services.files.begun === 0) await new Promise(resolve => setImmediate(resolve))
  const closing = gateway.close()
  await clock.advance(120_000)
  gate.resolve()
  await Promise.all([slow, closing])
  assert.deepEqual(
    status.reports.map(({ requests, components }) => [requests, components[0]?.downMs]),
    [[1, 0]],
  )
})

test('waits, streams and files are not timed', async t => {
  const status = fakeStatus()
  const { clock, call, post } = await start(t, { status: status.client })
  const created = (await (await post(validTask)).json()) as { id: string }
  const waiting = call(`/v1/tasks/${created.id}`, { headers: { prefer: 'wait=1' } })
  await clock.advance(0)
  await waiting
  await call('/v1/files', { method: 'POST', body: 'bytes' })
  await clock.advance(60_000)
  assert.deepEqual([status.reports[0]?.requests, status.reports[0]?.timed], [3, 1])
})

test('a report that did not arrive is sent again as it was; a day that ends makes a report of its own', async t => {
  const status = fakeStatus()
  const { clock, call } = await start(t, { status: status.client })
  status.isAway = true
  await call('/v1/tasks')
  await clock.advance(60_000)
  await call('/v1/tasks')
  clock.step(86_400_000)
  await clock.advance(1_000)
  assert.deepEqual(status.reports, [])
  status.isAway = false
  await clock.advance(10_000)
  assert.deepEqual(
    status.reports.map(({ sequence, day, requests }) => [sequence, day, requests]),
    [
      [1, '2026-11-21', 1],
      [2, '2026-11-21', 1],
      [3, '2026-11-22', 0],
    ],
  )
})

test('/status tells components as they are, since when, and 90 days', async t => {
  const status = fakeStatus()
  const { url, clock, health } = await start(t, { status: status.client })
  health.set('compute', true)
  await clock.advance(5_000)
  health.set('compute', false, 'no replica of compute is connected at 10.0.0.7')
  await clock.advance(1_000)
  status.days = [
    { day: '2026-11-20', requests: 1_000, failed: 2, components: [{ name: 'compute', upMs: 75_000, downMs: 25_000 }] },
  ]
  const response = await fetch(`${url}/status`, asJson)
  assert.equal(response.headers.get('content-type'), 'application/json')
  assert.equal(response.headers.get('vary'), 'Accept')
  const told = (await response.json()) as Status
  assert.deepEqual([told.object, told.status, told.history_is_current], ['status', 'degraded', true])
  const [gateway, compute] = told.components
  assert.ok(gateway && compute)
  assert.deepEqual([gateway.name, gateway.status, gateway.uptime], ['gateway', 'up', undefined])
  assert.deepEqual([compute.name, compute.status, compute.uptime], ['compute', 'down', 0.75])
  assert.equal(compute.since, '2026-11-21T07:30:06.123Z', 'it is looked at once a second')
  assert.equal(compute.days.length, 90)
  assert.deepEqual(compute.days.slice(-2), [
    { day: '2026-11-20', total: 100, missed: 25 },
    { day: '2026-11-21', total: 0, missed: 0 },
  ])
  const answered = told.targets[0]
  assert.deepEqual([answered?.name, answered?.target, answered?.share], ['answered', 0.999, 0.998])
  assert.ok(!JSON.stringify(told).includes('10.0.0.7'), 'why a part is away is for operators')
})

test('/status tells the error budgets of 30 days, of all gateways together, and since when it is counted', async t => {
  const status = fakeStatus()
  const { url, clock } = await start(t, { status: status.client })
  const told = async () => ((await (await fetch(`${url}/status`, asJson)).json()) as Status).targets
  assert.deepEqual(
    (await told()).map(({ name, error_budget }) => [name, error_budget]),
    ['answered', 'fast'].map(name => [name, { days: 30, requests: 0, allowed: 0, missed: 0 }]),
  )
  assert.match(await (await fetch(`${url}/status`)).text(), /Error budget of 30 days: nothing counted yet\./)
  status.days = [
    { day: '2026-10-22', requests: 5, failed: 5, timed: 5, slow: 5, since: timestampFromMs(now - 30 * 86_400_000) },
    {
      day: '2026-11-20',
      requests: 900_000,
      failed: 200,
      timed: 800_000,
      slow: 4_000,
      since: timestampFromMs(now - 1_000),
    },
    { day: '2026-11-21', requests: 100_000, failed: 50, timed: 0, updatedAt: timestampFromMs(now + 2_000) },
  ]
  await clock.advance(10_000)
  const counted = { days: 30, since: '2026-11-21T07:29:59.123Z', until: '2026-11-21T07:30:02.123Z' }
  assert.deepEqual(
    (await told()).map(({ error_budget }) => error_budget),
    [
      { ...counted, requests: 1_000_000, allowed: 1_000, missed: 250, spent: 0.25 },
      { ...counted, requests: 800_000, allowed: 8_000, missed: 4_000, spent: 0.5 },
    ],
  )
  const page = await (await fetch(`${url}/status`)).text()
  assert.match(
    page,
    /Error budget of 30 days: <strong>25 % spent<\/strong>\. 250 of\s1,000,000 requests missed the target, and 1,000 may\./,
  )
})

test('/status is a page for people, without scripts, and every day says what it was', async t => {
  const status = fakeStatus()
  const { url, health } = await start(t, { status: status.client })
  health.set('com<pute>', false)
  status.days = [
    { day: '2026-11-20', requests: 0, failed: 0, components: [{ name: 'gateway', upMs: 86_000_000, downMs: 400_000 }] },
  ]
  const response = await fetch(`${url}/status`, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } })
  assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
  const html = await response.text()
  assert.match(html, /<title>20 November 2026: away for 6 min 40 s<\/title>/)
  assert.equal([...html.matchAll(/<g><title>[^<]+<\/title>/g)].length, 4 * 90)
  assert.match(html, /Not reachable: com&#60;pute&#62;/)
  assert.doesNotMatch(html, /<script|style=|\bon[a-z]+=|https?:/)
})

test('/status answers also while the status service does not, with what it told before, and says so', async t => {
  const status = fakeStatus()
  const { url, clock } = await start(t, { status: status.client })
  const told = async () => (await (await fetch(`${url}/status`, asJson)).json()) as Status
  status.isAway = true
  assert.deepEqual([(await told()).history_is_current, (await told()).components[0]?.status], [false, 'up'])
  const page = await (await fetch(`${url}/status`)).text()
  assert.match(page, /The history can’t be read just now/)
  assert.equal(status.asked, 1, 'however many look, it is asked every ten seconds')
  status.isAway = false
  status.days = [{ day: '2026-11-20', requests: 10, failed: 1, components: [] }]
  await clock.advance(10_000)
  assert.deepEqual([(await told()).history_is_current, (await told()).targets[0]?.share], [true, 0.9])
  status.isAway = true
  await clock.advance(10_000)
  assert.deepEqual([(await told()).history_is_current, (await told()).targets[0]?.share], [false, 0.9])
})
