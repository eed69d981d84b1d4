/** The traces of what goes on after its request: batches, whose tasks have traces of their own, and instances. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type OtlpReceiver, startOtlpReceiver } from '@millhand/test-servers'
import { batchEnded } from './batches.ts'
import { callersTrace, labelOf, sentTo, spanOf, traceOf } from './otlp.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { type Server, startServer } from './server.ts'
import { digit, ownModels } from './tasks.ts'

let collector: OtlpReceiver
let receiver: Receiver
let server: Server
before(async () => {
  ;[collector, receiver] = await Promise.all([startOtlpReceiver(), startReceiver()])
  server = await startServer({ env: { ...sentTo(collector, 'grpc'), MILLHAND_MODELS_DIR: ownModels } })
})
after(async () => {
  await server?.stop()
  await Promise.all([collector[Symbol.asyncDispose](), receiver[Symbol.asyncDispose]()])
})

const testKey = () => ({ authorization: `Bearer ${server.testKey}` })

it('a batch is one trace, and the tasks that are made together another, linked to it', async () => {
  const hook = { url: receiver.url('/batch'), events: ['batch.completed'] }
  assert.equal((await server.request('POST', '/v1/webhooks', { json: hook })).status, 201)
  const { traceId, headers } = callersTrace('01')
  const json = { tasks: [digit(1), digit(2)] }
  const { status, body, text } = await server.request('POST', '/v1/batches', { json, headers })
  assert.equal(status, 201, text)
  await batchEnded(server, body.id)
  const { headers: told } = await receiver.gets('/batch')
  const names = ['POST /v1/batches', 'server CreateBatch', 'server CheckTasks', 'add tasks', 'end batch', 'webhook']
  const spans = await traceOf(collector, traceId, names)
  const request = spanOf(spans, 'server CreateBatch')
  for (const name of ['add tasks', 'end batch', 'webhook'])
    assert.equal(spanOf(spans, name).parentSpanId, request.spanId, name)
  assert.equal(told.traceparent, `00-${traceId}-${spanOf(spans, 'webhook').spanId}-01`)
  assert.ok(!spans.some(({ name }) => name === 'run'))
  const added = spanOf(spans, 'add tasks')
  assert.deepEqual([added.attributes['millhand.batch_id'], added.attributes['millhand.batch_size']], [body.id, 2])

  const [tasks = ''] = added.links
  const twice = ['queue', 'run', 'store result', 'charge'].flatMap(name => [name, name])
  const made = await traceOf(collector, tasks, ['batch tasks', 'client AddTasks', 'server AddTasks', ...twice])
  const root = spanOf(made, 'batch tasks')
  assert.deepEqual([root.parentSpanId, root.links], ['', [traceId]])
  assert.equal(spanOf(made, 'client AddTasks').parentSpanId, root.spanId)
  const { spanId } = spanOf(made, 'server AddTasks')
  for (const span of made.filter(({ name }) => ['queue', 'charge'].includes(name)))
    assert.equal(span.parentSpanId, spanId, span.name)
})

it('an instance is in the trace of each request until it is as that asked', async () => {
  const ask = async (method: string, path: string, json?: object) => {
    const { traceId, headers } = callersTrace('01')
    const answer = await server.request(method, path, { ...(json && { json }), headers: { ...headers, ...testKey() } })
    assert.ok(answer.status < 300, answer.text)
    return { traceId, id: answer.body?.id as string }
  }
  const created = await ask('POST', '/v1/instances', { gpu: 'cpu', image: 'acme/server' })
  const steps = ['server CreateInstance', 'reconcile', 'start replica', 'reconcile']
  const spans = await traceOf(collector, created.traceId, steps)
  const request = spanOf(spans, 'server CreateInstance')
  for (const span of spans.filter(({ name }) => ['reconcile', 'start replica'].includes(name))) {
    assert.equal(span.parentSpanId, request.spanId, span.name)
    assert.equal(span.attributes['millhand.instance_id'], created.id)
  }
  const isRunning = async () => {
    const answer = await server.request('GET', `/v1/instances/${created.id}`, { headers: testKey() })
    return answer.body.status === 'running'
  }
  for (const limit = performance.now() + 300_000; !(await isRunning()); await pause(50))
    assert.ok(performance.now() < limit, 'the instance runs')
  const scaled = await ask('POST', `/v1/instances/${created.id}/scale`, { replicas: 0 })
  await traceOf(collector, scaled.traceId, ['server ScaleInstance', 'reconcile', 'remove replica', 'reconcile'])
  const deleted = await ask('DELETE', `/v1/instances/${created.id}`)
  await traceOf(collector, deleted.traceId, ['server DeleteInstance', 'reconcile'])
  const before = collector.spans.filter(({ traceId }) => traceId === created.traceId).map(labelOf)
  assert.ok(!before.includes('remove replica'), 'what the first request asked for was reached')
})
