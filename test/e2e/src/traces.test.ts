/** One request is one trace, from the caller's `traceparent` through every hop to the webhook, on each shape of the product. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '@millhand/test-servers'
import { grpcClient, refusal } from './grpc-client.ts'
import { callersTrace, mediaTypes, sentTo } from './otlp.ts'
import { busiest } from './processes.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { type Server, startServer } from './server.ts'
import { digit, FOREVER_MS, ownModels, reaches, spin } from './tasks.ts'

const WAIT_MS = 300_000

describe('traces', () => {
  let collector: OtlpReceiver
  let receiver: Receiver
  let server: Server
  before(async () => {
    ;[collector, receiver] = await Promise.all([startOtlpReceiver(), startReceiver()])
    const env = { MILLHAND_MODELS_DIR: ownModels, MILLHAND_LOG_LEVEL: 'debug' }
    server = await startServer({ env: { ...sentTo(collector, 'grpc'), ...env } })
  })
  after(async () => {
    await server?.stop()
    await Promise.all([collector[Symbol.asyncDispose](), receiver[Symbol.asyncDispose]()])
  })

  it('have each hop of a task, in the trace of its caller', async () => {
    const { traceId, spanId, headers } = callersTrace('01')
    const json = digit(3, { callback: { url: receiver.url('/all') } })
    const answer = await server.request('POST', '/v1/tasks', { json, headers })
    assert.equal(answer.status, 201, answer.text)
    const { headers: told } = await receiver.gets('/all')
    const spans = await traceOf(collector, traceId, [...hops.keys()])
    for (const span of spans) assert.equal(span.by, 'grpc')
    const root = spanOf(spans, 'POST /v1/tasks')
    assert.equal(root.parentSpanId, spanId)
    assert.equal(root.traceState, headers.tracestate)
    assert.equal(root.attributes['http.response.status_code'], 201)
    assert.equal(root.attributes['millhand.request_id'], answer.headers['x-request-id'])
    for (const [hop, parent] of hops) {
      if (parent !== undefined) assert.equal(spanOf(spans, hop).parentSpanId, spanOf(spans, parent).spanId, hop)
    }
    assert.equal(told.traceparent, `00-${traceId}-${spanOf(spans, 'webhook').spanId}-01`)
  })

  it('go on over another attempt of a run and of a delivery', async () => {
    const { traceId, headers } = callersTrace('01')
    receiver.answer('/again', 503)
    const json = spin(FOREVER_MS, { max_attempts: 2, callback: { url: receiver.url('/again') } })
    const { status, body } = await server.request('POST', '/v1/tasks', { json, headers })
    assert.equal(status, 201, JSON.stringify(body))
    for (const attempt of [1, 2]) {
      await traceOf(collector, traceId, Array<string>(attempt).fill('queue'))
      process.kill(await busiest(server.pid), 'SIGKILL')
    }
    await reaches(server, body.id, 'failed')
    await receiver.gets('/again')
    receiver.answer('/again', 204)
    const names = ['queue', 'run', 'child process', 'store result', 'webhook'].flatMap(name => [name, name])
    const spans = await traceOf(collector, traceId, names)
    const attemptsOf = (name: string) =>
      spans.filter(span => span.name === name).map(span => span.attributes['millhand.attempt'])
    for (const name of ['queue', 'run', 'store result', 'webhook'])
      assert.deepEqual(attemptsOf(name).sort(), [1, 2], name)
    const runs = spans.filter(({ name }) => name === 'run')
    assert.ok(runs.every(({ isError, attributes }) => isError && attributes['error.type'] === 'model_crashed'))
  })

  it('begin with a call of gRPC or Connect as with a request of REST', async () => {
    const method = 'millhand.compute.v1.ComputeService/GetTask'
    const id = 'task_01kaje5z1cf6tvnyxkkhbm3v8h'
    const callers = {
      async connectrpc(headers: Readonly<Record<string, string>>) {
        await server.request('POST', `/${method}`, { json: { id }, headers })
      },
      async grpc(metadata: Readonly<Record<string, string>>) {
        const client = grpcClient(ComputeService, new URL(server.url).host, server.key)
        await refusal(client.unary('getTask', { id }, { metadata }))
        client.close()
      },
    }
    for (const call of Object.values(callers)) {
      const { traceId, spanId, headers } = callersTrace('01')
      await call(headers)
      const spans = await traceOf(collector, traceId, [
        'server GetTask',
        'server GetTask',
        'client GetTask',
        'admission',
      ])
      const root = spans.find(({ parentSpanId }) => parentSpanId === spanId)
      assert.equal(root?.name, method)
      assert.equal(root.isError, false)
      assert.equal(root.attributes['rpc.response.status_code'], 'not_found')
      assert.equal(root.attributes['millhand.mode'], 'live')
      for (const hop of ['admission', 'client GetTask']) assert.equal(spanOf(spans, hop).parentSpanId, root.spanId)
    }
  })

  it('are not made for a caller that samples nothing, whose context goes on all the same', async () => {
    const { traceId, headers } = callersTrace('00')
    const json = digit(4, { callback: { url: receiver.url('/unsampled') } })
    await server.request('POST', '/v1/tasks', { json, headers })
    const { headers: told } = await receiver.gets('/unsampled')
    assert.equal(told.traceparent, headers.traceparent)
    // Whatever of it was sent would come no later than what is sampled after it.
    const next = callersTrace('01')
    await server.request('GET', '/v1/tasks', { headers: next.headers })
    await traceOf(collector, next.traceId, ['GET /v1/tasks', 'server ListTasks'])
    assert.deepEqual(
      collector.spans.filter(span => span.traceId === traceId),
      [],
    )
  })

  it('are named in problems beside the request, and in the log', async () => {
    const { traceId, headers } = callersTrace('01')
    const answer = await server.request('GET', '/v1/tasks/task_01kaje5z1cf6tvnyxkkhbm3v8h', { headers })
    const { code, request_id, trace_id } = answer.body
    assert.deepEqual([code, request_id, trace_id], ['not_found', answer.headers['x-request-id'], traceId])
    const own = await server.request('GET', '/v1/tasks?limit=0')
    assert.match(own.body.trace_id, /^[\da-f]{32}$/)
    await traceOf(collector, own.body.trace_id, ['GET /v1/tasks', 'admission'])
    const lines = server.logs().stderr.split('\n')
    const line = lines.find(each => each.includes(traceId) && each.includes('request.answered'))
    assert.match(JSON.parse(line ?? '{}').span_id, /^[\da-f]{16}$/)
  })

  it('have no span for what nobody asked for, and name nothing that a customer sent', () => {
    const text = JSON.stringify(collector.spans)
    for (const word of ['Claim', 'Renew', '/healthz', server.key, receiver.url('')])
      assert.ok(!text.includes(word), word)
  })
})

for (const protocol of ['http/protobuf', 'http/json'] as const) {
  it(`traces are sent over ${protocol}, the part of them that the ratio names`, async () => {
    await using collector = await startOtlpReceiver()
    const ratio = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5', OTEL_SERVICE_NAME: 'mine' }
    await using server = await startServer({ env: { ...sentTo(collector, protocol), ...ratio } })
    const ask = async (lastDigits: string) => {
      const traceId = `0af7651916cd43dd84${lastDigits}`
      const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` }
      assert.equal((await server.request('GET', '/v1/tasks', { headers })).status, 200)
      return traceId
    }
    const left = await ask('ffffffffffffff')
    const kept = await ask('00000000000001')
    const spans = await traceOf(collector, kept, ['GET /v1/tasks', 'admission', 'client ListTasks', 'server ListTasks'])
    for (const { service, by } of spans) assert.deepEqual([service, by], ['mine', mediaTypes[protocol]])
    assert.ok(!collector.spans.some(({ traceId }) => traceId === left))
  })
}

it('a collector that is away holds up no request, and what it misses is counted', async () => {
  const away = { http: 'http://127.0.0.1:9', grpc: '' }
  const env = { ...sentTo(away, 'http/protobuf'), OTEL_LOGS_EXPORTER: 'otlp', MILLHAND_LOG_LEVEL: 'debug' }
  await using server = await startServer({ env })
  await using receiver = await startReceiver()
  const json = digit(1, { callback: { url: receiver.url('/all') } })
  const { body } = await server.request('POST', '/v1/tasks', { json })
  assert.equal((await reaches(server, body.id, 'succeeded')).status, 'succeeded')
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    const text = await (await fetch(`${server.metrics}/metrics`)).text()
    const missed = (name: string) =>
      Number(new RegExp(`^millhand_${name}_dropped_total\\{reason="export_failed"\\} (\\d+)$`, 'm').exec(text)?.[1])
    if (missed('spans') > 0 && missed('log_records') > 0) return
    assert.ok(performance.now() < deadline, text)
    await pause(100)
  }
})

it('a variable that is wrong stops the start with its name', async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_TRACES_SAMPLER: 'sometimes' }
  await assert.rejects(startServer({ env }), /OTEL_TRACES_SAMPLER must be one of always_on, .*; it is "sometimes"/)
})

/** Each hop and the one that it is within. */
const hops = new Map<string, string | undefined>([
  ['POST /v1/tasks', undefined],
  ['admission', 'POST /v1/tasks'],
  ['client CreateTask', 'POST /v1/tasks'],
  ['server CreateTask', 'client CreateTask'],
  ['store task', 'server CreateTask'],
  ['queue', 'server CreateTask'],
  ['run', 'queue'],
  ['child process', 'run'],
  ['store result', 'run'],
  ['webhook', 'server CreateTask'],
])

