/** Processes may start in any order: each is unready until what it needs is there, says so, and then is ready. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '@connectrpc/connect'
import { createApiKey } from '@millhand/api'
import { Health, HealthCheckResponse_ServingStatus as Status } from '@millhand/api/gen/grpc/health/v1/health_pb.ts'
import { createNetworkTransport } from '@millhand/rpc/network'
import { javaMissing, type Mongo, startMongo } from '@millhand/test-servers'
import { credentialsFor, type Environment, freeAddress, type Running, serve } from './processes.fixture.ts'

type Service = 'identity' | 'compute' | 'workforce' | 'executor' | 'billing' | 'webhook' | 'gateway'

const needs: Record<Service, readonly string[]> = {
  identity: ['mongo'],
  compute: ['mongo'],
  workforce: ['mongo'],
  executor: ['compute'],
  billing: ['mongo'],
  webhook: ['mongo'],
  gateway: ['identity', 'compute'],
}

const orders = [
  ['mongo', 'identity', 'compute', 'workforce', 'executor', 'billing', 'webhook', 'gateway'],
  ['gateway', 'webhook', 'billing', 'executor', 'workforce', 'compute', 'identity', 'mongo'],
  ['compute', 'gateway', 'mongo', 'executor', 'workforce', 'identity', 'billing', 'webhook'],
]

describe('processes', { skip: javaMissing }, () => {
  let mongo: Mongo
  before(async () => {
    mongo = await startMongo()
  })
  after(() => mongo.kill())

  for (const order of orders) {
    it(`become ready when their needs are there: ${order.join(', ')}`, async () => {
      await using parts = new AsyncDisposableStack()
      await mongo.kill()
      const at: Record<Service, string> = {
        identity: await freeAddress(),
        compute: await freeAddress(),
        workforce: await freeAddress(),
        executor: await freeAddress(),
        billing: await freeAddress(),
        webhook: await freeAddress(),
        gateway: await freeAddress(),
      }
      const key = createApiKey('live')
      const shared = {
        MILLHAND_MONGO_URL: mongo.url('millhand'),
        MILLHAND_KAFKA_BROKERS: await freeAddress(), // Nobody waits for Kafka: events do.
        MILLHAND_IDENTITY_URL: `http://${at.identity}`,
        MILLHAND_COMPUTE_URL: `http://${at.compute}`,
        MILLHAND_WORKFORCE_URL: `http://${at.workforce}`,
        MILLHAND_BILLING_URL: `http://${at.billing}`,
        MILLHAND_WEBHOOK_URL: `http://${at.webhook}`,
        MILLHAND_BOOTSTRAP_KEY: key,
        MILLHAND_BOOTSTRAP_TEST_KEY: createApiKey('test'),
      }
      const environment = (service: Service): Environment => ({
        ...shared,
        ...credentialsFor(service),
        [service === 'gateway' ? 'MILLHAND_HTTP_ADDR' : 'MILLHAND_GRPC_ADDR']: at[service],
      })
      const running = new Map<Service, Running>()
      const there = new Set<string>()

      for (const part of order) {
        there.add(part)
        if (part === 'mongo') await mongo.start()
        else running.set(part as Service, parts.use(serve([part], environment(part as Service))))
        for (const [service, process] of running) {
          const missing = missingOf(service, there)
          await settles(() => unready(service, at[service]), missing.length === 0 ? [] : expected(service, missing))
          if (missing.length > 0) assert.equal(process.output.stdout, '', `${service} says that it is ready`)
          else assert.deepEqual(Object.values(await process.ready).slice(2), [`http://${at[service]}`])
        }
      }
      const answer = await fetch(`http://${at.gateway}/v1/tasks`, { headers: { authorization: `Bearer ${key}` } })
      assert.equal(answer.status, 200)
    })
  }
})

/** What it needs and is not there, or is not ready itself. */
const missingOf = (service: Service, there: ReadonlySet<string>): readonly string[] =>
  needs[service].filter(need => !there.has(need) || (need !== 'mongo' && missingOf(need as Service, there).length > 0))

/** A gateway names what it misses; of the others only their health is known. */
const expected = (service: Service, missing: readonly string[]) => (service === 'gateway' ? missing : ['something'])

/** What a process says that it waits for; undefined while it says nothing. */
async function unready(service: Service, address: string): Promise<readonly string[] | undefined> {
  if (service === 'gateway') {
    const answer = await fetch(`http://${address}/readyz`).catch(() => undefined)
    if (answer === undefined) return undefined
    const { detail = '' } = (await answer.json()) as { detail?: string }
    const missing = [...detail.matchAll(/(\w+) \(no replica of \1 is connected and ready\)/g)].map(
      ([, name]) => name as string,
    )
    assert.equal(answer.status, missing.length === 0 ? 200 : 503)
    return missing
  }
  const transport = createNetworkTransport({ url: `http://${address}` })
  try {
    const { status } = await createClient(Health, transport).check({})
    return status === Status.SERVING ? [] : ['something']
  } catch {
    return undefined
  } finally {
    transport.close()
  }
}

async function settles<T>(look: () => Promise<readonly T[] | undefined>, wanted: readonly T[]): Promise<void> {
  const deadline = performance.now() + 300_000
  for (;;) {
    const seen = await look()
    if (seen !== undefined && [...seen].sort().join() === [...wanted].sort().join()) return
    if (performance.now() > deadline) assert.deepEqual(seen, wanted)
    await pause(50)
  }
}
