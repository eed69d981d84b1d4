/** A lease as its executor holds it. */
import { durationMs } from '@bufbuild/protobuf/wkt'
import type { Lease } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { type Renewed, Renewed_Verdict } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { type Span, traceIds, traceIdsOfAll } from '@millhand/telemetry'

/** An executor that can't renew stops its own run this long before the lease ends. Contract, section 4, "States". */
const stopBeforeEndMs = 2_000

/** Why a run is stopped before its own end; `model_away`: before it began, for its model can't be read now. */
export type Stop =
  | 'cancelled'
  | 'model_away'
  | 'lost'
  | 'run_timeout'
  | 'shutting_down'
  | 'output_too_large'
  | 'emission_invalid'

export interface HeldLease {
  readonly lease: Lease
  readonly runTimeoutMs: number
  /** When the run must be stopped unless the lease is renewed before, by the monotonic clock. */
  stopAt: number
  stop: Stop | undefined
  /** What its run waits for, in a sentence for its owner. */
  waitsFor?: string | undefined
  /** Whether its run is over: what still comes of that is dropped. */
  isOver: boolean
  /** Of the run, where its trace is sampled. */
  readonly span?: Span | undefined
}

/** `begunAt`: by the monotonic clock, no later than the lease began. */
export function holdLease(lease: Lease, begunAt: number, span?: Span): HeldLease {
  return {
    lease,
    runTimeoutMs: lease.runTimeout ? durationMs(lease.runTimeout) : 600_000,
    stopAt: begunAt + ttlOf(lease) - stopBeforeEndMs,
    stop: undefined,
    isOver: false,
    span,
  }
}

/** The fields of log lines about the run of a lease. */
export const runFields = ({ workId, traceparent }: Pick<Lease, 'workId' | 'traceparent'>) => ({
  task_id: workId,
  ...traceIds(traceparent),
})

/** The same of several. */
export const tracesOf = (held: readonly HeldLease[]) => traceIdsOfAll(held.map(({ lease }) => lease.traceparent))

/** What the answer to a renewal, asked for at `askedAt`, says of a lease. */
export function takeRenewed(held: HeldLease, renewed: Renewed | undefined, askedAt: number): void {
  if (renewed?.ttl) held.stopAt = askedAt + durationMs(renewed.ttl) - stopBeforeEndMs
  if (renewed?.verdict === Renewed_Verdict.CANCEL) held.stop ??= 'cancelled'
  if (renewed?.verdict === Renewed_Verdict.LOST) held.stop ??= 'lost'
}

const ttlOf = (lease: Lease): number => (lease.ttl ? durationMs(lease.ttl) : 0)
