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
  LeaseService,
  Renewed_Verdict,
  type RenewRequest,
  type RenewResponse,
  type Result,
  type Run,
} from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { type Claimed, leaseMs, type Outcome, type Verdict } from '@millhand/lease'
import { drainingKey } from '@millhand/rpc'
import { atOwner } from '../at-owner.ts'
import type { ComputeDeps } from '../compute.ts'
import type { TaskRecord } from '../task.ts'

/** A claim that waits is answered as soon as the server that it came to stops: with what it has got by then. */
export const claim = (deps: ComputeDeps) => {
  const ask = atOwner(deps.replicas, LeaseService.method.claim, claimHere(deps))
  return async (req: ClaimRequest, call: HandlerContext): Promise<ClaimResponse> => {
    const draining = call.values.get(drainingKey)
    const leave = () => void ask({ ...req, runs: 0 }, call).catch(() => {}) // Then it ends by its own time.
    draining.addEventListener('abort', leave)
    try {
      return await ask(draining.aborted ? { ...req, waitMs: 0 } : req, call)
    } finally {
      draining.removeEventListener('abort', leave)
    }
  }
}

const claimHere =
  (deps: ComputeDeps) =>
  async (req: ClaimRequest, call: HandlerContext): Promise<ClaimResponse> => {
    const pool = deps.pools.get(req.pool)
    if (!pool) throw fail('not_found', `There is no pool \`${req.pool}\`.`)
    const request = { executorId: req.executorId, runs: req.runs, busy: new Set(req.busyGroups), waitMs: req.waitMs }
    const claimed = await pool.claim(request, call.signal)
    const runs = await Promise.all(claimed.runs.map(run => toRun(deps, run)))
    if (call.signal.aborted) await pool.giveBack(claimed.runs)
    return {
      $typeName: 'millhand.lease.v1.ClaimResponse',
      runs: runs.filter(run => run.leases.length > 0),
      waitedMs: Math.floor(claimed.waitedMs),
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
        return verdict ?? 'lost'
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
            engine_kind: result.engineKind,
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

async function toRun(deps: ComputeDeps, { group, work }: Claimed<TaskRecord>): Promise<Run> {
  const leases = await Promise.all(work.map(task => toLease(deps, task)))
  return { $typeName: 'millhand.lease.v1.Run', group, leases: leases.filter(lease => lease !== undefined) }
}

/** The lease with its input. A task whose input can't be read goes back and costs its neighbours nothing. */
async function toLease({ inputs, pools, log }: ComputeDeps, task: TaskRecord): Promise<Lease | undefined> {
  try {
    const input = await inputs.read(task)
    if (input !== undefined) return leaseOf(task, input)
    const failure = { code: 'input_missing', message: 'The input is not in the store any more.', retryable: false }
    await poolOf(pools, task.tenant).finish(task.tenant, task.id, task, { kind: 'failure', failure }, nothingRan)
  } catch (error) {
    log.error('input.unreadable', { task_id: task.id, error })
    const failure = { code: 'input_unreadable', message: 'The input could not be read.', retryable: true }
    await poolOf(pools, task.tenant).finish(task.tenant, task.id, task, { kind: 'failure', failure }, nothingRan)
  }
  return undefined
}

const nothingRan = { compute_ms: 0, group_version: '', engine_kind: '', engine_name: '', provider: '' }

const leaseOf = (task: TaskRecord, input: string): Lease => ({
  $typeName: 'millhand.lease.v1.Lease',
  id: task.lease_id,
  tenant: task.tenant,
  workId: task.id,
  attempt: task.attempt,
  ttl: leaseTtl,
  runTimeout: durationFromMs(task.run_timeout_s * 1000),
  input,
  ...(task.parameters && { parameters: task.parameters as NonNullable<Lease['parameters']> }),
})

const leaseTtl = durationFromMs(leaseMs)

function toRenewed(verdict: Verdict): RenewResponse['leases'][number] {
  const verdicts = { kept: Renewed_Verdict.KEPT, cancel: Renewed_Verdict.CANCEL, lost: Renewed_Verdict.LOST }
  return {
    $typeName: 'millhand.lease.v1.Renewed',
    verdict: verdicts[verdict],
    ...(verdict !== 'lost' && { ttl: leaseTtl }),
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
    case 'returned':
      return { kind: 'returned' }
    default:
      throw fail('invalid_parameter', 'A result has no outcome.', { param: 'results' })
  }
}
