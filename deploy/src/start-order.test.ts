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
import { urlVariable } from './service-urls.ts'
import {
  calleesOf,
  isCalled,
  isReadyWithout,
  type ServiceName,
  serviceNames,
  services,
  startSteps,
} from './services.ts'

/** What a service is not ready without. */
const needsOf = (service: ServiceName): readonly (ServiceName | 'mongo')[] => [
  ...(services[service].database ? (['mongo'] as const) : []),
  ...calleesOf(service).filter(callee => !isReadyWithout(service, callee)),
]

const callersLast = ['mongo', ...startSteps().flat()]
const orders = [
  callersLast,
  callersLast.toReversed(),
  [1, 0].flatMap(rest => callersLast.filter((_, at) => at % 2 === rest)),
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
      const at = Object.fromEntries(
        await Promise.all(serviceNames.map(async name => [name, await freeAddress()] as const)),
      ) as Record<ServiceName, string>
      const key = createApiKey('live')
      const shared = {
        MILLHAND_MONGO_URL: mongo.url('millhand'),
        MILLHAND_KAFKA_BROKERS: await freeAddress(), // Nobody waits for Kafka: events do.
        ...Object.fromEntries(serviceNames.filter(isCalled).map(name => [urlVariable(name), `http://${at[name]}`])),
        MILLHAND_BOOTSTRAP_KEY: key,
        MILLHAND_BOOTSTRAP_TEST_KEY: createApiKey('test'),
      }
      const environment = (service: ServiceName): Environment => ({
        ...shared,
        ...credentialsFor(service),
        [service === 'gateway' ? 'MILLHAND_HTTP_ADDR' : 'MILLHAND_GRPC_ADDR']: at[service],
      })
      const running = new Map<ServiceName, Running>()
      const there = new Set<string>()

      for (const part of order) {
        there.add(part)
        if (part === 'mongo') await mongo.start()
        else running.set(part as ServiceName, parts.use(serve([part], environment(part as ServiceName))))
        for (const [service, process] of running) {
          const missing = missingOf(service, there)
          const wanted = missing.length === 0 ? [] : expected(service, missing)
          await settles(process, () => unready(service, at[service]), wanted)
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
const missingOf = (service: ServiceName, there: ReadonlySet<string>): readonly string[] =>
  needsOf(service).filter(need => !there.has(need) || (need !== 'mongo' && missingOf(need, there).length > 0))

/** A gateway names what it misses; of the others only their health is known. */
const expected = (service: ServiceName, missing: readonly string[]) => (service === 'gateway' ? missing : ['something'])

/** What a process says that it waits for; undefined while it says nothing. */
async function unready(service: ServiceName, address: string): Promise<readonly string[] | undefined> {
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

async function settles<T>(
  process: Running,
  look: () => Promise<readonly T[] | undefined>,
  wanted: readonly T[],
): Promise<void> {
  const deadline = performance.now() + 300_000
  let end: number | string | undefined
  void process.end.then(code => {
    end = code
  })
  for (;;) {
    if (end !== undefined) throw new Error(`a process ended with ${end}\n${process.output.stderr}`)
    const seen = await look()
    if (seen !== undefined && [...seen].sort().join() === [...wanted].sort().join()) return
    if (performance.now() > deadline) assert.deepEqual(seen, wanted)
    await pause(50)
  }
}
