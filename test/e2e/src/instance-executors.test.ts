/** Executors in instances: capacity that an account adds by the API, on a real Docker engine. */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '@connectrpc/connect'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { ExecutorService } from '@millhand/api/gen/millhand/compute/v1/executor_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { createNetworkTransport } from '@millhand/rpc/network'
import { type Docker, dockerMissing, startDocker } from '@millhand/test-servers'
import {
  COMPUTE_ADDRESS,
  COMPUTE_PORT,
  EXECUTOR_IMAGE,
  EXECUTOR_NETWORK,
  importExecutorImage,
  startExecutorNetwork,
} from './executor-image.ts'
import { allSucceeded } from './instance-tasks.ts'
import { killServices } from './killed-services.ts'
import { keyOf, newAccount } from './operator.ts'
import { requests, type Served, type Server, startServer } from './server.ts'
import { assertProblem, clearAll, create as createOne, digit, ended, ownModels, reaches, spin } from './tasks.ts'

const LIMIT_MS = 300_000

describe('executors in instances', { skip: dockerMissing }, () => {
  let docker: Docker
  let server: Server
  let network: AsyncDisposable

  before(async () => {
    docker = await startDocker()
    server = await startServer({
      env: {
        MILLHAND_INSTANCE_DRIVER: 'docker',
        MILLHAND_DOCKER_HOST: docker.address,
        MILLHAND_INSTANCE_PRELOADED: EXECUTOR_IMAGE,
        MILLHAND_INSTANCE_SIZES: 'cpu=0.6x1024',
        MILLHAND_EXECUTOR_IMAGE: EXECUTOR_IMAGE,
        MILLHAND_EXECUTOR_COMPUTE_URL: `http://${COMPUTE_ADDRESS}:${COMPUTE_PORT}`,
        MILLHAND_DOCKER_EXECUTOR_NETWORK: EXECUTOR_NETWORK,
        MILLHAND_MODELS_DIR: ownModels,
        // What runs, runs in instances.
        MILLHAND_EXECUTOR_SLOTS: '0',
      },
    })
    network = await startExecutorNetwork(docker, Number(new URL(String(server.grpc)).port))
    await importExecutorImage(docker, ownModels)
  })
  after(async () => {
    await network?.[Symbol.asyncDispose]()
    await server?.stop()
    await docker?.[Symbol.asyncDispose]()
  })

  afterEach(async () => {
    const { body } = await server.request('GET', '/v1/instances?limit=100')
    for (const { id } of body.data) await end(id)
    await clearAll(server)
  })

  async function launch(replicas: number, caller: Served = server): Promise<string> {
    const json = { gpu: 'cpu', image: EXECUTOR_IMAGE, replicas }
    const { status, body, text } = await caller.request('POST', '/v1/instances', { json })
    assert.equal(status, 201, text)
    await instanceIs(body.id, 'running', caller)
    return body.id
  }

  async function instanceIs(id: string, state: string, caller: Served = server): Promise<void> {
    for (const deadline = performance.now() + LIMIT_MS; ; await pause(100)) {
      const { body, text } = await caller.request('GET', `/v1/instances/${id}`)
      if (body.status === state) return
      assert.ok(performance.now() < deadline, text)
    }
  }

  async function end(id: string, caller: Served = server): Promise<void> {
    await caller.request('DELETE', `/v1/instances/${id}`)
    await instanceIs(id, 'terminated', caller)
  }

  const containers = async () => (await docker.docker('ps', '--format', '{{.Names}}')).split('\n').filter(Boolean)

  const create = (jsons: readonly object[], caller: Served = server) =>
    Promise.all(
      jsons.map(async json => {
        const answer = await caller.request('POST', '/v1/tasks', { json })
        assert.equal(answer.status, 201, answer.text)
        return String(answer.body.id)
      }),
    )

  async function credentialOf(container: string): Promise<string> {
    const [{ Config }] = JSON.parse(await docker.docker('inspect', container))
    const line = Config.Env.find((each: string) => each.startsWith('MILLHAND_JOIN_CREDENTIAL='))
    return line.slice('MILLHAND_JOIN_CREDENTIAL='.length)
  }

  const mixed = () => [
    ...Array.from({ length: 40 }, (_, n) => digit(n % 10)),
    ...Array.from({ length: 6 }, () => spin(1_500)),
  ]

  test('one joins and runs tasks; killed in the middle of runs, and again, each task ends once', async () => {
    const id = await launch(1)
    const [first] = await create([spin(300_000)])
    await reaches(server, String(first), 'running')
    // A lease may be lost too where the machine stands still.
    const often = { max_attempts: 10 }
    const ids = await create(mixed().map(json => ({ ...json, ...often })))
    await server.request('DELETE', `/v1/tasks/${first}`)
    await ended(server, String(first))
    for (let kill = 0; kill < 2; kill++) {
      const [long] = await create([spin(3_000, often)])
      ids.push(String(long))
      await reaches(server, String(long), 'running', 'succeeded')
      await docker.docker('kill', '--signal', 'KILL', String((await containers())[0]))
    }
    const tasks = await allSucceeded(server, ids)
    assert.ok(
      tasks.some(({ attempt }) => attempt > 1),
      'no run was interrupted',
    )
    await end(id)
    assert.deepEqual(await containers(), [])
  })

  test('scaled down, and deleted, in the middle of runs: none is lost, and none costs an attempt', async () => {
    const id = await launch(2)
    // A run that is given back costs no attempt.
    const once = { max_attempts: 1 }
    const long = await create(Array.from({ length: 4 }, () => spin(3_000, once)))
    for (const one of long) await reaches(server, one, 'running', 'succeeded')
    const ids = [...long, ...(await create(mixed().map(json => ({ ...json, ...once }))))]
    const scaled = await server.request('POST', `/v1/instances/${id}/scale`, { json: { replicas: 1 } })
    assert.equal(scaled.status, 200, scaled.text)
    await instanceIs(id, 'running')
    const [more] = await create([spin(3_000, once)])
    ids.push(String(more))
    await end(id)
    // A claim that its executor did not live to hear of is given back a moment later.
    for (const each of ids) await reaches(server, each, 'queued', 'succeeded')
    const next = await launch(1)
    await allSucceeded(server, ids)
    await end(next)
  })

  test('services killed in the middle of runs: each task ends once, and the replicas run on and are taken up', async () => {
    const id = await launch(2)
    const replicas = await containers()
    // What runs while compute is away may lose its lease, which is no fault of the task.
    const often = { max_attempts: 10 }
    const ids = await create(mixed().map(json => ({ ...json, ...often })))
    for (const services of [['instance'], ['compute'], ['compute', 'instance']]) {
      const { id: long } = await createOne(server, spin(3_000, { ...often, priority: 'high' }))
      ids.push(long)
      await reaches(server, long, 'running', 'succeeded')
      await killServices(server, services)
    }
    await allSucceeded(server, ids)
    await instanceIs(id, 'running')
    assert.deepEqual(await containers(), replicas)
    const scaled = await server.request('POST', `/v1/instances/${id}/scale`, { json: { replicas: 1 } })
    assert.equal(scaled.status, 200, scaled.text)
    await instanceIs(id, 'running')
    const left = await containers()
    assert.deepEqual([left.length, replicas.includes(String(left[0]))], [1, true])
    await end(id)
    assert.deepEqual(await containers(), [])
  })

  test('tasks of another account wait for an executor of their own account', async () => {
    const key = await keyOf(server, await newAccount(server, 'another'))
    const other = { ...server, request: requests(server.url, key) }
    const foreign = await create([digit(1), spin(1)], other)
    const id = await launch(1)
    await allSucceeded(server, await create([digit(2), spin(1), digit(3)]))
    for (const each of foreign) await reaches(other, each, 'queued')
    await end(id)
    const others = await launch(1, other)
    const own = await create([digit(4)])
    for (const each of foreign) {
      const { status, usage } = await ended(other, each)
      assert.deepEqual([status, usage.instance_id], ['succeeded', others])
    }
    await reaches(server, String(own[0]), 'queued')
    await end(others, other)
  })

  test('a credential is good for its replica, its account and its time alone, and shown nowhere', async () => {
    const id = await launch(1)
    const [container = ''] = await containers()
    const credential = await credentialOf(container)
    const transport = createNetworkTransport({ url: String(server.grpc) })
    const { getToken } = createClient(ExecutorService, transport)
    const { token, validMs } = await getToken({ credential })
    assert.ok(validMs > 0 && validMs <= 300_000)
    const own = createNetworkTransport({ url: String(server.grpc), token })
    const leases = createClient(LeaseService, own)
    const executorId = 'exec_test'

    // No other call, and no run of another account.
    const asPrincipal = createClient(ComputeService, own).listTasks({})
    await assert.rejects(asPrincipal, /does not allow/)
    const foreign = { tenant: `acct_${'1'.repeat(26)}/live`, workId: `task_${'1'.repeat(26)}`, attempt: 1 }
    const calls = [
      leases.renew({ executorId, leases: [{ ...foreign, id: 'lease' }] }),
      leases.finish({
        executorId,
        results: [{ ...foreign, leaseId: 'lease', outcome: { case: 'returned', value: true } }],
      }),
      leases.reserve({ run: { ...foreign, leaseId: 'lease' } }),
      leases.joinParts({ run: { ...foreign, leaseId: 'lease' } }),
      firstOf(leases.readInput({ run: { ...foreign, leaseId: 'lease' } })),
      leases.storeOutput(only({ part: { case: 'run' as const, value: { ...foreign, leaseId: 'lease' } } })),
    ]
    await Promise.all(calls.map(call => assert.rejects(call, /its own account/)))
    const sandboxed = requests(server.url, server.testKey)
    const test = await sandboxed('POST', '/v1/tasks', { json: digit(1) })
    assert.equal(test.status, 201, test.text)
    const claimed = await leases.claim({ executorId, pool: 'test/onnx', runs: 1, waitMs: 0 })
    assert.deepEqual(claimed.runs, [])

    // Nor anything that was changed.
    for (const wrong of [`${credential.slice(0, -2)}AA`, token.replace(/.$/, 'x'), 'mhj_', 'x', server.key])
      await assert.rejects(getToken({ credential: wrong }), /not made by this deployment/)
    await assert.rejects(
      createClient(LeaseService, transport).claim({ executorId, pool: 'live/onnx' }),
      /service token/,
    )

    // The container has one network, and on it one way.
    const [inspected] = JSON.parse(await docker.docker('inspect', container))
    assert.deepEqual(Object.keys(inspected.NetworkSettings.Networks), [EXECUTOR_NETWORK])
    const reach = (port: number) =>
      docker.docker('exec', container, 'nc', '-w', '3', COMPUTE_ADDRESS, String(port), '-e', '/bin/true')
    await reach(COMPUTE_PORT)
    await assert.rejects(reach(COMPUTE_PORT + 1), 'another port is reached')

    // What ends the replica ends its credential and its token.
    await docker.docker('kill', '--signal', 'KILL', container)
    for (const deadline = performance.now() + LIMIT_MS; (await containers())[0] === container; await pause(100))
      assert.ok(performance.now() < deadline)
    await instanceIs(id, 'running')
    const [next = ''] = await containers()
    assert.notEqual(await credentialOf(next), credential)
    await assert.rejects(getToken({ credential }), /has ended/)
    // Of a replica that has joined compute asks every 2 s.
    const isTaken = () => getToken({ credential: token }).then(Boolean, () => false)
    for (const deadline = performance.now() + LIMIT_MS; await isTaken(); await pause(100))
      assert.ok(performance.now() < deadline)
    await assert.rejects(getToken({ credential: token }), /has ended/)
    await assert.rejects(leases.claim({ executorId, pool: 'live/onnx', runs: 1 }), /has ended/)

    const shown = await Promise.all([
      server.request('GET', '/v1/instances'),
      server.request('GET', `/v1/instances/${id}`),
      server.request('GET', `/v1/instances/${id}/events`),
      server.request('GET', `/v1/instances/${id}/logs?replica=0`),
      server.request('GET', `/v1/events?resource_id=${id}&limit=100`),
    ])
    const { stdout, stderr } = server.logs()
    for (const text of [...shown.map(answer => answer.text), stdout, stderr])
      for (const secret of [credential, await credentialOf(next), token]) assert.ok(!text.includes(secret))
    transport.close()
    own.close()
    await end(id)
  })

  test('nothing that an account sets gets into the image of executors', async () => {
    for (const [param, json] of Object.entries({
      command: { command: ['sh'] },
      env: { env: { NODE_OPTIONS: '--inspect' } },
      ports: { ports: [80] },
      volume_gb: { volume_gb: 1 },
    })) {
      const answer = await server.request('POST', '/v1/instances', {
        json: { gpu: 'cpu', image: EXECUTOR_IMAGE, ...json },
      })
      assertProblem(answer, 400, 'invalid_parameter', param)
    }
  })
})

async function* only<T>(one: T): AsyncGenerator<T> {
  yield one
}

async function firstOf<T>(all: AsyncIterable<T>): Promise<T | undefined> {
  for await (const one of all) return one
  return undefined
}
