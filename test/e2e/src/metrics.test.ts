/** What an operator sees of webhooks: metrics, and `/status`. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Receiver, startReceiver } from './receiver.ts'
import { type Server, startServer } from './server.ts'
import { digit, run } from './tasks.ts'

let server: Server
let receiver: Receiver
before(async () => {
  ;[server, receiver] = await Promise.all([startServer(), startReceiver()])
})
after(async () => {
  await server.stop()
  await receiver[Symbol.asyncDispose]()
})

/** The values of all series. */
async function metrics(): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${server.metrics}/metrics`)).text()
  const samples = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return new Map(
    samples.map(line => line.split(' ') as [string, string]).map(([series, value]) => [series, Number(value)]),
  )
}

/** The metrics, once they are as they should be. */
async function seen(isSo: (of: (series: string) => number | undefined) => boolean) {
  const deadline = performance.now() + 300_000
  for (;;) {
    const found = await metrics()
    if (isSo(series => found.get(`millhand_webhook_${series}`))) return
    assert.ok(performance.now() < deadline, JSON.stringify([...found], null, 1))
    await pause(100)
  }
}

test('metrics tell what became of tries, what waits, and that nothing is behind', async () => {
  receiver.answer('/away', 503)
  for (const path of ['/there', '/away']) {
    const json = { url: receiver.url(path), events: ['task.succeeded'] }
    assert.equal((await server.request('POST', '/v1/webhooks', { json })).status, 201)
  }
  await run(server, digit(7))
  await seen(
    of =>
      of('owner') === 1 &&
      of('tries_total{mode="live",outcome="succeeded"}') === 1 &&
      (of('tries_total{mode="live",outcome="failed"}') ?? 0) >= 1 &&
      (of('try_duration_seconds_count{mode="live",outcome="succeeded"}') ?? 0) === 1 &&
      of('deliveries{mode="live",state="waiting"}') === 1 &&
      of('deliveries{mode="live",state="ready"}') === 0 &&
      of('oldest_ready_seconds{mode="live"}') === 0 &&
      of('intake_behind_events') === 0 &&
      of('intake_behind_seconds') === 0 &&
      of('spilled_events') === 0 &&
      of('endpoints_disabled{reason="gone"}') === 0,
  )
})

test('metrics tell of an endpoint that was given up', async () => {
  receiver.answer('/gone', 410)
  const json = { url: receiver.url('/gone'), events: ['task.succeeded'] }
  assert.equal((await server.request('POST', '/v1/webhooks', { json })).status, 201)
  await run(server, digit(1))
  await seen(of => of('endpoints_disabled{reason="gone"}') === 1)
})

test('metrics name no account, no address and nothing secret', async () => {
  const text = await (await fetch(`${server.metrics}/metrics`)).text()
  for (const word of ['acct_', 'wh_', '127.0.0.1', 'whsec_', '://']) assert.ok(!text.includes(word), word)
})

// `test/distributed` runs this suite on several processes.
if (process.env.TEST_KAFKA !== undefined)
  test('each of several processes serves metrics of its own, and the log says where', servesOwnMetrics)

async function servesOwnMetrics() {
  await run(server, digit(2))
  const lines = server
    .logs()
    .stderr.split('\n')
    .filter(line => line.includes('"metrics.served"'))
  const urls = new Map(lines.map(line => JSON.parse(line)).map(({ process, url }) => [process, url]))
  const expected = {
    gateway: 'http_server_request_duration_seconds_count',
    identity: 'millhand_store_commit_seconds_count{store="mongodb"}',
    compute: 'millhand_claims_total{pool="live/onnx"}',
    executor: 'millhand_model_loads_total{model="digits",outcome="loaded"}',
    batch: 'millhand_event_reader_events_total{reader="batch-progress"}',
    billing: 'millhand_event_reader_events_total{reader="billing-compute"}',
    instance: 'millhand_reconciler_open_instances{mode="test"}',
    workforce: 'millhand_outbox_oldest_seconds',
    webhook: 'millhand_webhook_owner',
  }
  const deadline = performance.now() + 300_000
  for (const [name, line] of Object.entries(expected)) {
    for (;;) {
      const text = await (await fetch(urls.get(name))).text()
      if (text.includes(`\n${line}`) && text.includes('\nprocess_uptime_seconds ')) break
      assert.ok(performance.now() < deadline, `${name}: ${text}`)
      await pause(100)
    }
  }
}

test('/status tells whether webhooks are told in time', async () => {
  const headers = { authorization: '', accept: 'application/json' }
  const deadline = performance.now() + 300_000
  for (;;) {
    const { body } = await server.request('GET', '/status', { headers })
    const deliveries = body.components.find(({ name }: { name: string }) => name === 'deliveries')
    if (deliveries?.status === 'up') return
    assert.ok(performance.now() < deadline, JSON.stringify(body.components))
    await pause(200)
  }
})
