import {
  backoffMs,
  countedByOwner,
  type Failure,
  type FencingToken,
  type LeaseCause,
  noDueTime,
  type Outcome,
  type Refusal,
  type RunReport,
  refuse,
} from '@millhand/lease'
import type { PartStoredCause, PartsSettledCause } from './lines.ts'
import { partStored, partsSettled } from './lines-transition.ts'
import { appendEmissions } from './stream/append-emissions.ts'
import { withEntry } from './stream/history.ts'
import {
  type CancelCause,
  type CheckpointStoredCause,
  type DataDeletedCause,
  dataExpiresAt,
  type EmittedCause,
  hasEnded,
  queueExpiresAt,
  type ReservedCause,
  runsBegun,
  type TaskBase,
} from './task.ts'
import type { TaskStatus } from './task-status.ts'

export type TaskCause =
  | LeaseCause
  | EmittedCause
  | ReservedCause
  | CheckpointStoredCause
  | PartStoredCause
  | PartsSettledCause
  | CancelCause
  | DataDeletedCause

export interface TaskRules<T extends TaskBase> {
  /** How long an ended task and its data are kept, in milliseconds. */
  readonly retentionMs: number
  /** What its record keeps of the run that ends it: what ran, what that used and costs. Contract, section 4, "Billing". */
  readonly bill: (task: T, report: RunReport, now: number) => Partial<T>
  /** Whether the task has the output of its run although it was cancelled; never where it is left out. */
  readonly keepsOutput?: (task: T) => boolean
  /** From 0 up to 1, for the backoff's jitter. */
  readonly random: () => number
}

