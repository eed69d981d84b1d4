/** Tasks of batches, many in one call: the same for every kind of task. docs/decisions/batches.md. */
import { timestampMs } from '@bufbuild/protobuf/wkt'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { codeOf, type Fault, fail, type Id, isFull, parseId, problemOf } from '@millhand/api'
import type {
  AddTasksRequest,
  BatchTask,
  BatchTaskService,
  BatchTaskState,
  TaskFault,
  TaskRequest,
} from '@millhand/api/gen/millhand/batch/v1/batch_task_service_pb.ts'
import { type Task, TaskStatus } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { principal } from '@millhand/rpc'
import { taskEvents } from '../events.ts'
import { NEVER_MS } from '../new-task.ts'
import { acceptedAt, type TaskBase } from '../task.ts'
import type { TaskDeps } from '../task-deps.ts'
import type { ToMessage } from '../task-message.ts'
import { createBatchRoom } from './batch-room.ts'

/** What the tasks of a kind that come in batches have that those of other kinds do not. */
export interface BatchTaskKind<T extends TaskBase, R, A> {
  /** The request, where it is one of this kind. */
  readonly requestOf: (request: TaskRequest) => R | undefined
  /** What a request needs. Fails with all of its validation errors at once. */
  readonly admit: (req: R, call: HandlerContext) => Promise<A>
  /** The record that is to be stored, and its input. */
  readonly make: (req: R, call: HandlerContext, id: Id, admission: A) => Made<T>
  /** The same of a task that never runs, by its request alone: what that names may be there no more. */
  readonly makeFence: (req: R, call: HandlerContext, id: Id) => Made<T>
  /** Keeps files and models from being removed while a batch may need them, until `until` (ms since 1970) at the latest. */
  readonly inputs?: {
    hold(call: HandlerContext, of: BatchAttempt, ids: readonly string[], until: number): Promise<void>
    /** All that the attempt holds, longer than before: it makes the batch. */
    keep(call: HandlerContext, of: BatchAttempt, until: number): Promise<void>
    /** What one attempt holds, or all that the batch does. */
    release(call: HandlerContext, batch: string, attempt: string | undefined): Promise<void>
  }
  /** How many tasks of the account may wait. */
  readonly mostQueued: (call: HandlerContext) => number
  /** Fails where the account may not have so many tasks made of a batch, by the quota of the day of its id or by what it spends. */
  readonly requireRoom?: (call: HandlerContext, total: number, batchId: string) => Promise<void>
  /** Takes the place of a task, which is its own from then on. Resolves with what gives it back; fails where none is left. */
  readonly takePlace?: (call: HandlerContext, id: Id) => Promise<() => Promise<void>>
  readonly toMessage: ToMessage<T, Pick<Task, 'status' | 'error' | 'outputFile'>>
  /** The output of a task that has one, as REST shows it: JSON text. */
  readonly outputOf: (task: T) => string | undefined
}

/** An attempt to create a batch. */
interface BatchAttempt {
  readonly batch: string
  readonly attempt: string
}

interface Made<T> {
  readonly task: T
  readonly input?: string | undefined
}

/** Behind every task that came by itself. */
const BATCH_RANK = 3

/** Characters of outputs in one answer: a message has at most 4 MiB of UTF-8. */
const MOST_OUTPUT = 1_048_576

/** How many of a call are written or read at once; with outputs, which have up to 256 KiB each. */
const AT_ONCE = 100
const OUTPUTS_AT_ONCE = 10

type BatchTaskDeps<T extends TaskBase> = Pick<TaskDeps<T>, 'kind' | 'tasks' | 'inputs' | 'newEventId'>

