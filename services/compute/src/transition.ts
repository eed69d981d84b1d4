import {
  backoffMs,
  countedByOwner,
  type Failure,
  type Held,
  type LeaseCause,
  noDueTime,
  type Outcome,
  type Refusal,
  type RunReport,
  refuse,
} from '@millhand/lease'
import { emitted } from './stream/emitted.ts'
import { withEntry } from './stream/history.ts'
import {
  acceptedAt,
  type CancelCause,
  type DataDeletedCause,
  type EmittedCause,
  hasEnded,
  queueExpiresAt,
  runsBegun,
  type TaskRecord,
  type TaskStatus,
} from './task.ts'

export type TaskCause = LeaseCause | EmittedCause | CancelCause | DataDeletedCause

export interface TransitionRules {
  /** How long an ended task and its data are kept, in milliseconds. */
  readonly retentionMs: number
  /** Millionths of a dollar for a second of compute on `gpu_type`; the sandbox costs nothing. */
  readonly pricePerSecondMicros: number
  readonly gpuType: string
  /** From 0 up to 1, for the backoff's jitter. */
  readonly random: () => number
}

/** The task after `cause`, or why it can't be. Contract, section 4, "States". Pure but for the jitter that it is given. */
export const taskTransition =
  (rules: TransitionRules) =>
  (task: TaskRecord, cause: TaskCause, now: number): TaskRecord | Refusal => {
    switch (cause.kind) {
      case 'claimed':
        return claimed(task, cause.lease_id, now)
      case 'emitted':
        return emitted(task, cause.held, cause.batch)
      case 'finished':
        return holds(task, cause.held) ? finished(rules, task, cause.outcome, cause.report, now) : refuse('stale_lease')
      case 'cancel':
        return cancelled(rules, task, now)
      case 'lease_ended':
        return holds(task, cause.held) ? lost(rules, task, now) : refuse('stale_lease')
      case 'backoff_ended':
        return isResting(task) ? { ...task, backoff_ms: 0, due_at: noDueTime } : refuse('not_queued')
      case 'due':
        return isOverdue(task, now) ? ended(rules, task, 'expired', now) : refuse('not_due')
      case 'data_deleted':
        return dataDeleted(task, now)
      default:
        return exhaustive(cause)
    }
  }

function claimed(task: TaskRecord, lease_id: string, now: number): TaskRecord | Refusal {
  if (task.status !== 'queued') return refuse('not_queued')
  if (task.backoff_ms !== 0) return refuse('not_ready')
  if (isOverdue(task, now)) return refuse('not_queued')
  const attempt = task.attempt + 1
  return next(task, now, { status: 'running', attempt, started_at: now, lease_id, due_at: countedByOwner })
}

function finished(
  rules: TransitionRules,
  task: TaskRecord,
  outcome: Outcome,
  report: RunReport,
  now: number,
): TaskRecord {
  if (task.status === 'cancelling') return ended(rules, task, 'cancelled', now, billed(rules, task, report))
  switch (outcome.kind) {
    case 'output':
      return ended(rules, task, 'succeeded', now, { ...billed(rules, task, report), output: outcome.output })
    case 'output_file': {
      const patch = { ...billed(rules, task, report), output_file: outcome.file }
      return { ...ended(rules, task, 'succeeded', now, patch), data_expires_at: outcome.kept_until }
    }
    case 'failure':
      return outcome.failure.retryable
        ? retried(rules, task, outcome.failure, now, billed(rules, task, report))
        : ended(rules, task, 'failed', now, { ...billed(rules, task, report), error: outcome.failure })
    case 'evicted':
    case 'cancelled': // No one asked to cancel it: its executor stopped it for reasons of its own.
      return waiting(task, now, evicted, 0, noDueTime, { evictions: task.evictions + 1, alone: true })
    case 'returned':
      return returned(task, now)
    default:
      return exhaustive(outcome)
  }
}

function cancelled(rules: TransitionRules, task: TaskRecord, now: number): TaskRecord | Refusal {
  switch (task.status) {
    case 'queued':
      return ended(rules, task, 'cancelled', now, { cancel_requested_at: now })
    case 'running':
      return next(task, now, { status: 'cancelling', cancel_requested_at: now })
    default:
      return refuse('already_ended')
  }
}

/** The executor was not heard of for a whole lease. */
function lost(rules: TransitionRules, task: TaskRecord, now: number): TaskRecord {
  if (task.status === 'cancelling') return ended(rules, task, 'cancelled', now)
  return retried(rules, task, { code: 'executor_lost', message: 'The executor was lost.', retryable: true }, now)
}

/**
 * Back to the queue after a run that cost an attempt, or to its end when none is left, with `bill` where a result ends
 * it. Attempts that are lost or tried again are free.
 */