/** The task after `cause`, or why it can't be. Contract, section 4, "States". Pure but for the jitter that it is given. */
export const taskTransition =
  <T extends TaskBase>(rules: TaskRules<T>) =>
  (task: T, cause: TaskCause, now: number): T | Refusal => {
    switch (cause.kind) {
      case 'claimed':
        return claimed(task, cause.lease_id, now)
      case 'emitted':
        return appendEmissions(task, cause.held, cause.batch)
      case 'reserved':
        return reserved(task, cause)
      case 'checkpoint_stored':
        return checkpointStored(task, cause)
      case 'part_stored':
        return holds(task, cause.held) ? partStored(task, cause) : refuse('stale_lease')
      case 'parts_settled':
        return partsSettled(task, cause)
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

function claimed<T extends TaskBase>(task: T, lease_id: string, now: number): T | Refusal {
  if (task.status !== 'queued') return refuse('not_queued')
  if (task.backoff_ms !== 0) return refuse('not_ready')
  if (isOverdue(task, now)) return refuse('not_queued')
  const attempt = task.attempt + 1
  return next(task, now, { status: 'running', attempt, started_at: now, lease_id, due_at: countedByOwner })
}

/** No change of state. */
const reserved = <T extends TaskBase>(task: T, { held, cost_micros }: ReservedCause): T | Refusal =>
  task.status === 'running' && holds(task, held) ? { ...task, reserved_micros: cost_micros } : refuse('stale_lease')

/** No change of state. A run that is to stop stores none: nobody goes on from it. */
const checkpointStored = <T extends TaskBase>(task: T, { held, checkpoint }: CheckpointStoredCause): T | Refusal =>
  task.status === 'running' && holds(task, held) ? { ...task, checkpoint } : refuse('stale_lease')

function finished<T extends TaskBase>(
  rules: TaskRules<T>,
  task: T,
  outcome: Outcome,
  report: RunReport,
  now: number,
): T {
  if (task.status === 'cancelling')
    return { ...ended(rules, task, 'cancelled', now, rules.bill(task, report, now)), ...partial(rules, task, outcome) }
  switch (outcome.kind) {
    case 'output':
      return ended(rules, task, 'succeeded', now, { ...rules.bill(task, report, now), output: outcome.output })
    case 'output_file': {
      const patch = { ...rules.bill(task, report, now), output_file: outcome.file }
      return { ...ended(rules, task, 'succeeded', now, patch), data_expires_at: outcome.kept_until }
    }
    case 'failure':
      return outcome.failure.retryable
        ? retried(rules, task, outcome.failure, now, rules.bill(task, report, now))
        : {
            ...ended(rules, task, 'failed', now, { ...rules.bill(task, report, now), error: outcome.failure }),
            ...partial(rules, task, outcome),
          }
    case 'evicted':
    case 'cancelled': // No one asked to cancel it: its executor stopped it for reasons of its own.
      return waiting(task, now, evicted, 0, noDueTime, { evictions: task.evictions + 1, alone: true })
    case 'returned':
      return returned(task, now)
    default:
      return exhaustive(outcome)
  }
}

/** What was done before the end, where its run says so: of a task over lines, and of one that keeps its output. */
function partial<T extends TaskBase>({ keepsOutput }: TaskRules<T>, task: T, outcome: Outcome): Patch {
  if (outcome.kind === 'output' && keepsOutput?.(task)) return { output: outcome.output }
  if (task.lines === undefined) return {}
  const { file, kept_until } = outcome.kind === 'output_file' ? outcome : (partialOf(outcome) ?? {})
  return file === undefined ? {} : { output_file: file, data_expires_at: kept_until }
}

const partialOf = (outcome: Outcome) =>
  outcome.kind === 'failure' || outcome.kind === 'cancelled' ? outcome.partial : undefined

function cancelled<T extends TaskBase>(rules: TaskRules<T>, task: T, now: number): T | Refusal {
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
function lost<T extends TaskBase>(rules: TaskRules<T>, task: T, now: number): T {
  if (task.status === 'cancelling') return ended(rules, task, 'cancelled', now)
  return retried(rules, task, { code: 'executor_lost', message: 'The executor was lost.', retryable: true }, now)
}

/**
 * Back to the queue after a run that cost an attempt, or to its end when none is left, with `bill` where a result ends
 * it. Attempts that are lost or tried again are free.
 */
function retried<T extends TaskBase>(rules: TaskRules<T>, task: T, last: Failure, now: number, bill: Patch = {}): T {
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
function returned<T extends TaskBase>(task: T, now: number): T {
  const returns = task.returns + 1
  const why = { code: 'returned', message: 'The run was given back before it began.' }
  if (task.attempt > returns) return waiting(task, now, why, 0, noDueTime, { returns })
  return waiting(task, now, why, 0, queueExpiresAt(task), { returns, started_at: undefined })
}

/** Back in the queue; `why` the run before ended. */
const waiting = <T extends TaskBase>(
  task: T,
  now: number,
  why: Why,
  backoff_ms: number,
  due_at: number,
  patch: Patch = {},
): T => {
  const before = { lease_id: '', progress: undefined, reserved_micros: undefined }
  return next(task, now, { ...patch, ...before, status: 'queued', backoff_ms, due_at }, why)
}

const ended = <T extends TaskBase>(
  rules: TaskRules<T>,
  task: T,
  status: TaskStatus,
  now: number,
  patch: Patch = {},
): T =>
  next(task, now, {
    ...patch,
    status,
    lease_id: '',
    backoff_ms: 0,
    due_at: noDueTime,
    finished_at: now,
    ...(task.lines_state === 'alive' && { lines_state: 'ended' }),
    ...(task.checkpoint && { checkpoint: undefined }),
    data_expires_at: dataExpiresAt(task, now, rules.retentionMs),
  })

function dataDeleted<T extends TaskBase>(task: T, now: number): T | Refusal {
  if (!hasEnded(task)) return refuse('not_ended')
  if (task.data_deleted_at !== undefined) return refuse('already_ended')
  const { input: _input, input_blob: _blob, output: _output, output_file: _file, progress: _, ...rest } = task
  const history = task.history.map(({ emitted: _emitted, ...entry }) => entry)
  return { ...(rest as unknown as T), history, data_deleted_at: now }
}

/** Between two attempts. */
const isResting = (task: TaskBase): boolean => task.status === 'queued' && task.backoff_ms !== 0

/** By the wall clock: a step of it moves the end of the queue's time with it. A retry's wait does not count. */
const isOverdue = (task: TaskBase, now: number): boolean =>
  task.status === 'queued' && runsBegun(task) === 0 && queueExpiresAt(task) <= now

const holds = (task: TaskBase, held: FencingToken): boolean =>
  (task.status === 'running' || task.status === 'cancelling') &&
  task.lease_id === held.lease_id &&
  task.attempt === held.attempt

/** What a change of state changes. */
type Patch = Partial<TaskBase>

type Why = Pick<Failure, 'code' | 'message'>

const evicted: Why = { code: 'evicted', message: 'Its executor stopped the run. That costs no attempt.' }

/** One copy of the record, however much changes: a task passes here three times. */
function next<T extends TaskBase>(task: T, now: number, patch: Patch & Pick<TaskBase, 'status'>, why?: Why): T {
  const version = task.resource_version + 1
  const { status, attempt = task.attempt } = patch
  const shown = status === 'running' ? attempt - task.returns : (task.history.at(-1)?.attempt ?? 0)
  const error = why && { code: why.code, message: why.message.slice(0, maxMessageLength).toWellFormed() }
  const entry = { version, status, at: now, attempt: shown, ...(error && { error }) }
  return { ...task, ...patch, resource_version: version, history: withEntry(task.history, entry) }
}

/** Characters of why a run ended, of which the history may have many. */
const maxMessageLength = 200

function exhaustive(value: never): never {
  throw new Error(`not handled: ${JSON.stringify(value)}`)
}