export function batchTaskMethods<T extends TaskBase, R, A>(
  deps: BatchTaskDeps<T>,
  own: BatchTaskKind<T, R, A>,
): ServiceImpl<typeof BatchTaskService> {
  const { tasks, kind } = deps
  const add = adder(deps, own)

  const room = createBatchRoom()

  /** Calls `make` with how many of so many tasks have room. Those that are cancelled never wait. */
  async function withRoom<R>(
    { tasks: wanted, cancelled }: AddTasksRequest,
    call: HandlerContext,
    make: (taken: number) => Promise<R>,
  ): Promise<R> {
    if (cancelled) return await make(wanted.length)
    const { tenant, mode } = principal(call)
    const most = Math.ceil(own.mostQueued(call) / 2)
    const pools = [kind.poolOf(mode), ...(kind.otherPoolsOf?.(mode) ?? [])]
    const count = async () => {
      const counts = await Promise.all(pools.map(pool => tasks.countWaiting(pool, tenant, most)))
      return counts.reduce((sum, count) => sum + count)
    }
    return await room.reserve(tenant, { wanted: wanted.length, most, count }, make)
  }

  return {
    async checkTasks(req, call) {
      const faults: TaskFault[] = []
      for (const [index, request] of req.tasks.entries()) {
        const asked = own.requestOf(request)
        if (asked === undefined)
          throw fail('invalid_parameter', 'A task is of no kind that is made here.', { param: 'tasks' })
        for (const fault of await faultsOf(() => own.admit(asked, call))) faults.push(faultMessage(index, fault))
        if (isFull(faults)) break
      }
      if (faults.length === 0 && req.total > 0) await own.requireRoom?.(call, req.total, req.batchId)
      return { faults }
    },

    async holdInputs({ batchId: batch, attempt, ids, until: at }, call) {
      const until = at === undefined ? 0 : timestampMs(at)
      if (ids.length > 0) await own.inputs?.hold(call, { batch, attempt }, ids, until)
      else await own.inputs?.keep(call, { batch, attempt }, until)
      return {}
    },

    async releaseInputs({ batchId, attempt }, call) {
      await own.inputs?.release(call, batchId, attempt)
      return {}
    },

    async addTasks(req, call) {
      return await withRoom(req, call, async taken => {
        const refused: TaskFault[] = []
        await inTurns(req.tasks.slice(0, taken), async (task, index) => {
          const fault = await add(task, req, call)
          if (fault !== undefined) refused.push(faultMessage(index, fault))
        })
        return { taken, refused }
      })
    },

    async getTasks({ ids, outputs }, call) {
      const { tenant } = principal(call)
      const states: BatchTaskState[] = []
      let size = 0
      const atOnce = outputs ? OUTPUTS_AT_ONCE : AT_ONCE
      for (let at = 0; at < ids.length && size <= MOST_OUTPUT; at += atOnce) {
        const found = await Promise.all(ids.slice(at, at + atOnce).map(id => tasks.get(tenant, id)))
        for (const [n, task] of found.entries()) {
          const state = stateOf(own, ids[at + n] as string, task, outputs)
          size += state.output?.length ?? 0
          if (size > MOST_OUTPUT && states.length > 0) break
          states.push(state)
        }
      }
      return { tasks: states }
    },

    async cancelTasks({ ids }, call) {
      const { tenant } = principal(call)
      await inTurns(ids, async id => void (await tasks.change(tenant, id, { kind: 'cancel' })))
      return {}
    },
  }
}