function retried(rules: TransitionRules, task: TaskRecord, last: Failure, now: number, bill: Patch = {}): TaskRecord {
  const attempts = runsBegun(task) - task.evictions
  if (attempts >= task.max_attempts) {
    const message = `All ${task.max_attempts} attempts failed. The last: ${last.message} (${last.code})`
    return ended(rules, task, 'failed', now, {
      ...bill,
      error: { code: 'attempts_exhausted', message, retryable: true },
    })
  }
  return waiting(task, now, last, backoffMs(attempts, rules.random()), countedByOwner)
}

/** As if it had not been claimed: its queue timeout goes on where it has not run before. */
function returned(task: TaskRecord, now: number): TaskRecord {
  const returns = task.returns + 1
  const why = { code: 'returned', message: 'The run was given back before it began.' }
  if (task.attempt > returns) return waiting(task, now, why, 0, noDueTime, { returns })
  return waiting(task, now, why, 0, queueExpiresAt(task), { returns, started_at: undefined })
}

/** Back in the queue; `why` the run before ended. */
const waiting = (
  task: TaskRecord,
  now: number,
  why: Why,
  backoff_ms: number,
  due_at: number,
  patch: Patch = {},
): TaskRecord =>
  next(task, now, { ...patch, status: 'queued', lease_id: '', backoff_ms, due_at, progress: undefined }, why)

const ended = (
  rules: TransitionRules,
  task: TaskRecord,
  status: TaskStatus,
  now: number,
  patch: Patch = {},
): TaskRecord =>
  next(task, now, {
    ...patch,
    status,
    lease_id: '',
    backoff_ms: 0,
    due_at: noDueTime,
    finished_at: now,
    data_expires_at: now + rules.retentionMs,
    uses_file: undefined,
  })

/** What ran, and usage and cost of the attempt that ends the task. Contract, section 4, "Billing". */
function billed(rules: TransitionRules, task: TaskRecord, report: RunReport): Patch {
  const queue_ms = Math.max(0, (task.started_at ?? acceptedAt(task)) - acceptedAt(task))
  const compute_ms = Math.max(0, Math.ceil(report.compute_ms))
  const { engine_kind: kind, engine_name: name, provider } = report
  return {
    usage: { queue_ms, compute_ms, gpu_type: rules.gpuType, items: 1 },
    cost_micros: task.mode === 'test' ? 0 : Math.ceil((compute_ms * rules.pricePerSecondMicros) / 1000),
    ...(kind !== '' && { engine: { kind, name, provider }, model_version: report.group_version || task.model_version }),
  }
}

function dataDeleted(task: TaskRecord, now: number): TaskRecord | Refusal {
  if (!hasEnded(task)) return refuse('not_ended')
  if (task.data_deleted_at !== undefined) return refuse('already_ended')
  const { input: _input, input_blob: _blob, output: _output, output_file: _file, progress: _, ...rest } = task
  const history = task.history.map(({ emitted: _emitted, ...entry }) => entry)
  return { ...rest, history, data_deleted_at: now }
}

/** Between two attempts. */
const isResting = (task: TaskRecord): boolean => task.status === 'queued' && task.backoff_ms !== 0

/** By the wall clock: a step of it moves the end of the queue's time with it. A retry's wait does not count. */
const isOverdue = (task: TaskRecord, now: number): boolean =>
  task.status === 'queued' && runsBegun(task) === 0 && queueExpiresAt(task) <= now

const holds = (task: TaskRecord, held: Held): boolean =>
  (task.status === 'running' || task.status === 'cancelling') &&
  task.lease_id === held.lease_id &&
  task.attempt === held.attempt

/** What a change of state changes. */
type Patch = Partial<TaskRecord>

type Why = Pick<Failure, 'code' | 'message'>

const evicted: Why = { code: 'evicted', message: 'Its executor stopped the run. That costs no attempt.' }

/** One copy of the record, however much changes: a task passes here three times. */
function next(task: TaskRecord, now: number, patch: Patch & Pick<TaskRecord, 'status'>, why?: Why): TaskRecord {
  const version = task.resource_version + 1
  const { status, attempt = task.attempt } = patch
  const shown = status === 'running' ? attempt - task.returns : (task.history.at(-1)?.attempt ?? 0)
  const error = why && { code: why.code, message: why.message.slice(0, mostOfMessage).toWellFormed() }
  const entry = { version, status, at: now, attempt: shown, ...(error && { error }) }
  return { ...task, ...patch, resource_version: version, history: withEntry(task.history, entry) }
}

/** Characters of why a run ended, of which the history may have many. */
const mostOfMessage = 200

function exhaustive(value: never): never {
  throw new Error(`not handled: ${JSON.stringify(value)}`)
}