/** The spans of the trace, once it has one for each of the names. */
async function traceOf(
  collector: OtlpReceiver,
  traceId: string,
  names: readonly string[],
): Promise<readonly ReceivedSpan[]> {
  const inTrace = (spans: readonly ReceivedSpan[]) => spans.filter(span => span.traceId === traceId)
  try {
    return await collector.until(all => {
      const spans = inTrace(all)
      const left = spans.map(labelOf)
      const isThere = (name: string) => {
        const at = left.indexOf(name)
        if (at !== -1) left.splice(at, 1)
        return at !== -1
      }
      return names.every(isThere) ? spans : undefined
    }, WAIT_MS)
  } catch {
    const message = `the trace has ${inTrace(collector.spans).map(labelOf).sort()}, not ${names}`
    throw new assert.AssertionError({ message })
  }
}

function spanOf(spans: readonly ReceivedSpan[], label: string): ReceivedSpan {
  const found = spans.filter(span => labelOf(span) === label)
  assert.equal(found.length, 1, `${found.length} spans are ${label}`)
  return found[0] as ReceivedSpan
}

/** The name; of a call its side and its method. */
function labelOf({ name, kind }: ReceivedSpan): string {
  const method = /^millhand\..*\/(\w+)$/.exec(name)?.[1]
  if (method === undefined) return name
  return `${kind === 'SPAN_KIND_SERVER' || kind === '2' ? 'server' : 'client'} ${method}`
}