/** Makes a task that is not there yet; resolves with why it can't be made. */
function adder<T extends TaskBase, R, A>(deps: BatchTaskDeps<T>, own: BatchTaskKind<T, R, A>) {
  const { tasks, inputs, newEventId, kind } = deps

  /** Resolves with whether there was none of its id before. */
  async function insert({ task, input }: Made<T>): Promise<boolean> {
    if (task.input_blob !== undefined && input !== undefined) await inputs.keep(task.input_blob, input)
    const isNew = await tasks.insert(task, taskEvents(kind, undefined, task, acceptedAt(task), newEventId))
    if (!isNew) await inputs.remove(task)
    return isNew
  }

  return async (asked: BatchTask, batch: AddTasksRequest, call: HandlerContext) => {
    const { cancelled } = batch
    const { tenant } = principal(call)
    const id = parseId(kind.idPrefix, asked.id)
    const req = asked.request && own.requestOf(asked.request)
    if (id === undefined || req === undefined)
      throw fail('invalid_parameter', 'A task is of no kind that is made here.', { param: 'tasks' })
    const ofThis = ({ task, input }: Made<T>, isFence: boolean): Made<T> => ({
      task: ofBatch(task, batch, asked.queueTimeoutS, isFence),
      input,
    })
    if ((await tasks.get(tenant, id)) === undefined) {
      if (cancelled) await insert(ofThis(own.makeFence(req, call, id), true))
      else {
        const [fault] = await faultsOf(async () => {
          const admission = await own.admit(req, call)
          const giveBack = await own.takePlace?.(call, id)
          call.signal.throwIfAborted()
          if (await insert(ofThis(own.make(req, call, id, admission), false))) return
          // Its batch was cancelled meanwhile.
          if ((await tasks.get(tenant, id))?.is_fence) await giveBack?.()
        })
        if (fault) return fault
      }
    }
    if (cancelled) await tasks.change(tenant, id, { kind: 'cancel' })
    return undefined
  }
}

/** It waits since its batch was accepted, and its queue timeout is as its batch says. No executor gets a fence. */
function ofBatch<T extends TaskBase>(
  task: T,
  { batchId, acceptedAt: accepted, keepUntil }: AddTasksRequest,
  queue_timeout_s: number,
  isFence: boolean,
): T {
  const { backoff_ms } = task
  const at = accepted === undefined ? task.created_at : timestampMs(accepted)
  return {
    ...task,
    batch_id: batchId,
    rank: BATCH_RANK,
    ...(keepUntil && { keep_until: timestampMs(keepUntil) }),
    // What asks the sandbox to expire does so after a second in the queue.
    ...(backoff_ms === 0 && {
      queue_timeout_s,
      due_at: at + queue_timeout_s * 1000,
      history: [{ version: 1, status: 'queued', at, attempt: 0 }],
    }),
    ...(isFence && { backoff_ms: NEVER_MS, is_fence: true }),
  }
}

/** What a check finds. Fails where it could not be done. */
async function faultsOf(check: () => Promise<unknown>): Promise<readonly Fault[]> {
  try {
    await check()
    return []
  } catch (error) {
    const code = codeOf(error)
    const { errors, param = '', detail, status } = problemOf(error, '')
    // That something is not set up here is an answer, and no failure.
    if (status >= 500 && code !== 'engine_unavailable') throw error
    return errors ?? [{ param, code, message: detail }]
  }
}

const faultMessage = (index: number, { param, code, message }: Fault): TaskFault => ({
  $typeName: 'millhand.batch.v1.TaskFault',
  index,
  param,
  code,
  message,
})

function stateOf<T extends TaskBase>(
  { toMessage, outputOf }: Pick<BatchTaskKind<T, unknown, unknown>, 'toMessage' | 'outputOf'>,
  id: string,
  task: T | undefined,
  withOutput: boolean,
): BatchTaskState {
  const state = { $typeName: 'millhand.batch.v1.BatchTaskState', id, status: TaskStatus.UNSPECIFIED } as const
  if (task === undefined) return state
  const { status, error, outputFile } = toMessage(task)
  const output = withOutput ? outputOf(task) : undefined
  return {
    ...state,
    status,
    ...(error && { error }),
    ...(output !== undefined && { output }),
    ...(outputFile !== undefined && { outputFile }),
  }
}

async function inTurns<T>(all: readonly T[], each: (one: T, index: number) => Promise<void>): Promise<void> {
  for (let at = 0; at < all.length; at += AT_ONCE) {
    // None goes on once this has failed: the room that it takes is given back then.
    const results = await Promise.allSettled(all.slice(at, at + AT_ONCE).map((one, n) => each(one, at + n)))
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }
}
