import type { HandlerContext } from '@connectrpc/connect'
import { enumWords, type Fault, fail, failFaults, idTime, isProblemCode } from '@millhand/api'
import {
  type CreateTaskRequest,
  type Task,
  TaskPriority,
  TaskType,
  TaskTypeSchema,
} from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import {
  type CatalogueEntry,
  checkInput,
  type ModelPackage,
  readSandboxInput,
  type SandboxInput,
} from '@millhand/model'
import { idOf, operationKey, principal, requestIdKey } from '@millhand/rpc'
import { settlesAfterMs } from '@millhand/store'
import { callbackFaults, fitsRecord, foundTask, taskEvents } from '@millhand/task'
import type { ComputeDeps } from '../compute.ts'
import { inputFile } from '../input-file.ts'
import { computeTask } from '../kind.ts'
import { showWhole } from '../show-whole.ts'
import type { TaskRecord } from '../task.ts'
import { toMessage } from '../to-message.ts'

/** Creates a task. It is durable before this answers; a second call of the same operation answers with what it made. */
export const createTask =
  (deps: ComputeDeps) =>
  async (req: CreateTaskRequest, call: HandlerContext): Promise<Task> => {
    const { tasks, inputs, files, models, plans, backlog, ids, newEventId, position, clock, targetFault } = deps
    const {
      accountId,
      mode,
      tenant,
      plans: { compute: plan },
    } = principal(call)
    const id = idOf('task', call, ids)
    if (call.values.get(operationKey) !== undefined) {
      const made = await tasks.get(tenant, id)
      if (made) return await showWhole(deps, made)
    }
    const entry = models.get(req.model)
    const ready = entry?.status === 'ready' ? entry : undefined
    const given = req.inputFile === undefined ? undefined : await inputFile(files, tenant, req.inputFile, ready)
    const asked = mode === 'test' && !given ? readSandboxInput(req.input) : undefined
    const misfit = given ? given.fault : asked ? undefined : inputFault(ready, req.input)
    const misfits = [
      ...(misfit ? [misfit] : []),
      ...callbackFaults(req.callback, mode, targetFault, computeTask.eventPrefix),
    ]
    const model = admitted(req, entry, misfits)
    refuseAsAsked(asked)

    const created_at = idTime(id)
    const now = acceptedAt(created_at, clock.now())
    const expires = asked?.kind === 'queue_timeout'
    const queue_timeout_s = expires ? EXPIRES_AFTER_S : (req.queueTimeoutS ?? 86_400)
    const input = given ? undefined : req.input
    const apart = input === undefined || fitsRecord(input) ? undefined : { input, place: inputs.newPlace(tenant, id) }
    const task: TaskRecord = {
      tenant,
      id,
      version: 1,
      account_id: accountId,
      mode,
      plan,
      type: 'inference',
      pool: computeTask.poolOf(mode),
      group: model.id,
      model_version: model.version,
      rank: ranks[req.priority ?? TaskPriority.NORMAL] ?? 1,
      alone: false,
      status: 'queued',
      input: apart ? undefined : input,
      input_blob: apart?.place,
      ...(given?.file && { input_file: given.file.id, input_file_bytes: given.file.bytes, uses_file: 'yes' }),
      parameters: req.parameters,
      metadata: req.metadata,
      ...(req.callback && { callback: { url: req.callback.url, events: req.callback.events } }),
      queue_timeout_s,
      run_timeout_s: req.runTimeoutS ?? 600,
      max_attempts: req.maxAttempts ?? 3,
      attempt: 0,
      evictions: 0,
      returns: 0,
      created_at,
      backoff_ms: expires ? NEVER_MS : 0,
      due_at: now + queue_timeout_s * 1000,
      lease_id: '',
      resource_version: 1,
      history: [{ version: 1, status: 'queued', at: now, attempt: 0 }],
      request_id: call.values.get(requestIdKey),
    }
    const isStored = await backlog.admit(tenant, plans.computePlan(plan).max_queued, async () => {
      if (apart) await inputs.keep(apart.place, apart.input)
      return await tasks.insert(task, taskEvents(computeTask, undefined, task, now, newEventId))
    })
    if (!isStored) {
      const made = await tasks.get(tenant, id)
      if (made?.input_blob !== task.input_blob) await inputs.remove(task)
      return await showWhole(deps, foundTask(id, made))
    }
    return toMessage(task, { input, position: position(task) })
  }

/** When its time in the queue begins: as it is created, unless its operation is taken up later, or clocks differ. */
const acceptedAt = (created: number, now: number): number => (Math.abs(now - created) <= settlesAfterMs ? created : now)

/** Of `sandbox:queue_timeout`: its wait is over after a second, and it rests for longer than any task waits. */
const EXPIRES_AFTER_S = 1
const NEVER_MS = 604_800_000

/** Answers with the error that an input asked the sandbox for, where it is one that a create can be answered with. */
function refuseAsAsked(asked: SandboxInput | undefined): void {
  if (asked?.kind !== 'error' || !isProblemCode(asked.code)) return
  throw fail(asked.code, 'The input asked the sandbox for this answer.', { metadata: { intended: 'sandbox' } })
}

/** What stands against an input in the request, as far as its model tells. */
function inputFault(model: ModelPackage | undefined, input: string): Fault | undefined {
  const message = model && checkInput(model, input)
  return message === undefined ? undefined : { param: 'input', code: 'model_input_invalid', message }
}

/** The model that a request names. Fails with everything that stands against running it, at once. */
function admitted(
  { type, model: id, parameters }: CreateTaskRequest,
  model: CatalogueEntry | undefined,
  misfits: readonly Fault[],
): ModelPackage {
  const tooLarge = parameters !== undefined && JSON.stringify(parameters).length > mostParameters
  if (type === TaskType.INFERENCE && model?.status === 'ready' && misfits.length === 0 && !tooLarge) return model
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
  faults.push(...misfits)
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
