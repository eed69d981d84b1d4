import { timestampMs } from '@bufbuild/protobuf/wkt'
import { fail, idTime, jsonWriter, parseId } from '@millhand/api'
import { WorkforceOutputSchema } from '@millhand/api/gen/millhand/workforce/v1/output_pb.ts'
import type { CreateWorkforceTaskRequest } from '@millhand/api/gen/millhand/workforce/v1/task_pb.ts'
import { principal } from '@millhand/rpc'
import type { BatchTaskKind } from '@millhand/task'
import { briefOf, briefText } from '../brief.ts'
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
  async requirePlaces(call, total, batchId) {
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
