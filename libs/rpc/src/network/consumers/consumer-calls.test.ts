import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@connectrpc/connect'
import { codeOf } from '@millhand/api'
import { Health } from '@millhand/api/gen/grpc/health/v1/health_pb.ts'
import { ServerReflection } from '@millhand/api/gen/grpc/reflection/v1/reflection_pb.ts'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { TunnelService } from '@millhand/api/gen/millhand/rpc/v1/tunnel_pb.ts'
import { manualClock } from '@millhand/process'
import { principal, requestIdKey } from '../../principal.ts'
import { createAdmission } from '../admission.ts'
import { listeningLog, noon, openServer, trusted } from '../network.fixture.ts'
import { createNetworkTransport } from '../network-transport.ts'
import { account, type Credential, credential, openDirectory } from './consumers.fixture.ts'

const headers = { 'millhand-account': account, 'millhand-mode': 'test' }

/** A server of compute that lets these consumers in, and how each of them calls it. */
async function serveConsumers(t: { after(end: () => unknown): void }, credentials: readonly Credential[]) {
  const clock = manualClock(noon)
  const { directory, identity } = openDirectory(credentials, clock)
  const { log, lines } = listeningLog()
  const admission = createAdmission({ trusted, clock, log, consumers: directory })
  const server = await openServer(
    router =>
      router.service(ComputeService, {
        getTask(_, call) {
          const { tenant, keyId } = principal(call)
          return { id: tenant, model: keyId, output: call.values.get(requestIdKey) ?? '' }
        },
        async *watchTask(_, call) {
          yield { type: 'task.queued' }
          await new Promise(resolve => call.signal.addEventListener('abort', resolve, { once: true }))
          // As a method for the gateway says it.
          if (principal(call).mode === 'live') throw new Error('the owner is another now')
        },
      }),
    {
      admission,
      extra: [{ routes: router => void router.service(TunnelService, { open: () => (async function* () {})() }) }],
    },
  )
  t.after(() => server.close(0))
  const open = (token: string) => {
    const transport = createNetworkTransport({ url: server.url, token })
    t.after(() => transport.close())
    return transport
  }
  return { clock, directory, identity, lines, open }
}

test('a call has the principal and the request id of its metadata', async t => {
  const one = credential()
  const { open } = await serveConsumers(t, [one])
  const requestId = 'req_01jd7x8f2wfyqs3m6k9v0t4b5c'
  const compute = createClient(ComputeService, open(one.secret))
  const task = await compute.getTask({ id: 'a' }, { headers: { ...headers, 'millhand-request-id': requestId } })
  assert.deepEqual([task.id, task.model, task.output], [`${account}/test`, 'consumer_1', requestId])
})

test('a principal, an operation and a tunnel are for services alone', async t => {
  const one = credential({ methods: ['millhand.compute.v1.ComputeService/*', 'millhand.rpc.v1.TunnelService/*'] })
  const { open, lines } = await serveConsumers(t, [one])
  const transport = open(one.secret)
  const compute = createClient(ComputeService, transport)
  const foreign = { 'millhand-principal': 'x.y', 'millhand-operation': '0'.repeat(26) }
  assert.equal((await compute.getTask({ id: 'a' }, { headers: { ...headers, ...foreign } })).id, `${account}/test`)
  await assert.rejects(
    compute.getTask({ id: 'a' }, { headers: foreign }),
    error => codeOf(error) === 'missing_parameter',
  )
  const frames = createClient(TunnelService, transport).open((async function* () {})())
  await assert.rejects(frames[Symbol.asyncIterator]().next(), error => codeOf(error) === 'insufficient_scope')
  assert.ok(lines.some(line => line.includes('rpc.refused')))
  assert.ok(!lines.join().includes(one.secret))
})

test('health is for everyone, and descriptors are for those who may call', async t => {
  const [one, ended] = [credential(), credential({ id: 'consumer_2', revoked: true })]
  const { open } = await serveConsumers(t, [one, ended])
  const describe = async ({ secret }: Credential) => {
    const ask = (async function* () {
      yield { messageRequest: { case: 'listServices', value: '' } } as const
    })()
    for await (const { messageResponse } of createClient(ServerReflection, open(secret)).serverReflectionInfo(ask))
      return messageResponse.case
    return undefined
  }
  assert.equal((await createClient(Health, open(ended.secret)).check({})).status, 1)
  assert.equal(await describe(one), 'listServicesResponse')
  await assert.rejects(describe(ended), error => codeOf(error) === 'revoked_credentials')
})

for (const mode of ['live', 'test'])
  test(`a stream ends with its credential, whatever its method says (${mode})`, async t => {
    const one = credential()
    const { open, directory, identity, clock } = await serveConsumers(t, [one])
    const ending = new AbortController()
    const running = directory.run(ending.signal)
    const compute = createClient(ComputeService, open(one.secret))
    const events = compute.watchTask({ id: 'a' }, { headers: { ...headers, 'millhand-mode': mode } })
    const reading = events[Symbol.asyncIterator]()
    await reading.next()
    identity.credentials = [{ ...one, revoked: true }]
    await clock.advance(5_000)
    await assert.rejects(reading.next(), error => codeOf(error) === 'revoked_credentials')
    ending.abort()
    await running
  })
