import type { HandlerContext } from '@connectrpc/connect'
import { type Fault, failIf, type Id, type KeyMode, readSandboxInput, type SandboxInput } from '@millhand/api'
import { type Task, TaskPriority, TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type { CreateTaskRequest } from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import { accelerators, checkInput, type ModelPackage, type TensorSpec } from '@millhand/model'
import { idOf, principal } from '@millhand/rpc'
import {
  addAwaitedTask,
  callbackFaults,
  failAsInstructed,
  findExistingTask,
  newTaskFields,
  showTask,
} from '@millhand/task'
import type { ComputeDeps } from '../compute-deps.ts'
import type { StoredFile } from '../files/file.ts'
import { inputFile, linesFault } from '../input-file.ts'
import { outputsFault } from '../models/outputs-fault.ts'
import type { TaskModel, TaskModels } from '../models/task-models.ts'
import { requireTextGeneration, textGenerationFaults } from '../models/text-generation.ts'
import type { TaskRecord } from '../task.ts'
import { acceleratedPoolOf, batchPoolOf, computeTask, TEXT_POOL, trainingPoolOf } from '../task-kind.ts'
import { toMessage } from '../task-message.ts'
import { requireRoomForModel, trainingFaults, trains } from '../training/training-faults.ts'

/**
 * Creates a task. It is durable before this answers; a second call of the same operation answers with what it made. Where
 * the caller waits it is answered with the end, if that comes soon.
 */
export const createTask =
  (deps: ComputeDeps) =>
  async (req: CreateTaskRequest, call: HandlerContext): Promise<Task> => {
    const { plans, ids, position } = deps
    const { tenant } = principal(call)
    const id = idOf(computeTask.idPrefix, call, ids)
    const before = await findExistingTask(deps, call, tenant, id)
    if (before) return await showTask(deps, toMessage, before)
    const admission = await admitTask(deps, req, call)
    failAsInstructed(admission.asked)
    if (trains(req)) await requireRoomForModel(deps, tenant, admission.model)
    const { task, input } = newTask(deps, req, call, id, admission)
    const most = plans.computePlan(task.plan).max_queued
    const mayRest = task.uses_file === undefined && task.uses_model === undefined
    const made = await addAwaitedTask(deps, { task, input, most, mayRest }, call)
    return made === task ? toMessage(task, { input, position: position(task) }) : await showTask(deps, toMessage, made)
  }

/** What a task is made with, beside its request. */
export interface TaskAdmission {
  readonly model: TaskModel
  readonly file: StoredFile | undefined
  /** What it asks the sandbox for. */
  readonly asked: SandboxInput | undefined
}

/** What a request needs. Fails with all of its validation errors at once. A task of an accepted batch waits for hardware. */
export async function admitTask(
  deps: Pick<ComputeDeps, 'files' | 'taskModels' | 'gpuTypes' | 'targetFault' | 'textGeneration'>,
  req: CreateTaskRequest,
  call: HandlerContext,
  isAccepted = false,
): Promise<TaskAdmission> {
  const { files, taskModels, gpuTypes, targetFault, textGeneration } = deps
  const { mode, tenant } = principal(call)
  const named = await taskModels.find(tenant, req.model, req.type === TaskType.CUSTOM, call)
  const ready = 'found' in named ? named.found.model : undefined
  const isLines = req.type === TaskType.BATCH || trains(req)
  const given = req.inputFile === undefined ? undefined : await inputFile(files, tenant, req.inputFile, ready, isLines)
  const asked = mode === 'test' && !given ? readSandboxInput(req.input) : undefined
  const misfit = given ? given.fault : asked ? undefined : inputFault(ready, req.input, isLines)
  const provider = trains(req)
    ? undefined
    : (modelProviderFault(ready, req) ??
      (isAccepted ? undefined : await gpuTypes.providerFault(req.parameters?.provider, call)))
  const misfits = [
    ...(misfit ? [misfit] : []),
    ...(provider ? [provider] : []),
    ...(trains(req)
      ? 'found' in named
        ? trainingFaults(named.found, req, mode)
        : []
      : textGenerationFaults(ready, req, mode)),
    ...callbackFaults(req.callback, mode, targetFault, computeTask.eventPrefix),
  ]
  const model = admitted(req, named, misfits)
  if (!isAccepted) requireTextGeneration(model.model, mode, textGeneration)
  return { model, file: given?.file, asked }
}

interface NewTask extends Omit<TaskAdmission, 'model'> {
  readonly model: Pick<TaskModel, 'group' | 'own'> & {
    readonly model: Pick<ModelPackage, 'version' | 'outputs'> & Partial<Pick<ModelPackage, 'manifest'>>
  }
}

/** A task that is not stored yet, and its input where that is text. */
export function newTask(
  deps: Pick<ComputeDeps, 'kind' | 'clock' | 'inputs'>,
  req: CreateTaskRequest,
  call: HandlerContext,
  id: Id,
  { model: { model, group, own }, file, asked }: NewTask,
): { readonly task: TaskRecord; readonly input: string | undefined } {
  const {
    mode,
    tenant,
    plans: { compute: plan },
  } = principal(call)
  const isBatch = req.type === TaskType.BATCH
  const isText = model.manifest?.processing.kind === 'text_generation'
  const input = file ? undefined : req.input
  const task: TaskRecord = {
    ...newTaskFields(deps, req, call, id, req.queueTimeoutS ?? 86_400, asked),
    plan,
    type: typeOf(req),
    ...(isBatch && { alone: true, lines_state: 'alive' }),
    ...(trains(req) && { alone: true }),
    pool: isText && mode === 'live' ? TEXT_POOL : poolOf(mode, req),
    group,
    model_version: model.version,
    ...(own !== undefined && { own_model: own, uses_model: 'yes' }),
    ...(mode === 'test' && own?.startsWith('file_') && { sandbox_outputs: sandboxOutputs(model, req.parameters) }),
    rank: ranks[req.priority ?? TaskPriority.NORMAL] ?? 1,
    ...(input !== undefined && deps.inputs.placed(tenant, id, input)),
    ...(file && { input_file: file.id, input_file_bytes: file.bytes, uses_file: 'yes' }),
    parameters: req.parameters,
    run_timeout_s: req.runTimeoutS ?? 600,
    max_attempts: req.maxAttempts ?? 3,
  }
  return { task, input }
}

function typeOf({ type }: CreateTaskRequest): TaskRecord['type'] {
  switch (type) {
    case TaskType.BATCH:
      return 'batch'
    case TaskType.CUSTOM:
      return 'custom'
    case TaskType.TRAINING:
      return 'training'
    default:
      return 'inference'
  }
}

/** The processor is what a task gets that asks for nothing: docs/operating.md, "GPUs". */
function poolOf(mode: KeyMode, req: CreateTaskRequest): string {
  if (trains(req)) return trainingPoolOf(mode)
  const isBatch = req.type === TaskType.BATCH
  const provider = accelerators.find(name => name === req.parameters?.provider)
  if (provider) return acceleratedPoolOf(mode, provider, isBatch)
  return isBatch ? batchPoolOf(mode) : computeTask.poolOf(mode)
}

/** Some models give wrong numbers on some providers. */
function modelProviderFault(model: ModelPackage | undefined, req: CreateTaskRequest): Fault | undefined {
  const asked = accelerators.find(name => name === req.parameters?.provider)
  if (asked === undefined || model === undefined || model.manifest.providers.includes(asked)) return undefined
  const message = `The model \`${model.id}\` does not run on \`${asked}\`; it runs on ${model.manifest.providers.join(', ')}.`
  return { param: 'parameters.provider', code: 'not_available', message }
}

/** The validation error of an input in the request, as far as its model defines inputs. */
function inputFault(model: ModelPackage | undefined, input: string, isLines: boolean): Fault | undefined {
  const message = model && (isLines ? linesFault(input) : checkInput(model, input))
  return message === undefined ? undefined : { param: 'input', code: 'model_input_invalid', message }
}

/** The model that a request names. Fails with all validation errors at once. */
function admitted(
  { type, parameters }: CreateTaskRequest,
  named: Awaited<ReturnType<TaskModels['find']>>,
  misfits: readonly Fault[],
): TaskModel {
  const faults: Fault[] = []
  if ('fault' in named) faults.push(named.fault)
  faults.push(...misfits)
  if (parameters !== undefined && JSON.stringify(parameters).length > mostParameters) {
    const message = `\`parameters\` must be at most ${mostParameters} characters of JSON.`
    faults.push({ param: 'parameters', code: 'too_large', message })
  }
  const outputs =
    'found' in named && type !== TaskType.TRAINING
      ? outputsFault(named.found, parameters, type === TaskType.BATCH)
      : undefined
  if (outputs) faults.push(outputs)
  failIf(faults)
  return (named as { readonly found: TaskModel }).found
}

/** The outputs that the task asks for, as many as the record has room for: all of a usual model. */
function sandboxOutputs(
  { outputs }: Pick<ModelPackage, 'outputs'>,
  parameters: CreateTaskRequest['parameters'],
): readonly TensorSpec[] {
  const asked = parameters?.outputs
  const wanted = Array.isArray(asked) ? outputs.filter(({ name }) => asked.includes(name)) : outputs
  let room = mostParameters
  return wanted.filter(output => {
    room -= JSON.stringify(output).length
    return room >= 0
  })
}

/** Characters of JSON: they stay in the record, which a task's life writes three times. */
const mostParameters = 16_384

const ranks: Partial<Record<TaskPriority, number>> = {
  [TaskPriority.HIGH]: 0,
  [TaskPriority.NORMAL]: 1,
  [TaskPriority.LOW]: 2,
}
