/** Instances on a real Docker engine, as their users see them. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { busyboxRoot, type Docker, dockerMissing, startDocker } from '@millhand/test-servers'
import { openEvents } from './event-stream.ts'
import type { Wire } from './http.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { type Server, startServer } from './server.ts'

const IMAGE = 'millhand-test/server'
const MISSING = 'millhand-test/missing'
/** Of a machine that does something else, too. */
const LIMIT_MS = 240_000

describe('on a Docker engine', { skip: dockerMissing }, () => {
  let docker: Docker
  let server: Server
  let receiver: Receiver

  before(async () => {
    ;[docker, receiver] = await Promise.all([startDocker(), startReceiver()])
    const root = await busyboxRoot()
    const script = 'echo "started with $GREETING"; trap "exit 0" TERM; while :; do sleep 0.1; done'
    await docker.importImage(root, IMAGE, [`ENTRYPOINT ${JSON.stringify(['sh', '-c', script])}`])
    await rm(root, { recursive: true })
    server = await startServer({
      env: {
        MILLHAND_INSTANCE_DRIVER: 'docker',
        MILLHAND_DOCKER_HOST: docker.address,
        MILLHAND_INSTANCE_PRELOADED: `${IMAGE},${MISSING}`,
        // So small that many fit.
        MILLHAND_INSTANCE_SIZES: 'cpu=0.1x64',
        MILLHAND_EXECUTOR_SLOTS: '0',
      },
    })
  })
  after(async () => {
    await server?.stop()
    await receiver?.[Symbol.asyncDispose]()
    await docker?.[Symbol.asyncDispose]()
  })

  async function create(json: object = {}): Promise<Wire> {
    const answer = await server.request('POST', '/v1/instances', { json: { gpu: 'cpu', image: IMAGE, ...json } })
    assert.equal(answer.status, 201, answer.text)
    return answer.body
  }

  async function reaches(id: string, isSo: (instance: Wire) => boolean): Promise<Wire> {
    for (const deadline = performance.now() + LIMIT_MS; ; await pause(100)) {
      const { body, text } = await server.request('GET', `/v1/instances/${id}`)
      if (isSo(body)) return body
      assert.ok(performance.now() < deadline, text)
    }
  }

  const runs =
    (count: number) =>
    ({ status, replicas }: Wire) =>
      status === 'running' && replicas.length === count

  const containers = async (): Promise<string[]> =>
    (await docker.docker('ps', '--all', '--format', '{{.Names}}')).split('\n').filter(Boolean).sort()

  test('an instance is created, tells what it writes, is scaled from 0 to 5 to 1, and ends', async () => {
    const webhook = await server.request('POST', '/v1/webhooks', {
      json: { url: receiver.url('/instances'), events: ['instance.*'] },
    })
    assert.equal(webhook.status, 201, webhook.text)
    const { id } = await create({ replicas: 0, env: { GREETING: 'hello' } })
    await reaches(id, runs(0))
    const scale = async (replicas: number) => {
      const answer = await server.request('POST', `/v1/instances/${id}/scale`, { json: { replicas } })
      assert.equal(answer.status, 200, answer.text)
      await reaches(id, runs(replicas))
      assert.equal((await containers()).length, replicas)
    }
    await scale(5)
    const listed = await server.request('GET', '/v1/instances?status=running&gpu=cpu')
    assert.deepEqual(
      listed.body.data.map((instance: Wire) => instance.id),
      [id],
    )
    const headers = { authorization: `Bearer ${server.key}` }
    using logs = await openEvents(`${server.url}/v1/instances/${id}/logs?replica=4&follow=true`, { headers })
    for await (const { type, data } of logs) {
      assert.deepEqual([type, data.text], ['instance.log', 'started with hello'])
      break
    }
    await scale(1)

    // What vanishes while nobody looks is started again, once.
    const [before] = await containers()
    await server.kill()
    await docker.docker('rm', '--force', String(before))
    await server.restart()
    const again = await reaches(id, ({ replicas, status }) => status === 'running' && replicas[0]?.restarts === 1)
    assert.equal(again.replicas.length, 1)
    assert.equal((await containers()).length, 1)

    assert.equal((await server.request('DELETE', `/v1/instances/${id}`)).status, 200)
    await reaches(id, ({ status }) => status === 'terminated')
    assert.deepEqual(await containers(), [])
    const told = await receiver.gets('/instances', ({ body }) => body.type === 'instance.terminated')
    assert.equal(told.body.data.object.id, id)
    const metered = await server.request('GET', `/v1/events?resource_id=${id}&type=instance.metered&limit=100`)
    assert.ok(metered.body.data.length >= 5, metered.text)
    for (const { data } of metered.body.data) assert.ok(data.object.run_ms >= 0 && data.object.gpu === 'cpu')
    assert.ok(!metered.text.includes('hello'))
  })

  const wrongs = [
    { what: 'an image that is not there', json: { image: MISSING }, status: 'failed', reason: /^image_not_found$/ },
    {
      what: 'a command that is not in the image',
      json: { command: ['/bin/never'] },
      status: 'failed',
      reason: /^command_not_found$/,
    },
    {
      what: 'a command that ends at once',
      json: { command: ['sh', '-c', 'exit 3'] },
      status: 'degraded',
      reason: /^(exited|crash_loop)$/,
    },
    {
      what: 'a process that takes all memory',
      json: { command: ['sh', '-c', 'x=xxxxxxxxxxxxxxxx; while :; do x=$x$x; done'] },
      status: 'degraded',
      reason: /^out_of_memory$/,
    },
  ]
  for (const { what, json, status, reason } of wrongs)
    test(`${what} is told as the reason, and a delete leaves nothing behind`, async () => {
      const { id } = await create(json)
      const wrong = await reaches(id, instance => instance.status === status)
      assert.match(wrong.reason, reason)
      await server.request('DELETE', `/v1/instances/${id}`)
      await reaches(id, instance => instance.status === 'terminated')
      assert.deepEqual(await containers(), [])
    })
})
