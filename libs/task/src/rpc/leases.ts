/** How executors get tasks, keep them and give their results back: `lease.v1.LeaseService` over the pools of a kind. */
import type { HandlerContext } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import type { Lease, LeasedModel, Result, Run } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import {
  type ClaimRequest,
  type ClaimResponse,
  type Device,
  type FinishRequest,
  type FinishResponse,
  LeaseService,
  Renewed_Verdict,
  type RenewRequest,
  type RenewResponse,
} from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { type ClaimedRun, type Failure, forwardToOwner, type Outcome, type RenewResult } from '@millhand/lease'
import { drainingKey, isInProcess } from '@millhand/rpc'
import { attributes, type Span, spans, startSpan, traceIds, within } from '@millhand/telemetry'
import type { OutputFiles } from '../output-files.ts'
import { requireJson } from '../require-json.ts'
import { modeOf, type TaskBase } from '../task.ts'
import type { TaskDeps } from '../task-deps.ts'
import { countClaims } from '../task-metrics.ts'
import { emit } from './emit.ts'
import { leasedModelOf, modelUnreadable } from './leased-model.ts'
import { isCount, requireCount, reserve } from './reserve.ts'
import { leaseTtl } from './task-lease.ts'

export interface LeaseDeps<T extends TaskBase> extends TaskDeps<T> {
  /** What an executor gets of a task; undefined where its input is not in the store any more. */
  readonly toLease: (task: T) => Promise<Lease | undefined>
  /** What tasks of one group run, where executors do not know the group: asked with one of them. */
  readonly modelOf?: (task: T) => Promise<LeasedModel | undefined>
  /** Hears which executors there are, and what they compute on. */
  readonly onExecutor?: (executor: ExecutorSeen) => void
  /** What comes of files that outputs are or name. Where it is left out, a result that is a file is none. */
  readonly outputFiles?: Pick<OutputFiles, 'keep' | 'settled'>
}

/** An executor that claims or renews; what it computes on is said with a claim. */
export interface ExecutorSeen {
  readonly executorId: string
  readonly pool: string
  readonly device: Device | undefined
}

/** All methods that are the same for tasks of any kind. */
export const leaseMethods = <T extends TaskBase>(deps: LeaseDeps<T>) => ({
  claim: claim(deps),
  renew: renew(deps),
  emit: forwardToOwner(deps.replicas, LeaseService.method.emit, emit(deps)),
  reserve: forwardToOwner(deps.replicas, LeaseService.method.reserve, reserve(deps)),
  finish: forwardToOwner(deps.replicas, LeaseService.method.finish, finish(deps)),
})

