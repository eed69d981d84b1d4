import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import {
  ClaimResponseSchema,
  FinishResponseSchema,
  type Lease,
  LeaseService,
  Renewed_Verdict,
  RenewResponseSchema,
  type Result,
} from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { Catalogue, ModelPackage } from '@millhand/model'
import { createDirectTransport } from '@millhand/rpc'
import { manualClock } from '@millhand/runner'
import { createLog } from '@millhand/telemetry'
import { createExecutor } from './executor.ts'
import type { LoadedModel } from './model-runner.ts'

const seconds = (count: number) => ({
  $typeName: 'google.protobuf.Duration' as const,
  seconds: BigInt(count),
  nanos: 0,
})
const lease: Lease = {
  $typeName: 'millhand.lease.v1.Lease',
  id: 'lease_a',
  tenant: 'acct_a/live',
  workId: 'task_a',
  attempt: 1,
  input: 'hello',
  runTimeout: seconds(600),
  ttl: seconds(10),
}
const model = { status: 'ready', id: 'echo', version: 'sha256:1', manifest: { maxBatch: 8 } } as ModelPackage
const models: Catalogue = { get: () => model, list: () => [model] }

/** An executor whose first claim is answered with one lease after `waitMs`, and whose runs take `runMs`. */
function start({ waitMs, runMs, renewable = true }: { waitMs: number; runMs: number; renewable?: boolean }) {
  const clock = manualClock()
  const stopping = new AbortController()
  const results: Result[] = []
  let asked = 0
  const transport = createDirectTransport()
  transport.service(LeaseService, {
    async claim(_, call) {
      asked++
      await clock.sleep(asked === 1 ? waitMs : 3_600_000, call.signal)
      return create(ClaimResponseSchema, { runs: [{ group: 'echo', leases: [lease] }], waitedMs: waitMs })
    },
    renew: ({ leases }) =>
      create(RenewResponseSchema, {
        leases: leases.map(() =>
          renewable ? { verdict: Renewed_Verdict.KEPT, ttl: seconds(10) } : { verdict: Renewed_Verdict.LOST },
        ),
      }),
    finish(request) {
      results.push(...request.results)
      return create(FinishResponseSchema, { accepted: request.results.map(() => true) })
    },
  })
  const loaded: LoadedModel = {
    async run(items) {
      await clock.sleep(runMs, stopping.signal)
      return { items: items.map(() => ({ ok: true, output: '"done"' })), computeMs: runMs }
    },
    memoryBytes: () => 0,
    kill: async () => {},
    gone: new Promise(() => {}),
  }
  const executor = createExecutor({
    leases: createClient(LeaseService, transport),
    runner: { engine: { kind: 'onnx', name: 'onnxruntime', provider: 'cpu' }, load: async () => loaded },
    models,
    pool: 'live/onnx',
    slots: 1,
    memoryLimitBytes: 1,
    clock,
    log: createLog({ level: 'error' }),
  })
  const ended = executor.run(stopping.signal)
  return {
    clock,
    results,
    async stop() {
      stopping.abort()
      await clock.advance(20_000)
      await ended
    },
  }
}

describe('executor', () => {
  for (const waitMs of [0, 9_000, 29_000]) {
    it(`runs work that its claim has waited ${waitMs / 1000} s for`, async () => {
      const { clock, results, stop } = start({ waitMs, runMs: 3_000 })
      await clock.advance(waitMs + 4_000)
      assert.deepEqual(
        results.map(({ workId, outcome }) => [workId, outcome.case]),
        [['task_a', 'output']],
      )
      await stop()
    })
  }

  it('gives no result of a lease that it could not keep', async () => {
    const { clock, results, stop } = start({ waitMs: 9_000, runMs: 20_000, renewable: false })
    await clock.advance(40_000)
    assert.deepEqual(results, [])
    await stop()
  })
})
