import { timestampMs } from '@bufbuild/protobuf/wkt'
import type { HandlerContext } from '@connectrpc/connect'
import { fail, idTime, jsonWriter, parseId, spendingLimitReached } from '@millhand/api'
import { WorkforceOutputSchema } from '@millhand/api/gen/millhand/workforce/v1/output_pb.ts'
import type { CreateWorkforceTaskRequest } from '@millhand/api/gen/millhand/workforce/v1/task_pb.ts'
import { principal } from '@millhand/rpc'
import type { BatchTaskKind } from '@millhand/task'
import { briefOf, briefText } from '../brief.ts'
import { onBehalfOf } from '../on-behalf-of.ts'
import { outputMessage } from '../output.ts'
import type { TaskRecord } from '../task.ts'
import { toMessage } from '../task-message.ts'
import type { WorkforceDeps } from '../workforce-deps.ts'
import { admitTask, newTask, type TaskAdmission } from './create-task.ts'

const writeOutput = jsonWriter(WorkforceOutputSchema)

/** Tasks of employees in batches. Each takes its place in the quota of the day in which its batch was accepted. */
export const batchTasks = (
  deps: WorkforceDeps,
): BatchTaskKind<TaskRecord, CreateWorkforceTaskRequest, TaskAdmission> => ({
  requestOf: ({ kind }) => (kind.case === 'workforceTask' ? kind.value : undefined),
  admit: (req, call) => admitTask(deps, req, call),
  make: (req, call, id, admission) => newTask(deps, req, call, id, admission),
  makeFence(req, call, id) {
    const kind = { employee: req.employee, id: req.task }
    return newTask(deps, req, call, id, {
      kind,
      engine: 'rules',
      files: [],
      brief: briefText(briefOf(req)),
      asked: undefined,
    })
  },
  mostQueued: call => deps.plans.workforcePlan(principal(call).plans.workforce).max_queued,
  async requireRoom(call, total, batchId) {
    await requireSpending(deps, call)
    const id = parseId('batch', batchId)
    if (id === undefined) throw fail('invalid_parameter', 'There is no such batch.', { param: 'batch_id' })
    const { limit, used, resetsAt, day } = await deps.dailyQuota.dayOf(call, idTime(id))
    const left = limit === undefined ? total : Math.max(0, limit - used)
    if (total <= left) return
    const detail = `The batch has ${total} tasks of employees, and ${left} of the ${limit} workforce tasks of ${day} are left.`
    const resetsInMs = resetsAt === undefined ? 1_000 : timestampMs(resetsAt) - deps.clock.now()
    throw fail('daily_quota_exceeded', detail, { retryAfterS: Math.max(1, Math.ceil(resetsInMs / 1_000)) })
  },
  async takePlace(call, id) {
    const place = await deps.dailyQuota.take(call, id)
    return () => deps.dailyQuota.giveBack(call, place)
  },
  toMessage,
  outputOf: ({ output, usage }) => (output === undefined ? undefined : writeOutput(outputMessage(output, usage))),
})

/**
 * Fails where the account's spending limit of the workforce is reached: gateways hold batches to that of compute alone.
 * While billing is away nobody knows, and the batch is accepted.
 */
async function requireSpending({ usage, log }: WorkforceDeps, call: HandlerContext): Promise<void> {
  const asked = usage.getReachedWorkforceLimit({}, { ...onBehalfOf(principal(call)), signal: call.signal })
  const { reached } = await asked.catch(error => {
    call.signal.throwIfAborted()
    log.warn('spending_limits.unknown', { error })
    return { reached: undefined }
  })
  if (reached) throw spendingLimitReached(reached)
}
