/** Instances on a real Docker engine, as their users see them. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { dockerMissing } from '@millhand/test-servers'
import { type DockerServer, MISSING, runs, startDockerServer } from './docker-server.ts'
import { openEvents } from './event-stream.ts'
import type { Wire } from './http.ts'
import { type Receiver, startReceiver } from './receiver.ts'

describe('on a Docker engine', { skip: dockerMissing }, () => {
  let tested: DockerServer
  let receiver: Receiver

  before(async () => {
    ;[tested, receiver] = await Promise.all([startDockerServer(), startReceiver()])
  })
  after(async () => {
    await tested?.[Symbol.asyncDispose]()
    await receiver?.[Symbol.asyncDispose]()
  })

  test('an instance is created, tells what it writes, is scaled from 0 to 5 to 1, and ends', async () => {
    const { docker, server, create, scale, reaches, containers, end } = tested
    const webhook = await server.request('POST', '/v1/webhooks', {
      json: { url: receiver.url('/instances'), events: ['instance.*'] },
    })
    assert.equal(webhook.status, 201, webhook.text)
    const { id } = await create({ replicas: 0, env: { GREETING: 'hello' } })
    await reaches(id, runs(0))
    const scaled = async (replicas: number) => {
      await scale(id, replicas)
      await reaches(id, runs(replicas))
      assert.equal((await containers()).length, replicas)
    }
    await scaled(5)
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
    await scaled(1)

    // What vanishes while nobody looks is started again, once.
    const [before] = await containers()
    await server.kill()
    await docker.docker('rm', '--force', String(before))
    await server.restart()
    const again = await reaches(id, ({ replicas, status }) => status === 'running' && replicas[0]?.restarts === 1)
    assert.equal(again.replicas.length, 1)
    assert.equal((await containers()).length, 1)

    await end(id)
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
    test(`${what} is told as the reason, and a delete leaves nothing behind`, async t => {
      const { create, reaches, containers, end } = tested
      const begin = performance.now()
      const { id } = await create(json)
      const wrong = await reaches(id, instance => instance.status === status)
      t.diagnostic(`${wrong.reason} after ${Math.round(performance.now() - begin)} ms`)
      assert.match(wrong.reason, reason)
      await end(id)
      assert.deepEqual(await containers(), [])
    })
})
