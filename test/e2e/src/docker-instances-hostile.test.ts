/** What an account can try on a real Docker engine that wants secrets, other people's places, or the network of the hosts. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { after, before, describe, test } from 'node:test'
import { dockerMissing } from '@millhand/test-servers'
import { type DockerServer, MISSING, runs, startDockerServer } from './docker-server.ts'
import type { Wire } from './http.ts'
import { keyOf, newAccount } from './operator.ts'
import { startReceiver } from './receiver.ts'
import { writtenBy } from './server-output.ts'
import { assertProblem } from './tasks.ts'

const REGISTRY = '127.0.0.1:5000'
/** Names an image, and never sends it. */
const SLOW_REGISTRY = `require("node:http").createServer(({ url }, answer) => { if (url === "/v2/") answer.end("{}"); else console.log(url) }).listen(5000, "127.0.0.1", () => console.log("listening"))`
/** Of the engine, whatever machine it is on. */
const PLACES = 4

describe('a hostile account', { skip: dockerMissing }, () => {
  let tested: DockerServer
  before(async () => {
    tested = await startDockerServer({
      MILLHAND_INSTANCE_SIZES: `cpu=${availableParallelism() / PLACES}x64`,
      MILLHAND_INSTANCE_REGISTRIES: `${REGISTRY},registry.example.com/acme`,
      MILLHAND_LOG_LEVEL: 'debug',
    })
  })
  after(() => tested?.[Symbol.asyncDispose]())

  const images: Readonly<Record<string, string>> = {
    'http://127.0.0.1/acme/x': 'image_not_found',
    'registry.example.com//acme/x': 'image_not_found',
    'registry.example.com/acme/../../x': 'image_not_found',
    'registry.example.com/acme/X': 'image_not_found',
    'registry.example.com/acme/x@sha256:12': 'image_not_found',
    'registry.example.com/acme-corp/x': 'registry_not_allowed',
    'registry.example.com:5000/acme/x': 'registry_not_allowed',
    'acme.registry.example.com/acme/x': 'registry_not_allowed',
    '127.0.0.1:2375/x': 'registry_not_allowed',
    '169.254.169.254/latest/meta-data': 'registry_not_allowed',
    'localhost/x': 'registry_not_allowed',
    [`sha256:${'0'.repeat(64)}`]: 'registry_not_allowed',
    [MISSING.toUpperCase()]: 'image_not_found',
    [`registry.example.com/${'a'.repeat(490)}`]: 'registry_not_allowed',
  }
  test('gets no image that the list of registries does not have, however it is written', async () => {
    const { create, reaches, end, containers } = tested
    for (const [image, reason] of Object.entries(images)) {
      const { id } = await create({ image })
      const failed = await reaches(id, ({ status }) => status === 'failed')
      assert.equal(failed.reason, reason, image)
      await end(id)
    }
    assert.deepEqual(await containers(), [])
    for (const image of [' x', 'a b', '../x', '-x', 'x\u0000', 'x\n', 'ä', 'a'.repeat(513)]) {
      const answer = await tested.server.request('POST', '/v1/instances', { json: { gpu: 'cpu', image } })
      assertProblem(answer, 400, 'invalid_parameter', 'image')
    }
  })

  test('holds no place with a registry that never sends the image', async () => {
    const { docker, server, create, reaches, end } = tested
    const [command, ...words] = docker.inNetwork(process.execPath, '-e', SLOW_REGISTRY)
    const registry = spawn(command, words, { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      await once(registry.stdout, 'data') // It listens.
      const asked = once(registry.stdout, 'data')
      const { id } = await create({ image: `${REGISTRY}/x` })
      await asked
      const { status } = await reaches(id, ({ replicas }) => replicas[0]?.status === 'starting')
      assert.equal(status, 'provisioning')
      await end(id)
      const { id: next } = await create({ replicas: PLACES })
      await reaches(next, runs(PLACES))
      await end(next)
      const metered = await server.request('GET', `/v1/events?resource_id=${id}&type=instance.metered`)
      assert.deepEqual(metered.body.data, [])
    } finally {
      registry.kill('SIGKILL')
    }
  })

  test('that scales up and down without a pause keeps no other account from its first replica', async () => {
    const { docker, server, create, scale, reaches, containers, end } = tested
    const greedy = await create({ replicas: 64 })
    const running = ({ replicas }: Wire) => replicas.filter(({ status }: Wire) => status === 'running').length
    await reaches(greedy.id, instance => running(instance) === PLACES)
    const authorization = `Bearer ${await keyOf(server, await newAccount(server, 'patient'))}`
    const call = async (method: string, path: string, json?: object) =>
      (await server.request(method, path, { headers: { authorization }, ...(json && { json }) })).body
    const { id } = await call('POST', '/v1/instances', { gpu: 'cpu', image: greedy.image })
    const now = () => call('GET', `/v1/instances/${id}`)
    for (const limit = AbortSignal.timeout(240_000); !runs(1)(await now()); limit.throwIfAborted()) {
      // It asks for more than it has at all times, so a place that gets free is wanted by both.
      for (const replicas of [64, PLACES + 1, 64]) await scale(greedy.id, replicas)
      const [name] = (await containers()).filter(found => found.startsWith(greedy.id.replace('_', '-')))
      if (name !== undefined) await docker.docker('rm', '--force', name)
    }
    await reaches(greedy.id, instance => running(instance) === PLACES - 1)
    assert.ok(runs(1)(await now()), 'it keeps its place')
    await call('DELETE', `/v1/instances/${id}`)
    await end(greedy.id)
  })

  test('is refused more environment than there may be, in no more words than that', async () => {
    const { server } = tested
    const secret = 'a value that is not told again'
    const env = (value: Readonly<Record<string, string>>) => ({ json: { gpu: 'cpu', image: 'x', env: value } })
    const wrong: readonly Readonly<Record<string, string>>[] = [
      { LONG: secret.repeat(2_000) },
      Object.fromEntries(Array.from({ length: 3 }, (_, n) => [`PART_${n}`, secret.repeat(1_000)])),
      Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`N_${n}`, secret])),
      { 'A=B': secret },
      { '': secret },
      { NUL: `${secret}\u0000` },
    ]
    for (const values of wrong) {
      const answer = await server.request('POST', '/v1/instances', env(values))
      assert.equal(answer.status, 400, answer.text)
      assert.ok(!answer.text.includes(secret), answer.text)
    }
  })

  test('finds what is secret of an instance nowhere, whatever becomes of it', async () => {
    const { server, create, scale, reaches, end } = tested
    await using receiver = await startReceiver()
    const hook = { url: receiver.url('/secrets'), events: ['instance.*'] }
    assert.equal((await server.request('POST', '/v1/webhooks', { json: hook })).status, 201)
    const secrets = ['env-0f3e2d1c', 'password-9a8b7c6d', 'user-5e4f3a2b']
    const env = { TOKEN: secrets[0] }
    const registry_credential = { username: secrets[2], password: secrets[1] }
    const ids: string[] = []
    for (const json of [
      {},
      { command: ['sh', '-c', 'exit 3'] },
      { command: ['/bin/never'] },
      { image: MISSING },
      { image: `${REGISTRY}/y` },
    ]) {
      const { id } = await create({ env, registry_credential, replicas: 1, ...json })
      await reaches(id, ({ status, reason }) => status === 'running' || status === 'failed' || reason !== undefined)
      ids.push(id)
    }
    await scale(`${ids[0]}`, 2)
    await reaches(`${ids[0]}`, runs(2))
    const paths = ['/v1/instances?limit=100', '/v1/events?limit=100']
    for (const id of ids) {
      await end(id)
      paths.push(`/v1/instances/${id}`, `/v1/instances/${id}/events`, `/v1/instances/${id}/logs`)
    }
    const told = await Promise.all(
      paths.map(async path => ({ place: path, text: (await server.request('GET', path)).text })),
    )
    await receiver.gets('/secrets', ({ body }) => body.type === 'instance.terminated' && body.data.object.id === ids[0])
    told.push({ place: 'webhooks', text: JSON.stringify(receiver.at('/secrets').map(({ body }) => body)) })
    await server.stop()
    for (const { place, text } of [...told, ...(await writtenBy(server))])
      for (const secret of secrets) assert.ok(!text.includes(secret), `${place} has ${secret}`)
  })
})
