import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:net'
import { test } from 'node:test'
import { createRunner } from '@millhand/process'
import { createLog, createMetrics } from '@millhand/telemetry'
import { serveMetrics } from './serve-metrics.ts'

const log = createLog({ level: 'error' })

test('metrics are served at their own address, as Prometheus reads them, and nothing else is', async t => {
  const runner = createRunner({ log })
  t.after(() => runner.stop('the test ends'))
  const metrics = createMetrics()
  metrics.counter('millhand_webhook_tries_total')({ mode: 'live', outcome: 'failed' })
  const url = await serveMetrics({ host: '127.0.0.1', port: 0 }, { metrics, runner, log })
  const answer = await fetch(`${url}/metrics?x=1`)
  assert.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  assert.match(await answer.text(), /^millhand_webhook_tries_total\{mode="live",outcome="failed"\} 1$/m)
  const headers = { accept: 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1' }
  const open = await fetch(`${url}/metrics`, { headers })
  assert.equal(open.headers.get('content-type'), 'application/openmetrics-text; version=1.0.0; charset=utf-8')
  assert.match(await open.text(), /^# TYPE millhand_webhook_tries counter$[\s\S]*^# EOF\n$/m)
  const statusOf = async (path: string, method = 'GET') => (await fetch(url + path, { method })).status
  assert.deepEqual(
    await Promise.all([
      statusOf('/metrics', 'HEAD'),
      statusOf('/'),
      statusOf('/metrics/x'),
      statusOf('/metrics', 'POST'),
    ]),
    [200, 404, 404, 405],
  )
  const { port } = new URL(url)
  await assert.rejects(
    serveMetrics({ host: '127.0.0.1', port: Number(port) }, { metrics, runner, log }),
    /MILLHAND_METRICS_ADDR: .*Another program listens there/,
  )
  await runner.stop('the test ends')
  await assert.rejects(fetch(`${url}/metrics`))
})

test('a connection that can not be accepted, as without file descriptors, ends nothing', async t => {
  const runner = createRunner({ log })
  t.after(() => runner.stop('the test ends'))
  const servers: Server[] = []
  const onListen = (message: unknown) => void servers.push((message as { server: Server }).server)
  subscribe('tracing:net.server.listen:asyncStart', onListen)
  const url = await serveMetrics({ host: '127.0.0.1', port: 0 }, { metrics: createMetrics(), runner, log })
  unsubscribe('tracing:net.server.listen:asyncStart', onListen)
  assert.equal(servers.length, 1)
  servers[0]?.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }))
  assert.equal((await fetch(`${url}/metrics`)).status, 200)
})
