/** What happens to instances behind the back of the service: in the engine, and while nobody looks. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { dockerMissing } from '@millhand/test-servers'
import { type DockerServer, MISSING, runs, startDockerServer } from './docker-server.ts'
import type { Wire } from './http.ts'

const PORT = 40_000
/** Of a replica that its service does not see. */
const UNSEEN_MS = 3_000
/** What docs/instances-operators.md says: how late a change in an engine is seen, and what is metered may be wrong by. */
const SEEN_MS = 10_000
const METER_MS = 1_000

describe('instances on a Docker engine', { skip: dockerMissing }, () => {
  let tested: DockerServer
  before(async () => {
    tested = await startDockerServer({ MILLHAND_DOCKER_PUBLIC_NETWORK: 'public' })
  })
  after(() => tested?.[Symbol.asyncDispose]())

  const restarts = (instance: Wire): number[] => instance.replicas.map((replica: Wire) => replica.restarts)

  test('are whole again after containers vanished while the service was down, and after an engine that was killed', async () => {
    const { docker, server, create, reaches, containers, end } = tested
    const { id } = await create({ replicas: 3 })
    await reaches(id, runs(3))
    const [first, second] = await containers()
    await server.kill()
    await docker.docker('rm', '--force', `${first}`)
    await docker.docker('kill', `${second}`)
    await server.restart()
    await reaches(id, instance => runs(3)(instance) && restarts(instance).filter(n => n === 1).length === 2)
    await docker.kill()
    await reaches(id, ({ status }) => status === 'degraded')
    await docker.start()
    await reaches(id, runs(3))
    assert.equal((await containers()).length, 3)
    await end(id)
    assert.deepEqual(await containers(), [])
  })

  for (const isDown of [false, true])
    test(`are seen to have vanished ${isDown ? 'while the service was down' : 'at once'}, and are metered until then`, async t => {
      const { docker, server, create, reaches, containers, metered, end } = tested
      const { id } = await create()
      await reaches(id, runs(1))
      const [name = ''] = (await containers()).filter(found => found.startsWith(id.replace('_', '-')))
      const startedAt = Date.parse((await docker.docker('inspect', '--format', '{{.State.StartedAt}}', name)).trim())
      if (isDown) await server.kill()
      // It runs on for longer than what is metered may be wrong by.
      const killedAt = Date.now()
      while (Date.now() - killedAt < UNSEEN_MS) await docker.docker('inspect', name)
      await docker.docker('rm', '--force', name)
      const endedAt = await endOf(name)
      if (isDown) await server.restart()
      const backAt = isDown ? Date.now() : endedAt
      await reaches(id, instance => runs(1)(instance) && restarts(instance)[0] === 1)
      const { body } = await server.request('GET', `/v1/instances/${id}/events`)
      // The engine ends it before it removes it, which may be seen between the two.
      const { created_at } = body.data.find(({ type }: Wire) => ['replica.lost', 'replica.exited'].includes(type))
      const seenMs = Date.parse(created_at) - backAt
      t.diagnostic(`seen after ${seenMs} ms`)
      assert.ok(seenMs <= SEEN_MS, `${seenMs} ms`)
      await end(id)
      const ranMs = endedAt - startedAt
      const meteredMs = await metered(id, name)
      assert.ok(Math.abs(meteredMs - ranMs) <= METER_MS, `it ran for ${ranMs} ms, and ${meteredMs} ms were metered`)
    })

  /** By the engine's record, which has it also of what is not there any more. */
  async function endOf(name: string): Promise<number> {
    const filters = ['--filter', `container=${name}`, '--filter', 'event=die']
    const now = (await tested.docker.docker('info', '--format', '{{.SystemTime}}')).trim()
    return (
      Number(
        await tested.docker.docker('events', '--since', '0', '--until', now, ...filters, '--format', '{{.TimeNano}}'),
      ) / 1e6
    )
  }

  test('are as desired after the engine was restored from a snapshot, and nothing is there twice', async () => {
    const { docker, create, scale, reaches, containers, end } = tested
    const [gone, shrunk] = [(await create()).id, (await create({ replicas: 2 })).id]
    await reaches(gone, runs(1))
    await reaches(shrunk, runs(2))
    await docker.snapshot()
    await reaches(gone, runs(1))
    await reaches(shrunk, runs(2))
    await end(gone)
    await scale(shrunk, 1)
    await reaches(shrunk, runs(1))
    const later = (await create()).id
    await reaches(later, runs(1))
    await docker.restore()
    const isNew = (instance: Wire) => runs(1)(instance) && restarts(instance).every(n => n > 0)
    await reaches(shrunk, isNew)
    await reaches(later, isNew)
    for (const limit = performance.now() + 300_000; (await containers()).length !== 2; )
      assert.ok(performance.now() < limit, `${await containers()}`)
    for (const id of [shrunk, later]) await end(id)
    assert.deepEqual(await containers(), [])
  })

  const ways: Readonly<Record<string, { readonly json: object; readonly isIn: (instance: Wire) => boolean }>> = {
    pending: { json: { gpu: 'cpu', replicas: 64 }, isIn: ({ replicas }) => replicas.some(waits) },
    provisioning: { json: {}, isIn: () => true },
    running: { json: { replicas: 2 }, isIn: runs(2) },
    degraded: { json: { command: ['sh', '-c', 'exit 3'] }, isIn: ({ status }) => status === 'degraded' },
    failed: { json: { image: MISSING }, isIn: ({ status }) => status === 'failed' },
  }
  const waits = ({ status }: Wire) => status === 'pending'
  for (const [state, { json, isIn }] of Object.entries(ways))
    test(`leave nothing behind when they are deleted as ${state}`, async () => {
      const { docker, create, reaches, containers, end } = tested
      const { id } = await create(json)
      await reaches(id, isIn)
      await end(id)
      await end(id)
      assert.deepEqual(await containers(), [])
      for (const kind of ['network', 'volume'])
        assert.equal(await docker.docker(kind, 'ls', '--quiet', '--filter', 'label=millhand.deployment'), '')
    })

  test('say that a port is taken, and run once it is free', async () => {
    const { docker, create, reaches, end } = tested
    // An engine that has one port to give away, which another process has.
    const [command, ...words] = docker.inNetwork('sysctl', '-w', `net.ipv4.ip_local_port_range=${PORT} ${PORT}`)
    await ended(command, words)
    await docker.kill()
    await docker.start()
    await docker.docker('network', 'create', '--opt', 'com.docker.network.bridge.enable_icc=false', 'public')
    const [nc, ...listen] = docker.inNetwork('busybox', 'nc', '-l', '-p', `${PORT}`)
    const other = spawn(nc, listen, { stdio: 'ignore' })
    while (!(await output(...docker.inNetwork('busybox', 'netstat', '-ltn'))).includes(`:${PORT} `));
    const { id } = await create({ ports: [8080] })
    const wrong = await reaches(id, ({ status }) => status === 'degraded')
    assert.equal(wrong.reason, 'port_taken')
    other.kill()
    const { replicas } = await reaches(id, runs(1))
    assert.deepEqual(replicas[0].ports, [{ port: 8080, host_port: PORT }])
    await end(id)
  })
})

const output = async (command: string, ...words: readonly string[]): Promise<string> =>
  (await promisify(execFile)(command, words)).stdout

const ended = (command: string, words: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    spawn(command, words, { stdio: 'ignore' })
      .once('error', reject)
      .once('close', () => resolve())
  })
