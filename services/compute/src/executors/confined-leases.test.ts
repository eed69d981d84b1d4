import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createContextValues, type HandlerContext, type ServiceImpl } from '@connectrpc/connect'
import { codeOf } from '@millhand/api'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { confinedExecutorKey } from '@millhand/rpc'
import { confinedLeases } from './confined-leases.ts'
import type { ExecutorStandings } from './executor-standings.ts'

const executor = { tenant: 'acct_1/live', instance: 'inst_1', generation: 1 }
const [own, foreign] = [{ tenant: 'acct_1/live' }, { tenant: 'acct_2/live' }]
const executorId = 'exec_1'

/** By method: makes a request that names runs. */
const naming: Readonly<Record<string, (...runs: readonly object[]) => object>> = {
  renew: (...leases) => ({ executorId, leases }),
  emit: (...runs) => ({ executorId, runs }),
  finish: (...results) => ({ executorId, results }),
  reserve: run => ({ run }),
  readInput: run => ({ run }),
  readModel: run => ({ run }),
  joinParts: run => ({ run }),
}
/** By method with a stream of parts: the part that names the run, then bytes. */
const sending: Readonly<Record<string, (run: object) => readonly object[]>> = {
  storeOutput: run => [{ part: { case: 'run', value: run } }, bytes],
  storePart: run => [{ part: { case: 'lines', value: { run } } }, bytes],
}
const bytes = { part: { case: 'data', value: new Uint8Array(1) } }

type Handler = (request: unknown, call: HandlerContext) => unknown
type Handlers = Readonly<Record<string, Handler>>

/** Handlers that record their requests. */
function open(standing: Awaited<ReturnType<ExecutorStandings['latest']>> = 'active') {
  const got: unknown[] = []
  const keep: Handler = async request => {
    if (Symbol.asyncIterator in (request as object))
      for await (const part of request as AsyncIterable<unknown>) got.push(part)
    else got.push(request)
  }
  const methods = Object.fromEntries(Object.keys(LeaseService.method).map(name => [name, keep]))
  const standings = { confirmed: () => assert.fail('it waits'), latest: async () => standing }
  const confined = confinedLeases(methods as Partial<ServiceImpl<typeof LeaseService>>, standings)
  return { got, methods: confined as unknown as Handlers }
}

const callOf = (of: typeof executor | undefined) =>
  ({ values: createContextValues().set(confinedExecutorKey, of) }) as HandlerContext

async function* sent(parts: readonly object[]) {
  yield* parts
}

const rejectsAs = async (code: string, act: () => unknown) =>
  await assert.rejects(
    async () => await act(),
    error => codeOf(error) === code,
  )

describe('an executor of one account', () => {
  it('can call every method of the service, and each is checked', () => {
    const guarded = Object.keys(open().methods).sort()
    assert.deepEqual(guarded, Object.keys(LeaseService.method).sort())
    assert.deepEqual(guarded, ['claim', ...Object.keys(naming), ...Object.keys(sending)].sort())
  })

  it('claims tasks of its account, whatever it asks for, and waits for 2 s at most', async () => {
    const { got, methods } = open()
    for (const tenant of ['', 'acct_2/live', 'acct_1/live'])
      await methods.claim?.({ executorId, pool: 'live/onnx', tenant, waitMs: 60_000 }, callOf(executor))
    await methods.claim?.({ executorId, pool: 'live/onnx', tenant: '', waitMs: 0 }, callOf(executor))
    assert.deepEqual(
      (got as { tenant: string; waitMs: number }[]).map(({ tenant, waitMs }) => [tenant, waitMs]),
      [...Array(3).fill(['acct_1/live', 2_000]), ['acct_1/live', 0]],
    )
  })

  it('claims nothing once its replica is to end, but ends its wait', async () => {
    for (const standing of ['stopping', 'gone'] as const) {
      const { got, methods } = open(standing)
      const claim = { executorId, runs: 1, waitMs: 0 }
      await rejectsAs('revoked_credentials', () => methods.claim?.(claim, callOf(executor)))
      for (const [method, request] of Object.entries(naming)) await methods[method]?.(request(own), callOf(executor))
      assert.equal(got.length, Object.keys(naming).length)
      await methods.claim?.({ ...claim, runs: 0 }, callOf(executor))
      assert.equal(got.length, Object.keys(naming).length + 1)
    }
  })

  for (const [method, request] of Object.entries(naming))
    it(`names runs of its own account in ${method}`, async () => {
      const { got, methods } = open()
      const runs = request.length === 0 ? [[foreign], [own, foreign]] : [[foreign], []]
      for (const named of runs)
        await rejectsAs('insufficient_scope', () => methods[method]?.(request(...named), callOf(executor)))
      assert.deepEqual(got, [])
      await methods[method]?.(request(own), callOf(executor))
      assert.equal(got.length, 1)
    })

  for (const [method, parts] of Object.entries(sending))
    it(`sends parts of runs of its own account to ${method}`, async () => {
      const { got, methods } = open()
      await rejectsAs('insufficient_scope', () => methods[method]?.(sent(parts(foreign)), callOf(executor)))
      assert.deepEqual(got, [])
      const two = [...parts(own), ...parts(foreign)]
      await rejectsAs('insufficient_scope', () => methods[method]?.(sent(two), callOf(executor)))
      assert.equal(got.length, 2)
    })

  it('sends results with the id of its instance, whatever it says', async () => {
    const { got, methods } = open()
    for (const instanceId of [undefined, 'inst_2'])
      await methods.finish?.({ executorId, results: [{ ...own, instanceId }] }, callOf(executor))
    const results = (got as { results: object[] }[]).flatMap(request => request.results)
    assert.deepEqual(results, Array(2).fill({ ...own, instanceId: 'inst_1' }))
  })

  it('has an id that no other replica can have', async () => {
    const { got, methods } = open()
    const others = [executor, { ...executor, generation: 2 }, { ...executor, instance: 'inst_2' }]
    for (const of of others) await methods.claim?.({ executorId, waitMs: 0 }, callOf(of))
    await methods.renew?.({ executorId, leases: [] }, callOf(executor))
    const ids = (got as { executorId: string }[]).map(request => request.executorId)
    assert.equal(new Set([executorId, ...ids]).size, 4)
    assert.equal(ids[0], ids[3])
  })
})

it('calls of other executors go through as they are', async () => {
  const { got, methods } = open('gone')
  const requests = { claim: { executorId, waitMs: 60_000 }, finish: { executorId, results: [foreign] } }
  for (const [method, request] of Object.entries(requests)) await methods[method]?.(request, callOf(undefined))
  await methods.storeOutput?.(sent([bytes]), callOf(undefined))
  assert.deepEqual(got, [...Object.values(requests), bytes])
})
