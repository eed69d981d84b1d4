import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { create, toBinary } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import { Emitted_Verdict, type RunEmissions } from '@millhand/api/gen/millhand/lease/v1/emission_pb.ts'
import type { Lease, Result } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import {
  type ClaimResponse,
  ClaimResponseSchema,
  EmitResponseSchema,
  FinishRequestSchema,
  FinishResponseSchema,
  LeaseService,
  type Renewal,
  Renewed_Verdict,
  RenewResponseSchema,
} from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { type Emission, type ItemResult, type Loaded, RunnerGone } from '@millhand/child-process'
import type { Catalogue, ModelPackage } from '@millhand/model'
import { manualClock } from '@millhand/process'
import { createDirectTransport, type Routes, serve } from '@millhand/rpc'
import { createLog } from '@millhand/telemetry'
import { createExecutor } from './executor.ts'

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
  files: [],
  runTimeout: seconds(600),
  ttl: seconds(10),
}
const model = { status: 'ready', id: 'echo', version: 'sha256:1', manifest: { maxBatch: 8 } } as ModelPackage
const models: Catalogue = { get: () => model, list: () => [model] }

interface Script {
  readonly waitMs?: number
  /** Has the first claim answered at the very moment at which the executor gives it up. */
  readonly answersWhenGivenUp?: boolean
  readonly runMs: number
  readonly renewable?: boolean
  /** Renewals and results are not taken while it is so. */
  readonly isAway?: () => boolean
  /** Whether renewals fail. */
  readonly isCutOff?: boolean
  readonly runTimeoutS?: number
  /** How many leases the run has: `task_0` and so on. Where not set, `lease` alone. */
  readonly count?: number
  /** Of these leases, one each. */
  readonly traceparents?: readonly string[]
  /** What each item emits, at once. */
  readonly emits?: readonly Emission[]
  /** What is said to it, once it is said. */
  readonly verdict?: Promise<Emitted_Verdict>
  readonly resultOf?: (index: number) => ItemResult
  /** What is given to who asks for work of accounts of which nothing runs, one after the other; where not set, nothing. */
  readonly newcomers?: readonly Lease[]
  /** How long the run of an input takes, where not `runMs`. */
  readonly msOf?: Readonly<Record<string, number>>
}

const done: ItemResult = { ok: true, output: Buffer.from('"done"') }

