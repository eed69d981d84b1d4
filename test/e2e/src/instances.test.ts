/** Instances, as their users see them: in the sandbox, and on an engine that runs nothing. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openEvents } from './event-stream.ts'
import type { Wire } from './http.ts'
import { assertProblem, TYPE_ID } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
before(async () => {
  server = await visitServer()
})
after(() => server.leave())

/** With the test key. */
const call = (method: string, path: string, options: { json?: unknown; headers?: Record<string, string> } = {}) =>
  server.request(method, path, {
    ...options,
    headers: { authorization: `Bearer ${server.testKey}`, ...options.headers },
  })

async function create(json: object = {}): Promise<Wire> {
  const answer = await call('POST', '/v1/instances', { json: { gpu: 'cpu', image: 'acme/server', ...json } })
  assert.equal(answer.status, 201, answer.text)
  assert.equal(answer.headers.location, `/v1/instances/${answer.body.id}`)
  return answer.body
}

async function reaches(id: string, isSo: (instance: Wire) => boolean): Promise<Wire> {
  const deadline = performance.now() + 300_000
  for (;;) {
    const { body, text } = await call('GET', `/v1/instances/${id}`)
    if (isSo(body)) return body
    assert.ok(performance.now() < deadline, text)
    await pause(50)
  }
}

const is =
  (...statuses: readonly string[]) =>
  ({ status }: Wire) =>
    statuses.includes(status)

test('an instance is created, runs, is scaled up and down, and ends', async () => {
  const made = await create({
    name: 'web',
    replicas: 2,
    env: { TOKEN: 'do not tell' },
    ports: [8000],
    metadata: { a: 'b' },
  })
  assert.match(made.id, TYPE_ID('inst'))
  assert.deepEqual([made.object, made.name, made.mode, made.desired], ['instance', 'web', 'test', { replicas: 2 }])
  assert.ok(['pending', 'provisioning'].includes(made.status), made.status)
  assert.match(made.hourly_price.amount, /^\d+\.\d{6,}$/)
  const running = await reaches(made.id, is('running'))
  assert.deepEqual(
    running.replicas.map(({ index, status }: Wire) => [index, status]),
    [
      [0, 'running'],
      [1, 'running'],
    ],
  )
  const scale = async (replicas: number) => {
    const scaled = await call('POST', `/v1/instances/${made.id}/scale`, { json: { replicas } })
    assert.deepEqual([scaled.status, scaled.body.desired], [200, { replicas }], scaled.text)
  }
  await scale(5)
  await scale(3)
  await reaches(made.id, ({ status, replicas }) => status === 'running' && replicas.length === 3)
  await scale(0)
  await reaches(made.id, ({ status, replicas }) => status === 'running' && replicas.length === 0)
  const ended = await call('DELETE', `/v1/instances/${made.id}`)
  assert.deepEqual([ended.status, ended.body.reason], [200, 'deleted'], ended.text)
  const gone = await reaches(made.id, is('terminated'))
  assert.ok(gone.terminated_at >= gone.created_at)
  assert.equal((await call('DELETE', `/v1/instances/${made.id}`)).body.status, 'terminated')
  assertProblem(await call('POST', `/v1/instances/${made.id}/scale`, { json: { replicas: 1 } }), 409, 'invalid_state')

  const history = await call('GET', `/v1/instances/${made.id}/events`)
  const types = history.body.data.map(({ type }: Wire) => type)
  for (const type of ['instance.pending', 'replica.running', 'instance.scaled', 'instance.terminated'])
    assert.ok(types.includes(type), `${type} of ${types}`)
  for (const { text } of [history, await call('GET', '/v1/instances'), await call('GET', `/v1/instances/${made.id}`)])
    assert.ok(!text.includes('do not tell'))
})

test('each change of status is an event, in order', async () => {
  const { id } = await create()
  await reaches(id, is('running'))
  await call('DELETE', `/v1/instances/${id}`)
  await reaches(id, is('terminated'))
  const wanted = ['pending', 'provisioning', 'running', 'terminating', 'terminated'].map(word => `instance.${word}`)
  const deadline = performance.now() + 300_000
  for (;;) {
    const { body } = await call('GET', `/v1/events?resource_id=${id}&limit=100`)
    const told = body.data.toReversed().filter(({ type }: Wire) => type !== 'instance.metered')
    if (told.length >= wanted.length) {
      assert.deepEqual(
        told.map(({ type, resource_version }: Wire) => [type, resource_version]),
        wanted.map((type, at) => [type, at + 1]),
      )
      return
    }
    assert.ok(performance.now() < deadline, JSON.stringify(body))
    await pause(50)
  }
})

