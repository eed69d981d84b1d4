import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { Code, createClient } from '@connectrpc/connect'
import { Health, HealthCheckResponse_ServingStatus as Status } from '@millhand/api/gen/grpc/health/v1/health_pb.ts'
import { ContractService } from '../contract-service.fixture.ts'
import { rejection } from '../serving.contract.ts'
import { clockAtNoon, serveFor } from './network.fixture.ts'

const contract = ContractService.typeName

describe('health', { timeout: 120_000 }, () => {
  it('is that of the process, by no name and by that of each service', async test => {
    const { probe, health } = await open(test)
    for (const service of ['', contract, Health.typeName])
      assert.equal((await probe.check({ service })).status, Status.SERVING)
    health.set('store', false, 'is away')
    for (const service of ['', contract]) assert.equal((await probe.check({ service })).status, Status.NOT_SERVING)
  })

  it('is not serving from the beginning of a drain, while all else is served, on new connections too', async test => {
    const { probe, connect, drain } = await open(test)
    drain()
    const clients = [probe, createClient(Health, connect())]
    for (const each of clients) assert.equal((await each.check({})).status, Status.NOT_SERVING)
    const { value } = await createClient(ContractService, connect()).echo({ value: 'served' })
    assert.equal(value, 'served')
  })

  it('is not found for what is not served', async test => {
    const { probe } = await open(test)
    assert.equal((await rejection(probe.check({ service: 'no.Service' }))).code, Code.NotFound)
  })

  it('lists all services', async test => {
    const { probe } = await open(test)
    const { statuses } = await probe.list({})
    assert.deepEqual(Object.keys(statuses).sort(), [
      '',
      'grpc.health.v1.Health',
      'grpc.reflection.v1.ServerReflection',
      'grpc.reflection.v1alpha.ServerReflection',
      contract,
    ])
    assert.ok(Object.values(statuses).every(({ status }) => status === Status.SERVING))
  })

  it('is told to a watcher now and whenever it changes', async test => {
    const { probe, health, clock } = await open(test)
    const watching = probe.watch({})[Symbol.asyncIterator]()
    const next = async () => (await watching.next()).value?.status
    assert.equal(await next(), Status.SERVING)
    for (const [ready, status] of [
      [false, Status.NOT_SERVING],
      [true, Status.SERVING],
    ] as const) {
      health.set('store', ready)
      const told = next()
      await passing(clock, told)
      assert.equal(await told, status)
    }
  })

  it('is unknown to the watcher of what is not served, who is kept', async test => {
    const { probe, clock } = await open(test)
    const abort = new AbortController()
    const watching = probe.watch({ service: 'no.Service' }, { signal: abort.signal })[Symbol.asyncIterator]()
    assert.equal((await watching.next()).value?.status, Status.SERVICE_UNKNOWN)
    const next = watching.next()
    await clock.advance(5_000)
    abort.abort()
    assert.equal((await rejection(next)).code, Code.Canceled)
  })
})

async function open(test: TestContext) {
  const clock = clockAtNoon()
  const { connect, drain, health } = await serveFor(test, { echo: request => request }, { clock })
  return { probe: createClient(Health, connect()), connect, drain, health, clock }
}

/** Lets time pass until the work is done. */
async function passing(clock: ReturnType<typeof clockAtNoon>, work: Promise<unknown>): Promise<void> {
  let done = false
  const settled = work.finally(() => {
    done = true
  })
  while (!done) await clock.advance(1_000)
  await settled
}
