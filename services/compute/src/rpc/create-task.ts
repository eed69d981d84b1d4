import type { HandlerContext } from '@connectrpc/connect'
import { enumWords, type Fault, fail, failFaults, idTime } from '@millhand/api'
import {
  type CreateTaskRequest,
  type Task,
  TaskPriority,
  TaskType,
  TaskTypeSchema,
} from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { checkInput, type ModelPackage } from '@millhand/model'
import { principal, requestIdKey } from '@millhand/rpc'
import type { ComputeDeps } from '../compute.ts'
import { taskEvents } from '../events.ts'
import { fitsRecord } from '../input.ts'
import type { TaskRecord } from '../task.ts'
import { toMessage } from '../to-message.ts'

/** Creates a task. It is durable before this answers. */
export const createTask =
  ({ tasks, inputs, models, ids, newEventId, position }: ComputeDeps) =>
  async (req: CreateTaskRequest, call: HandlerContext): Promise<Task> => {
    const { accountId, mode, tenant } = principal(call)
    const model = admitted(req, models)
    if (mode === 'test') {
      throw fail('engine_unavailable', 'The sandbox is not available yet: no engine answers test keys. Use a live key.')
    }

    const id = ids('task')
    const now = idTime(id)
    const queue_timeout_s = req.queueTimeoutS ?? 86_400
    const inline = fitsRecord(req.input)
    const task: TaskRecord = {
      tenant,
      id,
      version: 1,
      account_id: accountId,
      mode,
      type: 'inference',
      pool: `${mode}/onnx`,
      group: model.id,
      model_version: model.version,
      rank: ranks[req.priority ?? TaskPriority.NORMAL] ?? 1,
      alone: false,
      status: 'queued',
      input: inline ? req.input : undefined,
      input_blob: inline ? undefined : await inputs.keep(tenant, id, req.input),
      parameters: req.parameters,
      metadata: req.metadata,
      queue_timeout_s,
      run_timeout_s: req.runTimeoutS ?? 600,
      max_attempts: req.maxAttempts ?? 3,
      attempt: 0,
      evictions: 0,
      returns: 0,
      created_at: now,
      backoff_ms: 0,
      due_at: now + queue_timeout_s * 1000,
      lease_id: '',
      resource_version: 1,
      request_id: call.values.get(requestIdKey),
    }
    const stored = await tasks.insert(task, taskEvents(undefined, task, now, newEventId))
    if (!stored) throw fail('conflict', `The id ${id} is taken.`)
    return toMessage(task, { input: req.input, position: position(task) })
  }

/** The model that a request names. Fails with everything that stands against running it, at once. */
function admitted(request: CreateTaskRequest, models: ComputeDeps['models']): ModelPackage {
  const { type, model: id, input, parameters } = request
  const model = models.get(id)
  const misfit = model?.status === 'ready' ? checkInput(model, input) : undefined
  const tooLarge = parameters !== undefined && JSON.stringify(parameters).length > mostParameters
  if (type === TaskType.INFERENCE && model?.status === 'ready' && misfit === undefined && !tooLarge) return model
  const faults: Fault[] = []
  if (type !== TaskType.INFERENCE) {
    const message = `Tasks of type \`${typeWords.get(type)}\` are not available yet; \`inference\` is.`
    faults.push({ param: 'type', code: 'not_available', message })
  }
  if (model === undefined) {
    const message = `There is no model \`${id}\`. GET /v1/models lists those there are.`
    faults.push({ param: 'model', code: 'not_found', message })
  } else if (model.status === 'broken') {
    faults.push({ param: 'model', code: 'broken', message: `The model \`${id}\` is broken: ${model.problem}` })
  }
  if (misfit !== undefined) faults.push({ param: 'input', code: 'model_input_invalid', message: misfit })
  if (tooLarge) {
    const message = `\`parameters\` must be at most ${mostParameters} characters of JSON.`
    faults.push({ param: 'parameters', code: 'too_large', message })
  }
  throw failFaults(faults as [Fault, ...Fault[]])
}

/** Characters of JSON: they stay in the record, which a task's life writes three times. */
const mostParameters = 16_384

const typeWords = enumWords(TaskTypeSchema)

const ranks: Partial<Record<TaskPriority, number>> = {
  [TaskPriority.HIGH]: 0,
  [TaskPriority.NORMAL]: 1,
  [TaskPriority.LOW]: 2,
}
