/** From a request to a task that is in the store. */

import type { HandlerContext } from '@connectrpc/connect'
import { fail, type Id, idTime, isProblemCode, type SandboxInput } from '@millhand/api'
import type { Urgency } from '@millhand/lease'
import { drainingKey, operationKey, principal, requestIdKey, traceKey, waitMsKey } from '@millhand/rpc'
import { settlesAfterMs } from '@millhand/store'
import { attributes, spans, startSpan, traceparentOf, within } from '@millhand/telemetry'
import type { Callback } from './callback.ts'
import { taskEvents } from './events.ts'
import { requireTask } from './require-task.ts'
import { acceptedAt, hasEnded, type TaskBase } from './task.ts'
import type { TaskDeps } from './task-deps.ts'

/** What an earlier call of the same operation has made already. */
export async function findExistingTask<T extends TaskBase>(
  { tasks }: Pick<TaskDeps<T>, 'tasks'>,
  { values }: Pick<HandlerContext, 'values'>,
  tenant: string,
  id: string,
): Promise<T | undefined> {
  return values.get(operationKey) === undefined ? undefined : await tasks.get(tenant, id)
}

/** The part of a request to create a task that all kinds have. */
interface CreateRequest {
  readonly metadata: Readonly<Record<string, string>>
  readonly callback?: Callback | undefined
}

/** What the record of a new task begins with; `asked` is what it asks the sandbox for, if it does. */
export function newTaskFields<T extends TaskBase>(
  { kind, clock }: Pick<TaskDeps<T>, 'kind' | 'clock'>,
  { metadata, callback }: CreateRequest,
  call: HandlerContext,
  id: Id,
  queueTimeoutS: number,
  asked: SandboxInput | undefined,
) {
  const { accountId: account_id, mode, tenant } = principal(call)
  const created_at = idTime(id)
  const at = waitsFrom(created_at, clock.now())
  const expires = asked?.kind === 'queue_timeout'
  const queue_timeout_s = expires ? EXPIRES_AFTER_S : queueTimeoutS
  return {
    id,
    tenant,
    account_id,
    mode,
    pool: kind.poolOf(mode),
    metadata,
    ...(callback && { callback: { url: callback.url, events: callback.events } }),
    request_id: call.values.get(requestIdKey),
    ...tracedBy(call),
    version: 1,
    status: 'queued',
    queue_timeout_s,
    attempt: 0,
    evictions: 0,
    returns: 0,
    created_at,
    backoff_ms: expires ? NEVER_MS : 0,
    due_at: at + queue_timeout_s * 1000,
    lease_id: '',
    resource_version: 1,
    history: [{ version: 1, status: 'queued', at, attempt: 0 }],
  } as const satisfies Partial<TaskBase>
}

/** The trace that the task and all that comes of it is part of; nothing where traces are off. */
function tracedBy({ values }: HandlerContext): { readonly traceparent?: string } {
  const trace = values.get(traceKey)
  return trace === undefined ? {} : { traceparent: traceparentOf(trace) }
}

type AddDeps<T extends TaskBase> = Pick<TaskDeps<T>, 'kind' | 'tasks' | 'inputs' | 'queueLimit' | 'newEventId'>

/** A task that is not stored yet. */
interface NewTask<T extends TaskBase> {
  readonly task: T
  /** Where it is text. */
  readonly input: string | undefined
  /** How many tasks of its account may wait. */
  readonly most: number
  /** Whether it needs nothing that is kept only as long as a stored task names it. */
  readonly mayRest: boolean
}

/**
 * Stores a new task as `addTask` does and, where the caller waits for its end, resolves with the task as it is once that
 * has come, or after that time. Then the task may become durable together with its end: whoever waits has heard nothing of
 * it before. An operation's is durable at once: who repeats it finds what it has made.
 */
export async function addAwaitedTask<T extends TaskBase>(
  deps: AddDeps<T> & Pick<TaskDeps<T>, 'watch' | 'replicas'>,
  { task, input, most, mayRest }: NewTask<T>,
  { values }: Pick<HandlerContext, 'values'>,
): Promise<T> {
  const waitMs = values.get(waitMsKey)
  if (waitMs === 0 || deps.replicas.owner() !== 'here') return await addTask(deps, task, input, most)
  const urgency = mayRest && values.get(operationKey) === undefined ? 'rests' : 'now'
  const add = () => addTask(deps, task, input, most, urgency)
  return await deps.watch.until(task.id, add, hasEnded, waitMs, values.get(drainingKey))
}

/**
 * Stores a new task, its event and its input, durably, where one more of the `most` that may wait has room; else fails
 * with `queue_full`. Resolves with the task itself, or with what an earlier call of the same operation has made.
 */
export async function addTask<T extends TaskBase>(
  { kind, tasks, inputs, queueLimit, newEventId }: AddDeps<T>,
  task: T,
  input: string | undefined,
  most: number,
  urgency: Urgency = 'now',
): Promise<T> {
  const { tenant, id, input_blob } = task
  const isStored = await queueLimit.admit(tenant, most, async () => {
    if (input_blob !== undefined && input !== undefined) await inputs.keep(input_blob, input)
    const events = taskEvents(kind, undefined, task, acceptedAt(task), newEventId)
    if (task.traceparent === undefined) return await tasks.insert(task, events, urgency)
    const span = startSpan(spans.storeTask, task.traceparent, { attributes: { [attributes.taskId]: id } })
    return await within(span, tasks.insert(task, events, urgency))
  })
  if (isStored) return task
  const made = await tasks.get(tenant, id)
  if (made?.input_blob !== input_blob) await inputs.remove(task)
  return requireTask(id, made)
}

/** When its time in the queue begins: as it is created, unless its operation is taken up later, or clocks differ. */
const waitsFrom = (created: number, now: number): number => (Math.abs(now - created) <= settlesAfterMs ? created : now)

/** Of `sandbox:queue_timeout`: its wait is over after a second. */
const EXPIRES_AFTER_S = 1
/** Rests for longer than any task waits: no executor gets it. */
export const NEVER_MS = 604_800_000

/** Answers with the error that an input asked the sandbox for, where it is one that a create can be answered with. */
export function failAsInstructed(asked: SandboxInput | undefined): void {
  if (asked?.kind !== 'error' || !isProblemCode(asked.code)) return
  throw fail(asked.code, 'The input asked the sandbox for this answer.', { metadata: { intended: 'sandbox' } })
}
