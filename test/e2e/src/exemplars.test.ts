/** From a histogram to the trace of one request: Prometheus reads exemplars as it does for an operator, on each shape. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import {
  type OtlpReceiver,
  type Prometheus,
  prometheusMissing,
  startOtlpReceiver,
  startPrometheus,
} from '@millhand/test-servers'
import { grpcClient } from './grpc-client.ts'
import { callersTrace, sentTo, spanOf, traceOf } from './otlp.ts'
import { askPrometheus, metricsTargets } from './prometheus.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { repository, type Server, startServer } from './server.ts'
import { digit } from './tasks.ts'

const WAIT_MS = 300_000

describe('exemplars', { skip: prometheusMissing() }, () => {
  let collector: OtlpReceiver
  let receiver: Receiver
  let server: Server
  let prometheus: Prometheus
  before(async () => {
    ;[collector, receiver] = await Promise.all([startOtlpReceiver(), startReceiver()])
    server = await startServer({ env: sentTo(collector, 'grpc') })
    prometheus = await startPrometheus(metricsTargets(server), join(repository, 'deploy/prometheus/alerts.yaml'))
  })
  after(async () => {
    await prometheus?.[Symbol.asyncDispose]()
    await server?.stop()
    await Promise.all([collector[Symbol.asyncDispose](), receiver[Symbol.asyncDispose]()])
  })

  /** The exemplars of a histogram. */
  async function exemplarsOf(metric: string): Promise<readonly Found[]> {
    const now = Date.now() / 1_000
    const range = { start: String(now - 86_400), end: String(now + 86_400) }
    const { data } = await askPrometheus(prometheus, 'query_exemplars', { query: `${metric}_bucket`, ...range })
    return data.flatMap(({ seriesLabels, exemplars }: { seriesLabels: Labels; exemplars: { labels: Labels }[] }) =>
      exemplars.map(({ labels }) => ({ series: seriesLabels, ...labels })),
    )
  }

  /** Those of a trace, once there is one. */
  async function untilFound(metric: string, traceId: string): Promise<readonly Found[]> {
    for (const deadline = performance.now() + WAIT_MS; ; await pause(500)) {
      const all = await exemplarsOf(metric)
      const found = all.filter(({ trace_id }) => trace_id === traceId)
      if (found.length > 0) return found
      assert.ok(performance.now() < deadline, `${metric} has ${JSON.stringify(all)}`)
    }
  }

  it('name the trace of a request, and of the wait, the run and the delivery that it caused', async () => {
    const { traceId, headers } = callersTrace('01')
    const json = digit(3, { callback: { url: receiver.url('/all') } })
    assert.equal((await server.request('POST', '/v1/tasks', { json, headers })).status, 201)
    await receiver.gets('/all')
    const [request] = await untilFound('http_server_request_duration_seconds', traceId)
    const { http_route, http_response_status_code } = request?.series ?? {}
    assert.deepEqual([http_route, http_response_status_code], ['/v1/tasks', '201'])
    const root = spanOf(await traceOf(collector, traceId, ['POST /v1/tasks']), 'POST /v1/tasks')
    assert.equal(request?.span_id, root.spanId)
    for (const metric of ['millhand_task_wait_seconds', 'millhand_task_run_seconds'])
      assert.equal((await untilFound(metric, traceId))[0]?.series.model, 'digits')
    const [attempt] = await untilFound('millhand_webhook_try_duration_seconds', traceId)
    assert.equal(attempt?.series.outcome, 'succeeded')
  })

  it('name the trace of a call of gRPC, and none of a request that is not sampled', async () => {
    const unsampled = callersTrace('00')
    assert.equal((await server.request('GET', '/v1/models', { headers: unsampled.headers })).status, 200)
    const { traceId, headers } = callersTrace('01')
    const client = grpcClient(ComputeService, new URL(server.url).host, server.key)
    await client.unary('listModels', {}, { metadata: headers })
    client.close()
    const [call] = await untilFound('http_server_request_duration_seconds', traceId)
    assert.equal(call?.series.http_route, `/${ComputeService.typeName}/ListModels`)
    const all = await exemplarsOf('http_server_request_duration_seconds')
    assert.ok(!all.some(({ trace_id }) => trace_id === unsampled.traceId))
  })
})

type Labels = Readonly<Record<string, string>>

/** One exemplar, and the labels of the bucket that it is in. */
type Found = { readonly series: Labels; readonly trace_id?: string; readonly span_id?: string }
