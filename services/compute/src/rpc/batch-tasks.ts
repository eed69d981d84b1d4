import type { CreateTaskRequest } from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import { principal } from '@millhand/rpc'
import type { BatchTaskKind } from '@millhand/task'
import type { ComputeDeps } from '../compute-deps.ts'
import type { TaskRecord } from '../task.ts'
import { toMessage } from '../task-message.ts'
import { admitTask, newTask, type TaskAdmission } from './create-task.ts'

/** Compute's tasks of batches. */
export const batchTasks = (deps: ComputeDeps): BatchTaskKind<TaskRecord, CreateTaskRequest, TaskAdmission> => ({
  requestOf: ({ kind }) => (kind.case === 'task' ? kind.value : undefined),
  admit: (req, call) => admitTask(deps, req, call),
  make: (req, call, id, admission) => ranked(newTask(deps, req, call, id, admission)),
  makeFence(req, call, id) {
    const model = { model: { version: '', outputs: [] }, group: req.model }
    return ranked(newTask(deps, req, call, id, { model, file: undefined, asked: undefined }))
  },
  inputs: {
    hold: (call, of, ids, until) => deps.files.batchHolds.hold({ ...of, tenant: principal(call).tenant }, ids, until),
    keep: (call, of, until) => deps.files.batchHolds.keep({ ...of, tenant: principal(call).tenant }, until),
    release: (call, batch, attempt) => deps.files.batchHolds.release(principal(call).tenant, batch, attempt),
  },
  mostQueued: call => deps.plans.computePlan(principal(call).plans.compute).max_queued,
  toMessage,
  outputOf: task => task.output,
})

/** The rank that it asked for is shown, and not that which it gets. */
const ranked = ({ task, input }: ReturnType<typeof newTask>) => ({ task: { ...task, priority: task.rank }, input })
