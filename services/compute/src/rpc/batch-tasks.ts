/** Tasks of batches, many in one call: docs/decisions/batches.md. */
import type { ServiceImpl } from '@connectrpc/connect'
import { codeOf, type Fault, fail, isFull, parseId, problemOf } from '@millhand/api'
import type {
  BatchTaskService,
  BatchTaskState,
  TaskFault,
} from '@millhand/api/gen/millhand/compute/v1/batch_task_service_pb.ts'
import { TaskStatus } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { principal } from '@millhand/rpc'
import { taskEvents } from '@millhand/task'
import type { ComputeDeps } from '../compute-deps.ts'
import type { TaskRecord } from '../task.ts'
import { toMessage } from '../task-message.ts'
import { admitTask, newTask } from './create-task.ts'

/** Behind every task that came by itself. */
const BATCH_RANK = 3

/** Characters of outputs in one answer: a message has at most 4 MiB of UTF-8. */
const MOST_OUTPUT = 1_048_576

/** How many of a call are written or read at once. */
const AT_ONCE = 100

export function batchTaskMethods(deps: ComputeDeps): ServiceImpl<typeof BatchTaskService> {
  const { tasks, inputs, plans, newEventId, kind } = deps

  /** False where it is there already. */
  async function add(task: TaskRecord, input: string | undefined): Promise<boolean> {
    if (task.input_blob !== undefined && input !== undefined) await inputs.keep(task.input_blob, input)
    if (await tasks.insert(task, taskEvents(kind, undefined, task, task.created_at, newEventId))) return true
    await inputs.remove(task)
    return false
  }

  return {
    async checkTasks(req, call) {
      const faults: TaskFault[] = []
      for (const [index, task] of req.tasks.entries()) {
        for (const fault of await faultsOf(() => admitTask(deps, task, call))) faults.push(faultMessage(index, fault))
        if (isFull(faults)) break
      }
      return { faults }
    },

    async addTasks(req, call) {
      const { tenant, mode, plans: names } = principal(call)
      const most = Math.ceil(plans.computePlan(names.compute).max_queued / 2)
      const pools = [kind.poolOf(mode), ...(kind.otherPoolsOf?.(mode) ?? [])]
      const counts = await Promise.all(pools.map(pool => tasks.countWaiting(pool, tenant, most)))
      if (counts.reduce((sum, count) => sum + count) + req.tasks.length > most)
        throw fail('queue_full', 'The tasks of batches have their share of the queue.', { retryAfterS: 1 })
      const refused: TaskFault[] = []
      await inTurns(req.tasks, async ({ id: text, task: asked }, index) => {
        const id = parseId('task', text)
        if (id === undefined || asked === undefined)
          throw fail('invalid_parameter', 'An id is none.', { param: 'tasks' })
        if ((await tasks.get(tenant, id)) !== undefined) return
        let admission: Awaited<ReturnType<typeof admitTask>> | undefined
        const faults = await faultsOf(async () => {
          admission = await admitTask(deps, asked, call)
        })
        if (admission === undefined) refused.push(...faults.slice(0, 1).map(fault => faultMessage(index, fault)))
        else {
          const { task, input } = newTask(deps, asked, call, id, admission)
          await add(ofBatch(task, req.batchId), input)
        }
      })
      return { refused }
    },

    async getTasks({ ids, outputs }, call) {
      const { tenant } = principal(call)
      const states: BatchTaskState[] = []
      let size = 0
      for (let at = 0; at < ids.length && size < MOST_OUTPUT; at += AT_ONCE) {
        const found = await Promise.all(ids.slice(at, at + AT_ONCE).map(id => tasks.get(tenant, id)))
        for (const [n, task] of found.entries()) {
          const state = stateOf(ids[at + n] as string, task, outputs)
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

/** It waits since its batch was accepted, and its queue timeout is as its batch says. */
function ofBatch(task: TaskRecord, batch_id: string): TaskRecord {
  const { created_at: at, queue_timeout_s, backoff_ms } = task
  return {
    ...task,
    batch_id,
    priority: task.rank,
    rank: BATCH_RANK,
    // What asks the sandbox to expire does so after a second in the queue.
    ...(backoff_ms === 0 && {
      due_at: at + queue_timeout_s * 1000,
      history: [{ version: 1, status: 'queued', at, attempt: 0 }],
    }),
  }
}

/** What a check finds. Fails where it could not be done. */
async function faultsOf(check: () => Promise<unknown>): Promise<readonly Fault[]> {
  try {
    await check()
    return []
  } catch (error) {
    const { errors, detail, status } = problemOf(error, '')
    if (status >= 500) throw error
    return errors ?? [{ param: '', code: codeOf(error), message: detail }]
  }
}

const faultMessage = (index: number, { param, code, message }: Fault): TaskFault => ({
  $typeName: 'millhand.compute.v1.TaskFault',
  index,
  param,
  code,
  message,
})

function stateOf(id: string, task: TaskRecord | undefined, withOutput: boolean): BatchTaskState {
  const state = { $typeName: 'millhand.compute.v1.BatchTaskState', id, status: TaskStatus.UNSPECIFIED } as const
  if (task === undefined) return state
  const { status, error, outputFile } = toMessage(task)
  return {
    ...state,
    status,
    ...(error && { error }),
    ...(withOutput && task.output !== undefined && { output: task.output }),
    ...(outputFile !== undefined && { outputFile }),
  }
}

async function inTurns<T>(all: readonly T[], each: (one: T, index: number) => Promise<void>): Promise<void> {
  for (let at = 0; at < all.length; at += AT_ONCE)
    await Promise.all(all.slice(at, at + AT_ONCE).map((one, n) => each(one, at + n)))
}
