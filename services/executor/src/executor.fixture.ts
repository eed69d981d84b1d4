/** An executor with leases and a runner that follow a script, by a clock that tests move. */
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
export const lease: Lease = {
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

export const done: ItemResult = { ok: true, output: Buffer.from('"done"') }

/** An executor whose first claim is answered after `waitMs`, and whose runs take `runMs`. The contract's rules hold. */
export function start({
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
