/** The log goes to a collector as it goes to standard error: each line once, with its trace and without secrets. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type ReceivedRecord, startOtlpReceiver } from '@millhand/test-servers'
import { callersTrace, mediaTypes, type OtlpProtocol, sentTo } from './otlp.ts'
import { startServer } from './server.ts'

const WAIT_MS = 300_000

for (const protocol of Object.keys(mediaTypes) as OtlpProtocol[]) {
  it(`lines are sent over ${protocol}`, async () => {
    await using collector = await startOtlpReceiver()
    const env = { ...sentTo(collector, protocol), OTEL_LOGS_EXPORTER: 'otlp', MILLHAND_LOG_LEVEL: 'debug' }
    await using server = await startServer({ env })
    const { traceId, headers } = callersTrace('01')
    const path = `/v1/tasks/task_01kaje5z1cf6tvnyxkkhbm3v8h?cursor=${server.key}`
    const answer = await server.request('GET', path, { headers })
    const isIt = ({ eventName, traceId: its }: ReceivedRecord) => eventName === 'request.answered' && its === traceId
    const record = await collector.until((_, records) => records.find(isIt), WAIT_MS)
    const line = server
      .logs()
      .stderr.split('\n')
      .find(each => each.includes(traceId) && each.includes('request.answered'))
    const { time, level, event, trace_id, span_id, ...fields } = JSON.parse(line ?? '{}')
    assert.deepEqual([level, event, trace_id], ['debug', 'request.answered', traceId])
    assert.equal(fields.request_id, answer.headers['x-request-id'])
    assert.match(fields.process, /^(local|gateway)/)
    const { service, attributes, ...rest } = record
    assert.deepEqual(rest, {
      ...{ traceId, spanId: span_id, time: Date.parse(time), severity: 'DEBUG' },
      ...{ eventName: event, body: event, by: mediaTypes[protocol] },
    })
    assert.deepEqual(attributes, fields)
    assert.match(service, /^millhand/)
    assert.equal(collector.records.filter(isIt).length, 1)
    assert.ok(!JSON.stringify(collector.records).includes(server.key))
    const inTrace = collector.records.filter(({ traceId: its }) => its === traceId)
    for (const { spanId } of inTrace) assert.match(spanId, /^[\da-f]{16}$/)
  })
}

it('nothing of the log is sent to a collector that only the endpoint of all signals names', async () => {
  await using collector = await startOtlpReceiver()
  await using server = await startServer({ env: sentTo(collector, 'http/protobuf') })
  const { traceId, headers } = callersTrace('01')
  await server.request('GET', '/v1/tasks', { headers })
  await collector.until(spans => spans.find(span => span.traceId === traceId), WAIT_MS)
  await server.stop()
  assert.deepEqual(collector.records, [])
})