/** An executor whose first claim is answered after `waitMs`, and whose runs take `runMs`. The contract's rules hold. */
function start({
  waitMs = 0,
  answersWhenGivenUp = false,
  runMs,
  renewable = true,
  isCutOff = false,
  runTimeoutS = 600,
  count,
  traceparents = [],
  emits = [],
  verdict,
  resultOf = () => done,
  ...script
}: Script) {
  const clock = manualClock()
  const stopping = new AbortController()
  const results: Result[] = []
  const renewals: Renewal[] = []
  const emitted: RunEmissions[] = []
  const callBytes: number[] = []
  const lines: { event?: string; trace_ids?: string[] }[] = []
  const lent = { ...lease, runTimeout: seconds(runTimeoutS) }
  const leases =
    count === undefined
      ? [lent]
      : Array.from({ length: count }, (_, i) => ({ ...lent, workId: `task_${i}`, traceparent: traceparents[i] }))
  let asked = 0
  const newcomers = [...(script.newcomers ?? [])]
  let waitsEnded = 0
  let endWait = new AbortController()
  const transport = createDirectTransport()
  const routes = (router: Routes) =>
    router.service(LeaseService, {
      async claim({ newcomersOnly, runs }, call) {
        if (newcomersOnly && runs === 0) {
          waitsEnded++
          endWait.abort()
          return create(ClaimResponseSchema)
        }
        if (newcomersOnly) {
          const next = newcomers.shift()
          if (next) return create(ClaimResponseSchema, { runs: [{ group: 'echo', leases: [next] }] })
          endWait = new AbortController()
          await clock.sleep(5_000, AbortSignal.any([call.signal, endWait.signal])).catch(() => {})
          return create(ClaimResponseSchema)
        }
        if (runs === 0) return create(ClaimResponseSchema)
        asked++
        await clock.sleep(asked === 1 ? waitMs : 3_600_000, call.signal)
        return create(ClaimResponseSchema, { runs: [{ group: 'echo', leases }], waitedMs: waitMs })
      },
      renew(request) {
        if (script.isAway?.()) throw fail('unavailable', 'It is away.')
        renewals.push(...request.leases)
        if (isCutOff) throw new Error('nobody answers')
        const kept = { verdict: Renewed_Verdict.KEPT, ttl: seconds(10) }
        const renewed = request.leases.map(() => (renewable ? kept : { verdict: Renewed_Verdict.LOST }))
        return create(RenewResponseSchema, { leases: renewed })
      },
      async emit(request) {
        emitted.push(...request.runs)
        const answer = { verdict: (await verdict) ?? Emitted_Verdict.STORED }
        return create(EmitResponseSchema, { runs: request.runs.map(() => answer) })
      },
      finish(request) {
        if (script.isAway?.()) throw fail('unavailable', 'It is away.')
        callBytes.push(toBinary(FinishRequestSchema, request).length)
        results.push(...request.results)
        return create(FinishResponseSchema, { accepted: request.results.map(() => true) })
      },
    })
  serve(routes, transport)
  const killed = new AbortController()
  const loaded: Loaded = {
    async run(items, onEmit) {
      for (const item of items.keys()) for (const emission of emits) await onEmit?.(item, emission)
      const ms = script.msOf?.[String(items[0]?.input)] ?? runMs
      await clock.sleep(ms, killed.signal)
      return { items: items.map((_, index) => resultOf(index)), computeMs: runMs }
    },
    memoryBytes: () => 0,
    kill: async () => killed.abort(new RunnerGone('killed', 'killed')),
    gone: new Promise(() => {}),
  }
  const client = createClient(LeaseService, transport)
  const claim: typeof client.claim = (request, call) => {
    if (!answersWhenGivenUp || request.runs === 0 || request.newcomersOnly) return client.claim(request, call)
    const { promise, resolve } = Promise.withResolvers<ClaimResponse>()
    const answer = create(ClaimResponseSchema, { runs: [{ group: 'echo', leases }] })
    call?.signal?.addEventListener('abort', () => resolve(answer))
    return promise
  }
  const executor = createExecutor({
    leases: { ...client, claim },
    runner: {
      engine: { kind: 'onnx', name: 'onnxruntime', provider: 'cpu' },
      loads: 'model',
      load: async () => loaded,
    },
    models,
    pool: 'live/onnx',
    slots: 1,
    memoryLimitBytes: 1,
    clock,
    log: createLog({ level: 'warn', write: line => void lines.push(JSON.parse(line)) }),
  })
  const ended = executor.run(stopping.signal)
  return {
    clock,
    results,
    renewals,
    emitted,
    callBytes,
    lines,
    claims: () => asked,
    endedWaits: () => waitsEnded,
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

  it('gives back what its claim was given while it stops', async () => {
    const { clock, results, stop } = start({ waitMs: 1_000, runMs: 60_000 })
    await clock.advance(900)
    await stop()
    assert.deepEqual(
      results.map(({ workId, outcome }) => [workId, outcome.case]),
      [['task_a', 'evicted']],
    )
  })

  it('gives back what its claim was given at the moment at which it was given up', async () => {
    const { clock, results, stop } = start({ answersWhenGivenUp: true, runMs: 60_000 })
    await clock.advance(900)
    await stop()
    assert.deepEqual(
      results.map(({ workId, outcome }) => [workId, outcome.case]),
      [['task_a', 'returned']],
    )
  })

  it('gives no result of a lease that it could not keep', async () => {
    const { clock, results, stop } = start({ waitMs: 9_000, runMs: 20_000, renewable: false })
    await clock.advance(40_000)
    assert.deepEqual(results, [])
    await stop()
  })

  it('says in which traces it could not renew, and could not give results back', async () => {
    let isAway = false
    const traceOf = (n: number) => `${n}`.repeat(32)
    const traceparents = [1, 2].map(n => `00-${traceOf(n)}-b7ad6b7169203331-01`)
    const { clock, results, lines, stop } = start({ runMs: 6_000, count: 2, traceparents, isAway: () => isAway })
    await clock.advance(1_000)
    isAway = true
    await clock.advance(6_000)
    isAway = false
    await clock.advance(10_000)
    assert.equal(results.length, 2)
    for (const name of ['renew.failed', 'result.not_delivered']) {
      const line = lines.find(({ event }) => event === name)
      assert.deepEqual(line?.trace_ids, [traceOf(1), traceOf(2)], name)
    }
    await stop()
  })

  it('says of a run that was over its time by the moment at which its lease is about to end that it took too long', async () => {
    const { clock, results, stop } = start({ runMs: 20_000, isCutOff: true, runTimeoutS: 8 })
    await clock.advance(9_000)
    assert.deepEqual(
      results.map(({ outcome }) => outcome.case === 'failure' && outcome.value.code),
      ['run_timeout'],
    )
    await stop()
  })

  it('cuts what a model says to the bounds of the contract', async () => {
    const { clock, results, stop } = start({
      runMs: 3_000,
      resultOf: () => ({ ok: false, code: 'model_failed', message: 'é'.repeat(100_000), retryable: false }),
    })
    await clock.advance(4_000)
    const [outcome] = results.map(result => result.outcome)
    assert.ok(outcome?.case === 'failure' && outcome.value.message.startsWith('ééé'))
    await stop()
  })

  it('gives results back in calls that a server takes', async () => {
    const output = Buffer.from(JSON.stringify('x'.repeat(256 * 1024 - 2)))
    const { clock, results, callBytes, stop } = start({ runMs: 100, count: 40, resultOf: () => ({ ok: true, output }) })
    await clock.advance(1_000)
    assert.equal(results.length, 40)
    assert.ok(callBytes.every(bytes => bytes < 4 * 2 ** 20))
    await stop()
  })

  it('gives a result once what its run emitted is answered, and keeps the lease meanwhile', async () => {
    const verdict = Promise.withResolvers<Emitted_Verdict>()
    const emits = [{ kind: 'log', text: 'a line' }] as const
    const { clock, results, emitted, renewals, stop } = start({ runMs: 100, count: 2, emits, verdict: verdict.promise })
    await clock.advance(3_000)
    assert.deepEqual(
      emitted.map(({ workId, from, emissions }) => [workId, from, emissions[0]?.content.value]),
      [
        ['task_0', 0, 'a line'],
        ['task_1', 0, 'a line'],
      ],
    )
    assert.equal(results.length, 0)
    assert.ok(renewals.length > 0)
    verdict.resolve(Emitted_Verdict.STORED)
    await clock.advance(100)
    assert.deepEqual(
      results.map(({ outcome }) => outcome.case),
      ['output', 'output'],
    )
    await stop()
  })

  it('fails a run that emits more than a task may, also one that is over', async () => {
    const emits = [{ kind: 'log', text: 'too much' }] as const
    const verdict = Promise.resolve(Emitted_Verdict.FULL)
    for (const runMs of [0, 60_000]) {
      const { clock, results, stop } = start({ runMs, emits, verdict })
      await clock.advance(1_000)
      const [outcome] = results.map(result => result.outcome)
      assert.equal(outcome?.case === 'failure' && outcome.value.code, 'output_too_large')
      await stop()
    }
  })

  it('outlives a run of which nobody can say what it gave, and leaves its lease to others', async () => {
    const resultOf = (): ItemResult => ({
      get ok(): true {
        throw new Error('a fault of ours')
      },
      output: Buffer.from('1'),
    })
    const { clock, claims, renewals, results, lines, stop } = start({ runMs: 1_500, resultOf })
    await clock.advance(2_000)
    const { length } = renewals
    await clock.advance(10_000)
    assert.deepEqual([results.length, renewals.length, claims()], [0, length, 2])
    assert.deepEqual(
      lines.map(({ event }) => event),
      ['run.broke'],
    )
    await stop()
  })

  it('begins the first task of another account beside a run that goes on and on, in a process of its own', async () => {
    const newcomer = { ...lease, id: 'lease_b', tenant: 'acct_b/live', workId: 'task_b', input: 'first' }
    const { clock, results, claims, stop } = start({ runMs: 3_600_000, newcomers: [newcomer], msOf: { first: 100 } })
    await clock.advance(2_000)
    assert.deepEqual(
      results.map(({ workId, outcome }) => [workId, outcome.case]),
      [['task_b', 'output']],
    )
    assert.equal(claims(), 1, 'its end makes no room for others')
    await stop()
  })

  it('counts a newcomer’s run as one of its own once there is a slot for it, and has room for the next newcomer', async () => {
    const newcomers = ['b', 'c'].map(name => ({
      ...lease,
      ...{ id: `lease_${name}`, tenant: `acct_${name}/live`, workId: `task_${name}`, input: name },
    }))
    const { clock, results, claims, stop } = start({ runMs: 2_000, newcomers, msOf: { b: 3_600_000, c: 100 } })
    await clock.advance(1_500)
    assert.deepEqual(results, [])
    await clock.advance(3_000)
    assert.deepEqual(
      results.map(({ workId }) => workId),
      ['task_a', 'task_c'],
    )
    assert.equal(claims(), 1, 'its only slot is taken')
    await stop()
  })

  it('asks no longer for newcomers’ work once its long run has ended', async () => {
    const { clock, results, claims, endedWaits, stop } = start({ runMs: 2_000 })
    await clock.advance(1_000)
    assert.deepEqual([results.length, endedWaits()], [0, 0])
    await clock.advance(1_010)
    assert.deepEqual([results.length, claims(), endedWaits()], [1, 2, 1])
    await stop()
  })

  it('asks for no newcomer’s work while its runs are short', async () => {
    const newcomer = { ...lease, id: 'lease_b', tenant: 'acct_b/live', workId: 'task_b', input: 'first' }
    const { clock, results, stop } = start({ runMs: 100, newcomers: [newcomer] })
    await clock.advance(5_000)
    assert.deepEqual(
      results.map(({ workId }) => workId),
      ['task_a'],
    )
    await stop()
  })

  it('renews more leases than one call takes', async () => {
    const { clock, renewals, stop } = start({ runMs: 2_500, count: 1_001 })
    await clock.advance(1_200)
    assert.equal(new Set(renewals.map(({ workId }) => workId)).size, 1_001)
    await clock.advance(2_000)
    await stop()
  })

  it('loses no result to one beside it that is refused', async () => {
    const large: ItemResult = { ok: true, output: Buffer.from(JSON.stringify('x'.repeat(300_000))) }
    const { clock, results, stop } = start({ runMs: 100, count: 3, resultOf: i => (i === 1 ? large : done) })
    await clock.advance(1_000)
    assert.deepEqual(
      results.map(({ workId }) => workId),
      ['task_0', 'task_2'],
    )
    await stop()
  })
})
