/** How executors get tasks, keep them and give their results back: `lease.v1.LeaseService` over compute's pools. */
import { durationFromMs } from '@bufbuild/protobuf/wkt'
import type { HandlerContext } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import {
  type ClaimRequest,
  type ClaimResponse,
  type FinishRequest,
  type FinishResponse,
  type Lease,
  Renewed_Verdict,
  type RenewRequest,
  type RenewResponse,
  type Result,
  type Run,
} from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { type Claimed, leaseTimes, type Outcome, type Verdict } from '@millhand/lease'
import type { ComputeDeps } from '../compute.ts'
import type { TaskRecord } from '../task.ts'

export const claim =
  ({ pools, inputs }: ComputeDeps) =>
  async (req: ClaimRequest, call: HandlerContext): Promise<ClaimResponse> => {
    const pool = pools.get(req.pool)
    if (!pool) throw fail('not_found', `There is no pool \`${req.pool}\`.`)
    const claimed = await pool.claim(
      { executorId: req.executorId, runs: req.runs, busy: new Set(req.busyGroups), waitMs: req.waitMs },
      call.signal,
    )
    return {
      $typeName: 'millhand.lease.v1.ClaimResponse',
      runs: await Promise.all(claimed.map(run => toRun(run, inputs))),
    }
  }

export const renew =
  ({ pools }: ComputeDeps) =>
  async (req: RenewRequest): Promise<RenewResponse> => {
    const verdicts = await Promise.all(
      req.leases.map(async ({ id, tenant, workId, fraction, message }) => {
        const progress = fraction === undefined ? undefined : { fraction, ...(message !== undefined && { message }) }
        const [verdict] = await poolOf(pools, tenant).renew([
          { tenant, id: workId, lease_id: id, ...(progress && { progress }) },
        ])
        return verdict ?? ({ kind: 'lost' } as const)
      }),
    )
    return { $typeName: 'millhand.lease.v1.RenewResponse', leases: verdicts.map(toRenewed) }
  }

export const finish =
  ({ pools }: ComputeDeps) =>
  async (req: FinishRequest): Promise<FinishResponse> => {
    const accepted = await Promise.all(
      req.results.map(result =>
        poolOf(pools, result.tenant).finish(
          result.tenant,
          result.workId,
          { lease_id: result.leaseId, attempt: result.attempt },
          toOutcome(result),
          {
            compute_ms: result.computeMs,
            group_version: result.groupVersion,
            engine_kind: 'onnx',
            engine_name: result.engineName,
            provider: result.provider,
          },
        ),
      ),
    )
    return { $typeName: 'millhand.lease.v1.FinishResponse', accepted }
  }

/** Live and test work never share a pool, so the tenant's mode names it. */
function poolOf(pools: ComputeDeps['pools'], tenant: string) {
  const mode = tenant.slice(tenant.indexOf('/') + 1)
  const pool = pools.get(`${mode}/onnx`)
  if (!pool) throw fail('not_found', `There is no pool for ${mode} work.`)
  return pool
}

async function toRun({ group, work }: Claimed<TaskRecord>, inputs: ComputeDeps['inputs']): Promise<Run> {
  return {
    $typeName: 'millhand.lease.v1.Run',
    group,
    leases: await Promise.all(work.map(task => toLease(task, inputs))),
  }
}

async function toLease(task: TaskRecord, inputs: ComputeDeps['inputs']): Promise<Lease> {
  return {
    $typeName: 'millhand.lease.v1.Lease',
    id: task.lease_id,
    tenant: task.tenant,
    workId: task.id,
    attempt: task.attempt,
    ttl: leaseTtl,
    runTimeout: durationFromMs(task.run_timeout_s * 1000),
    input: (await inputs.read(task)) ?? '',
    ...(task.parameters && { parameters: task.parameters as NonNullable<Lease['parameters']> }),
  }
}

const leaseTtl = durationFromMs(leaseTimes.ttlMs)

function toRenewed(verdict: Verdict): RenewResponse['leases'][number] {
  const verdicts = { kept: Renewed_Verdict.KEPT, cancel: Renewed_Verdict.CANCEL, lost: Renewed_Verdict.LOST }
  return {
    $typeName: 'millhand.lease.v1.Renewed',
    verdict: verdicts[verdict.kind],
    ...(verdict.kind !== 'lost' && { ttl: durationFromMs(verdict.ttlMs) }),
  }
}

function toOutcome({ outcome }: Result): Outcome {
  switch (outcome.case) {
    case 'output':
      return { kind: 'output', output: outcome.value }
    case 'failure':
      return {
        kind: 'failure',
        failure: { code: outcome.value.code, message: outcome.value.message, retryable: outcome.value.retryable },
      }
    case 'cancelled':
      return { kind: 'cancelled' }
    case 'evicted':
      return { kind: 'evicted' }
    default:
      throw fail('invalid_parameter', 'A result has no outcome.', { param: 'results' })
  }
}