/** A claim that waits is answered as soon as the server that it came to stops: with what it has got by then. */
const claim = <T extends TaskBase>(deps: LeaseDeps<T>) => {
  const ask = forwardToOwner(deps.replicas, LeaseService.method.claim, claimHere(deps))
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
  <T extends TaskBase>(deps: LeaseDeps<T>) =>
  async (req: ClaimRequest, call: HandlerContext): Promise<ClaimResponse> => {
    const pool = deps.pools.named(req.pool)
    if (!pool) throw fail('not_found', `There is no pool \`${req.pool}\`.`)
    const { executorId, waitMs, newcomersOnly, tenant } = req
    const flow = tenant || undefined
    // What runs the tasks of one account is nothing that others can ask for.
    if (flow === undefined) deps.onExecutor?.({ executorId, pool: req.pool, device: req.device })
    const room = { runs: req.runs, busy: new Set(req.busyGroups), newcomersOnly, flow, isLocal: isInProcess(call) }
    const claimed = await pool.claim({ executorId, waitMs, ...room }, call.signal)
    countClaims(req.pool, claimed.runs)
    const runs = await Promise.all(claimed.runs.map(run => toRun(deps, run)))
    if (call.signal.aborted) await pool.release(claimed.runs)
    return {
      $typeName: 'millhand.lease.v1.ClaimResponse',
      runs: runs.filter(run => run.leases.length > 0),
      waitedMs: Math.floor(claimed.waitedMs),
    }
  }

/**
 * While there is no owner nobody ends leases, and the next owner counts each anew: then any replica keeps what the store
 * says is held, so that runs go on until there is an owner again.
 */
const renew = <T extends TaskBase>(deps: LeaseDeps<T>) => {
  const here = renewHere(deps)
  const ask = forwardToOwner(deps.replicas, LeaseService.method.renew, here)
  return (req: RenewRequest, call: HandlerContext): Promise<RenewResponse> =>
    deps.replicas.isVacant?.() ? here(req) : ask(req, call)
}

const renewHere =
  <T extends TaskBase>({ pools, onExecutor }: LeaseDeps<T>) =>
  async (req: RenewRequest): Promise<RenewResponse> => {
    onExecutor?.({ executorId: req.executorId, pool: req.pool, device: undefined })
    const verdicts = await Promise.all(
      req.leases.map(({ id, tenant, workId }) => poolOf(pools, req.pool, tenant).renew(tenant, workId, id)),
    )
    return { $typeName: 'millhand.lease.v1.RenewResponse', leases: verdicts.map(toRenewed) }
  }

const finish =
  <T extends TaskBase>(deps: LeaseDeps<T>) =>
  async (req: FinishRequest): Promise<FinishResponse> => {
    // Before any of them is taken: nothing of a bad request is done.
    for (const [at, result] of req.results.entries()) requireCounts(result, at)
    for (const { outcome } of req.results) if (outcome.case === 'output') requireJson(outcome.value, 'results')
    const settled = await Promise.allSettled(req.results.map(result => finishOne(deps, req.pool, result)))
    // Each stands for itself: the others are taken, and when all are sent again they are refused, which changes nothing.
    const accepted = settled.map(one => {
      if (one.status === 'rejected') throw one.reason
      return one.value
    })
    return { $typeName: 'millhand.lease.v1.FinishResponse', accepted }
  }

/** The contract bounds them from above. In one process nothing is encoded, which would refuse what is no whole number. */
function requireCounts(result: Result, at: number): void {
  for (const [field, name] of counts) if (!isCount(result[field])) requireCount(result[field], `results[${at}].${name}`)
}

const counts = [
  ['computeMs', 'compute_ms'],
  ['inputTokens', 'input_tokens'],
  ['outputTokens', 'output_tokens'],
  ['modelCostMicros', 'model_cost_micros'],
] as const

async function finishOne<T extends TaskBase>(deps: LeaseDeps<T>, pool: string, result: Result): Promise<boolean> {
  const { pools, outputFiles } = deps
  const { tenant, workId } = result
  const { outcome, kept } = await outcomeOf(deps, result)
  const held = { lease_id: result.leaseId, attempt: result.attempt }
  const account = {
    compute_ms: result.computeMs,
    group_version: result.groupVersion,
    engine_kind: result.engineKind,
    engine_name: result.engineName,
    provider: result.provider,
    gpu_type: result.gpuType,
    ...(result.instanceId !== undefined && { instance_id: result.instanceId }),
    input_tokens: result.inputTokens,
    output_tokens: result.outputTokens,
    model_cost_micros: result.modelCostMicros,
    artifact_files: result.artifactFiles,
    items: result.items,
  }
  const finishing = poolOf(pools, pool, tenant).finish(tenant, workId, held, outcome, account)
  const accepted = await (result.traceparent === undefined ? finishing : within(storeSpan(result), finishing))
  if (kept.length > 0) await outputFiles?.settled(result, kept)
  return accepted
}

const storeSpan = ({ workId, attempt, traceparent }: Result): Span | undefined =>
  startSpan(spans.storeResult, traceparent, {
    attributes: { [attributes.taskId]: workId, [attributes.attempt]: attempt },
  })

/** The pool that leases are of, by its name, or the first of the tenant's mode. */
function poolOf<T extends TaskBase>(pools: LeaseDeps<T>['pools'], name: string, tenant: string) {
  const pool = name === '' ? pools.first(modeOf(tenant)) : pools.named(name)
  if (!pool) throw fail('not_found', `There is no pool \`${name}\`.`)
  return pool
}

function filesOf({ outcome, artifactFiles, partialOutputFile }: Result): readonly string[] {
  switch (outcome.case) {
    case 'output':
      return artifactFiles
    case 'outputFile':
      return [outcome.value, ...artifactFiles]
    case 'failure':
    case 'cancelled':
      return partialOutputFile === '' ? [] : [partialOutputFile]
    default:
      return []
  }
}

/** Files are kept for an output alone. One that names another's, or one that is gone, is none. */
async function outcomeOf<T extends TaskBase>(
  { outputFiles }: LeaseDeps<T>,
  result: Result,
): Promise<{ readonly outcome: Outcome; readonly kept: readonly string[] }> {
  const { outcome: told } = result
  const files = filesOf(result)
  if (files.length === 0 || !outputFiles) return { outcome: toOutcome(told), kept: [] }
  const { kept, until, failure = outputMissing } = await outputFiles.keep(result, files)
  const [partial] = kept
  if (told.case === 'failure' || told.case === 'cancelled')
    return { outcome: { ...toOutcome(told), ...(partial && { partial: { file: partial, kept_until: until } }) }, kept }
  if (kept.length < files.length) return { outcome: { kind: 'failure', failure }, kept }
  return told.case === 'outputFile'
    ? { outcome: { kind: 'output_file', file: told.value, kept_until: until }, kept }
    : { outcome: toOutcome(told), kept }
}

const outputMissing: Failure = {
  code: 'output_missing',
  message: 'A file that the output is, or names, is not in the store any more.',
  retryable: true,
}

async function toRun<T extends TaskBase>(deps: LeaseDeps<T>, { group, work }: ClaimedRun<T>): Promise<Run> {
  const [first] = work
  const model = first && (await leasedModelOf(deps, first))
  const lent = work.map(task => (model === 'unreadable' ? notLent(deps, task, modelUnreadable) : toLease(deps, task)))
  const leases = (await Promise.all(lent)).filter(lease => lease !== undefined)
  const known = model === undefined || model === 'unreadable' ? {} : { model }
  return { $typeName: 'millhand.lease.v1.Run', group, leases, ...known }
}

/** A task whose input can't be read goes back and costs its neighbours nothing. */
async function toLease<T extends TaskBase>(deps: LeaseDeps<T>, task: T): Promise<Lease | undefined> {
  try {
    const lease = await deps.toLease(task)
    if (lease === undefined) await notLent(deps, task, inputMissing)
    return lease
  } catch (error) {
    deps.log.error('input.unreadable', { task_id: task.id, ...traceIds(task.traceparent), error })
    await notLent(deps, task, inputUnreadable)
    return undefined
  }
}

/** Never fails: where nobody can be told, this lease alone runs out. */
async function notLent<T extends TaskBase>(deps: LeaseDeps<T>, task: T, failure: Failure): Promise<undefined> {
  const { pools, log } = deps
  try {
    await pools.named(task.pool)?.finish(task.tenant, task.id, task, { kind: 'failure', failure }, nothingRan)
  } catch (error) {
    log.error('lease.not_ended', { task_id: task.id, ...traceIds(task.traceparent), error })
  }
}

const inputMissing: Failure = {
  code: 'input_missing',
  message: 'The input is not in the store any more.',
  retryable: false,
}

const inputUnreadable: Failure = {
  code: 'input_unreadable',
  message: 'The input could not be read.',
  retryable: true,
}

const nothingRan = { compute_ms: 0, group_version: '', engine_kind: '', engine_name: '', provider: '' }

function toRenewed(verdict: RenewResult): RenewResponse['leases'][number] {
  const verdicts = { kept: Renewed_Verdict.KEPT, cancel: Renewed_Verdict.CANCEL, lost: Renewed_Verdict.LOST }
  return {
    $typeName: 'millhand.lease.v1.Renewed',
    verdict: verdicts[verdict],
    ...(verdict !== 'lost' && { ttl: leaseTtl }),
  }
}

function toOutcome(outcome: Result['outcome']): Outcome {
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
