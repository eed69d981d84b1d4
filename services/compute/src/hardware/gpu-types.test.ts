/** What a replica says of a provider that it has not heard of. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createContextValues, type HandlerContext } from '@connectrpc/connect'
import { codeOf } from '@millhand/api'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import type { Replicas } from '@millhand/lease'
import { manualClock } from '@millhand/process'
import { createDirectTransport, principalKey, serve } from '@millhand/rpc'
import { createGpuTypes } from './gpu-types.ts'
import { Hardware } from './hardware.ts'

const call = {
  values: createContextValues().set(principalKey, {
    ...{ accountId: 'acct_1', mode: 'live', tenant: 'acct_1/live', keyId: 'key_1', scopes: new Set(['*']) },
    plans: { compute: 'starter', developer: 'free', workforce: 'starter' },
  } as const),
  requestHeader: new Headers(),
  signal: new AbortController().signal,
  timeoutMs: () => undefined,
} as unknown as HandlerContext

/** The owner of the queues, and a replica that asks it. */
function replicas() {
  const clock = manualClock(0)
  const hardware = new Hardware(clock)
  const plans = { prices: { computeSecond: () => 0 } } as never
  const transport = createDirectTransport()
  const here: Replicas = { owner: () => 'here', peer: () => assert.fail() }
  const owner = createGpuTypes({ hardware, replicas: here, clock, plans })
  serve(router => router.service(ComputeService, { listGpuTypes: (req, asked) => owner.list(req, asked) }), transport)
  const there: Replicas = { owner: () => ({ address: 'owner' }) as never, peer: () => transport }
  const other = createGpuTypes({ hardware: new Hardware(clock), replicas: there, clock, plans })
  return { clock, hardware, owner, other }
}

for (const which of ['owner', 'other'] as const)
  test(`before executors have told what they have, no provider is refused for good (${which})`, async () => {
    const { clock, hardware, [which]: asked } = replicas()
    assert.equal(codeOf(await asked.providerFault('cuda', call).catch(error => error)), 'unavailable')
    assert.equal((await asked.list({} as never, call)).complete, false)
    await clock.advance(10_000)
    assert.equal((await asked.providerFault('cuda', call))?.code, 'not_available')
    assert.equal((await asked.list({} as never, call)).complete, true)
    hardware.begin()
    const device = { $typeName: 'millhand.lease.v1.Device', id: 'GPU-1', name: 'A', memoryMb: 1 } as const
    hardware.claimed('live', 'exec_a', { ...device, provider: 'cuda', gpuType: 'a' })
    assert.equal(await asked.providerFault('cuda', call), undefined)
    assert.equal((await asked.providerFault('tpu', call))?.code, 'not_in')
  })