test('what can’t run says why', async () => {
  const missing = await create({ image: 'sandbox/image-not-found' })
  const failed = await reaches(missing.id, is('failed'))
  assert.deepEqual([failed.reason, failed.replicas], ['image_not_found', failed.replicas])
  await call('DELETE', `/v1/instances/${missing.id}`)
  await reaches(missing.id, is('terminated'))
  const hungry = await create({ image: 'sandbox/out-of-memory' })
  assert.equal((await reaches(hungry.id, is('degraded'))).reason, 'out_of_memory')
  await call('DELETE', `/v1/instances/${hungry.id}`)
})

test('lists are filtered, and one key of an operation makes one instance', async () => {
  const headers = { 'idempotency-key': `once ${Math.random()}` }
  const json = { gpu: 'cpu', image: 'acme/server', replicas: 0 }
  const [one, other] = [
    await call('POST', '/v1/instances', { json, headers }),
    await call('POST', '/v1/instances', { json, headers }),
  ]
  assert.equal(one.text, other.text)
  await reaches(one.body.id, is('running'))
  const ids = async (query: string) => (await call('GET', `/v1/instances?${query}`)).body.data.map(({ id }: Wire) => id)
  assert.ok((await ids('status=running&gpu=cpu')).includes(one.body.id))
  assert.ok(!(await ids('status=failed')).includes(one.body.id))
  assert.deepEqual(await ids('gpu=nothing'), [])
})

test('logs are a stream that ends, or goes on until the instance does', async () => {
  const { id } = await create()
  await reaches(id, is('running'))
  const headers = { authorization: `Bearer ${server.testKey}` }
  using stream = await openEvents(`${server.url}/v1/instances/${id}/logs`, { headers })
  assert.equal(stream.status, 200)
  for await (const { type, data } of stream) assert.deepEqual([type, data.instance_id], ['instance.log', id])
  using followed = await openEvents(`${server.url}/v1/instances/${id}/logs?follow=true`, { headers })
  await call('DELETE', `/v1/instances/${id}`)
  for await (const { type } of followed) assert.equal(type, 'instance.log')
})

test('instances of the sandbox outlive its process', async () => {
  const { id } = await create({ replicas: 2 })
  const before = await reaches(id, is('running'))
  await server.kill()
  await server.restart()
  const scaled = await call('POST', `/v1/instances/${id}/scale`, { json: { replicas: 3 } })
  assert.equal(scaled.status, 200, scaled.text)
  const running = await reaches(id, ({ status, replicas }) => status === 'running' && replicas.length === 3)
  const starts = ({ replicas }: Wire) =>
    replicas.slice(0, 2).map(({ started_at, restarts }: Wire) => [started_at, restarts])
  assert.deepEqual(starts(running), starts(before))
  await call('DELETE', `/v1/instances/${id}`)
  await reaches(id, is('terminated'))
})

test('GPU types say how many replicas fit, and what one costs', async () => {
  const cpu = await cpuType()
  assert.ok(cpu.instances.available > 0 && cpu.instances.available <= cpu.instances.total, JSON.stringify(cpu))
  assert.deepEqual((await create({ replicas: 0 })).hourly_price, cpu.instances.hourly_price)

  /** After a restart compute may have no owner for some seconds, and may not have reached the instance service yet. */
  async function cpuType(): Promise<Wire> {
    for (const deadline = performance.now() + 300_000; ; await pause(200)) {
      const { status, body, text } = await call('GET', '/v1/gpu_types')
      const found = status === 503 ? undefined : body.data.find(({ id }: Wire) => id === 'cpu')
      if (found?.instances !== undefined) return found
      assert.ok(performance.now() < deadline, text)
    }
  }
})

test('what is wrong is refused', async () => {
  assertProblem(
    await call('POST', '/v1/instances', { json: { gpu: 'tpu', image: 'a' } }),
    400,
    'invalid_parameter',
    'gpu',
  )
  assertProblem(
    await call('POST', '/v1/instances', { json: { gpu: 'cpu', image: 'a b' } }),
    400,
    'invalid_parameter',
    'image',
  )
  assertProblem(
    await call('POST', '/v1/instances', { json: { gpu: 'cpu', image: 'a', replicas: 65 } }),
    400,
    'invalid_parameter',
    'replicas',
  )
  assertProblem(await call('GET', '/v1/instances/inst_01kaje5z1cf6tvnyxkkhbm3v8h'), 404, 'not_found')
})
