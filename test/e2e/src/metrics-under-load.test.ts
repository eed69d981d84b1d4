/** Every metric of `docs/operating.md` is there under load, and moves as it says. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { keyOf, newAccount } from './operator.ts'
import { repository, requests, type Server, startServer } from './server.ts'
import { create, digit, run } from './tasks.ts'

let server: Server
/** It runs nothing. */
let stuck: Server
before(async () => {
  ;[server, stuck] = await Promise.all([startServer(), startServer({ env: { MILLHAND_EXECUTOR_SLOTS: '0' } })])
})
after(async () => {
  await Promise.all([server.stop(), stuck.stop()])
})

const text = async ({ metrics }: Server) => await (await fetch(`${metrics}/metrics`)).text()

/** The sum of the series whose lines begin with the name and have all of these words. */
function sumOf(all: string, name: string, ...words: readonly string[]): number {
  const lines = all.split('\n').filter(line => line.startsWith(name) && words.every(word => line.includes(word)))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

/** Waits until the metrics are as they should be. */
async function seen(of: Server, isSo: (sum: (name: string, ...words: string[]) => number) => boolean): Promise<void> {
  const deadline = performance.now() + 300_000
  for (;;) {
    const all = await text(of)
    if (isSo((name, ...words) => sumOf(all, name, ...words))) return
    assert.ok(performance.now() < deadline, all)
    await pause(100)
  }
}

test('requests are counted by route and status, and what is no route has one label', async () => {
  const duration = 'http_server_request_duration_seconds_count'
  await server.request('GET', '/v1/tasks?limit=1')
  await server.request('GET', '/v1/tasks/task_none')
  await server.request('GET', '/made-up-by-a-caller/1')
  await server.request('GET', '/made-up-by-a-caller/2')
  await seen(
    server,
    sum =>
      sum(duration, 'http_request_method="GET"', 'http_route="/v1/tasks"', 'status_code="200"') === 1 &&
      sum(duration, 'http_route="/v1/tasks/{', 'status_code="404"') === 1 &&
      sum(duration, 'http_request_method="_OTHER"', 'http_route="unknown"', 'status_code="404"') === 2 &&
      sum('millhand_target_requests_total', 'answered') >= 2 &&
      sum('millhand_target_requests_total', 'failed') === 0 &&
      sum('millhand_target_timed_requests_total') >= 2,
  )
  assert.ok(!(await text(server)).includes('made-up'))
})

test('a call that fails is counted by its own status, also where that of HTTP is 200', async () => {
  const message = Buffer.from(JSON.stringify({ id: 'task_none' }))
  const prefix = Buffer.alloc(5)
  prefix.writeUInt32BE(message.length, 1)
  const answer = await fetch(`${server.url}/millhand.compute.v1.ComputeService/GetTask`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/grpc-web+json' },
    body: Buffer.concat([prefix, message]),
  })
  assert.equal(answer.status, 200)
  assert.match(await answer.text(), /grpc-status: 5\b/)
  const call = ['http_server_request_duration_seconds_count', 'ComputeService/GetTask'] as const
  await seen(server, sum => sum(...call, 'status_code="404"') === 1 && sum(...call, 'status_code="200"') === 0)
})

test('a request beyond the rate of the plan is counted as refused', async () => {
  const account = await newAccount(server, 'hurried', { compute: 'starter' })
  const hurried = requests(server.url, await keyOf(server, account))
  const answers = await Promise.all(Array.from({ length: 110 }, () => hurried('GET', '/v1/tasks?limit=1')))
  const refused = answers.filter(({ status }) => status === 429).length
  assert.ok(refused > 0)
  await seen(server, sum => sum('millhand_rate_refusals_total', 'compute') === refused)
  assert.equal(sumOf(await text(server), 'millhand_rate_refusals_total', 'developer'), 0)
})

test('a task is counted from its claim to its end, with the model that ran it', async () => {
  const before = await text(server)
  await run(server, digit(3))
  const pool = 'pool="live/onnx"'
  const model = 'model="digits"'
  const more = (name: string, ...words: string[]) => sumOf(before, name, ...words) + 1
  await seen(
    server,
    sum =>
      sum('millhand_claims_total', pool) === more('millhand_claims_total', pool) &&
      sum('millhand_tasks_ended_total', pool, 'status="succeeded"') === more('millhand_tasks_ended_total', pool) &&
      sum('millhand_task_wait_seconds_count', model) === more('millhand_task_wait_seconds_count', model) &&
      sum('millhand_task_run_seconds_count', model) === more('millhand_task_run_seconds_count', model) &&
      sum('millhand_run_tasks_count', pool) === more('millhand_run_tasks_count', pool) &&
      sum('millhand_model_loads_total', model, 'outcome="loaded"') >= 1 &&
      sum('millhand_model_processes', pool) >= 1 &&
      sum('millhand_model_memory_bytes', pool) > 1e6 &&
      sum('millhand_executor_slots', pool) >= 1 &&
      sum('millhand_executor_busy_slots', pool) === 0 &&
      sum('millhand_queue_tasks', pool) === 0 &&
      sum('millhand_queue_oldest_seconds', pool) === 0,
  )
})

test('the event log, the store and the process tell of themselves', async () => {
  const before = await text(server)
  await run(server, digit(4))
  const grows = [
    'millhand_event_reader_events_total',
    'millhand_store_commit_seconds_count',
    'process_cpu_time_seconds',
  ]
  await seen(
    server,
    sum =>
      grows.every(name => sum(name) > sumOf(before, name)) &&
      sum('millhand_event_reader_delay_seconds_count', 'reader="billing-compute"') > 0 &&
      sum('millhand_event_reader_behind_events', 'reader="billing-compute"') === 0 &&
      sum('millhand_store_commit_failures_total') === 0 &&
      sum('millhand_disk_free_bytes') > 0 &&
      sum('millhand_reconciler_observed_seconds', 'mode="test"') < 60 &&
      sum('nodejs_eventloop_utilization_ratio') <= 1 &&
      sum('nodejs_eventloop_delay_max_seconds') >= sum('nodejs_eventloop_delay_p99_seconds') &&
      sum('process_memory_usage_bytes') > 1e7 &&
      sum('process_uptime_seconds') > sumOf(before, 'process_uptime_seconds'),
  )
})

test('tasks that nobody runs are seen to wait, and for how long', async () => {
  await create(stuck, digit(1))
  await create(stuck, digit(2))
  const pool = 'pool="live/onnx"'
  await seen(stuck, sum => sum('millhand_queue_tasks', pool) === 2 && sum('millhand_queue_oldest_seconds', pool) > 0.5)
  assert.equal(sumOf(await text(stuck), 'millhand_claims_total'), 0)
})

test('every metric is there, but for those of several machines and of what has not happened', async () => {
  const all = await text(server)
  const document = readFileSync(join(repository, 'docs/operating.md'), 'utf8')
  const documented = [...document.matchAll(/^\| `(\w+)` \| (?:counter|gauge|histogram) \|/gm)].map(
    ([, name]) => name ?? '',
  )
  const exported = [...all.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name ?? '')
  const absent = documented.filter(name => !exported.includes(name))
  assert.deepEqual(absent.sort(), [...elsewhere].sort())
  assert.deepEqual(
    exported.filter(name => !documented.includes(name)),
    [],
  )
})

/** Each is driven by the tests of its part. */
const elsewhere = ['millhand_ownership_ended_total', 'millhand_outbox_oldest_seconds', 'millhand_outbox_delay_seconds']
