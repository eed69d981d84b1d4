/** The events of an instance, as the topic has them, the list of events and a webhook: the same ones, each once, in order. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { publicTopics } from '@millhand/eventlog/public-topics'
import { send, type Wire } from '@millhand/test-e2e/http'
import { startReceiver } from '@millhand/test-e2e/receiver'
import { repository } from '@millhand/test-e2e/server'
import { javaMissing } from '@millhand/test-servers'
import { readTopics } from '../evidence.ts'
import { startSystem } from '../system.ts'

const LIMIT_MS = 240_000

test('each change of an instance is an event in Kafka, in a webhook and in the list of events', {
  skip: javaMissing,
  timeout: 1_200_000,
}, async t => {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-instances-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const members = ['gateway-1', 'identity', 'billing', 'compute-1', 'webhook-1', 'instance'] as const
  await using system = await startSystem({ root: repository, folder, members })
  await using receiver = await startReceiver()
  const headers = { authorization: `Bearer ${system.testKey}` }
  const call = async (method: string, path: string, json?: unknown) => {
    const answer = await send(method, system.urls()[0] + path, { headers, ...(json !== undefined && { json }) })
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  const reaches = async (id: string, isSo: (instance: Wire) => boolean) => {
    for (const limit = performance.now() + LIMIT_MS; !isSo(await call('GET', `/v1/instances/${id}`)); await pause(100))
      assert.ok(performance.now() < limit, `${id} is not as wanted`)
  }
  const runs =
    (count: number) =>
    ({ status, replicas }: Wire) =>
      status === 'running' && replicas.length === count

  await call('POST', '/v1/webhooks', { url: receiver.url('/instances'), events: ['instance.*'] })
  const { id } = await call('POST', '/v1/instances', { gpu: 'cpu', image: 'acme/server' })
  await reaches(id, runs(1))
  await call('POST', `/v1/instances/${id}/scale`, { replicas: 2 })
  await reaches(id, runs(2))
  await call('DELETE', `/v1/instances/${id}`)
  await reaches(id, ({ status }) => status === 'terminated')

  const states = ['pending', 'provisioning', 'running', 'scaling', 'scaled', 'running', 'terminating', 'terminated']
  const types = states.map(state => `instance.${state}`)
  const isState = ({ type }: Wire) => type !== 'instance.metered'
  const eventually = async (what: string, read: () => Promise<readonly Wire[]>) => {
    for (const limit = performance.now() + LIMIT_MS; ; await pause(200)) {
      // Delivery is at least once.
      const all = [...new Map((await read()).map(event => [event.id, event])).values()]
      const found = all.filter(isState).toSorted((a, b) => a.resource_version - b.resource_version)
      if (found.length >= types.length) {
        assert.deepEqual(
          found.map(({ type, resource_version }: Wire) => [type, resource_version]),
          types.map((type, at) => [type, at + 1]),
          what,
        )
        return all
      }
      assert.ok(performance.now() < limit, `${what}: ${found.map(({ type }: Wire) => type)}`)
    }
  }
  const topic = publicTopics.instances.name
  const published = await eventually('the topic', async () => {
    const entries = await readTopics(system.brokers, [topic])
    for (const { key } of entries) assert.equal(key, id)
    return entries.map(({ content }) => JSON.parse(content))
  })
  const inOrder = published.filter(isState).map(({ resource_version }: Wire) => resource_version)
  assert.deepEqual(inOrder, inOrder.toSorted(), 'the topic has them in order')
  const listed = await eventually(
    'the list of events',
    async () => (await call('GET', `/v1/events?resource_id=${id}&limit=100`)).data,
  )
  await eventually('the webhook', async () => receiver.at('/instances').map(received => received.body))
  for (const { headers: sent, body } of receiver.at('/instances')) assert.equal(sent['webhook-id'], body.id)
  const ids = (events: readonly Wire[]) => events.map(event => event.id).sort()
  assert.deepEqual(ids(listed), ids(published))
  const metered = published.filter(event => !isState(event))
  assert.equal(metered.length, 2, 'the runs of both replicas are metered')
})
