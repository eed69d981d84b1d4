import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import { BacklogService } from '@millhand/api/gen/millhand/webhook/v1/backlog_service_pb.ts'
import { createHealth, manualClock } from '@millhand/process'
import { createDirectTransport, serve } from '@millhand/rpc'
import { watchDeliveryHealth } from './delivery-health.ts'

test('deliveries are late while the service says so, or nobody can', async () => {
  const clock = manualClock()
  let answer = () => ({ isLate: false, behindEvents: 3, behindSeconds: 4 })
  const transport = createDirectTransport()
  serve(router => void router.service(BacklogService, { getBacklog: () => answer() }), transport)
  const health = createHealth()
  const stop = new AbortController()
  const backlog = createClient(BacklogService, transport)
  const watching = watchDeliveryHealth({ backlog, health, clock }, stop.signal)
  const looked = async () => {
    await clock.advance(5_000)
    for (let turns = 0; turns < 10; turns++) await new Promise(resolve => setImmediate(resolve))
    return health.ready().checks.deliveries
  }
  assert.deepEqual(await looked(), { ready: true })
  answer = () => ({ isLate: true, behindEvents: 70_000, behindSeconds: 95.4 })
  assert.deepEqual(await looked(), {
    ready: false,
    reason: 'webhooks are behind what happens: 70000 events, for 95 s',
  })
  answer = () => {
    throw fail('unavailable', 'the log is away')
  }
  assert.match((await looked())?.reason ?? '', /the log is away/)
  answer = () => ({ isLate: false, behindEvents: 0, behindSeconds: 0 })
  assert.deepEqual(await looked(), { ready: true })
  stop.abort()
  await watching
})
