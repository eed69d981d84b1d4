/** Validation errors of tasks that train, and of those alone. */
import type { Fault, KeyMode } from '@millhand/api'
import { TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type { CreateTaskRequest } from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import {
  checkParameters,
  checkpointProblems,
  type ParameterProblem,
  type TrainingParameters,
  trainableModelOf,
} from '@millhand/training'
import type { ComputeDeps } from '../compute-deps.ts'
import type { TaskModel } from '../models/task-models.ts'

/** Parameters with which the sandbox makes pieces, in the place of those of the run. */
const SANDBOX_PARAMETERS: ReadonlySet<string> = new Set(['chunks', 'interval_ms', 'chunk'])

export const trains = ({ type }: Pick<CreateTaskRequest, 'type'>): boolean => type === TaskType.TRAINING

/** Of the model that a run of the task would make: its account has to have room for one of the size of its parent. */
export async function requireRoomForModel(
  { files, ownModels }: Pick<ComputeDeps, 'files' | 'ownModels'>,
  tenant: string,
  parent: Pick<TaskModel, 'fileBytes'>,
): Promise<void> {
  await ownModels.requireRoom(tenant)
  await files.requireRoom(tenant, parent.fileBytes())
}

/** The parameters and the model of a task of type `training`. */
export function trainingFaults(found: TaskModel, req: CreateTaskRequest, mode: KeyMode): readonly Fault[] {
  const { model } = found
  const fault = found.trainingFault()
  if (fault !== undefined) {
    const message = `The model \`${model.id}\` can't be trained: ${fault}.`
    return [{ param: 'model', code: 'not_trainable', message }]
  }
  const given = Object.entries(req.parameters ?? {})
  const parameters = Object.fromEntries(
    mode === 'test' ? given.filter(([name]) => !SANDBOX_PARAMETERS.has(name)) : given,
  )
  const { provider, ...asked } = parameters
  const checked = checkParameters(asked, trainableModelOf(model))
  const problems =
    'problems' in checked
      ? checked.problems
      : [...checkpointProblems(found.fileBytes(), checked.parameters), ...partProblems(found, checked.parameters)]
  return [
    ...(provider !== undefined && provider !== 'cpu'
      ? [{ param: 'parameters.provider', code: 'not_available', message: 'Training runs on `cpu` alone.' }]
      : []),
    ...problems.map(({ path, message }) => ({ param: path, code: 'invalid', message: `\`${path}\` ${message}.` })),
  ]
}

function partProblems({ trainingFault }: TaskModel, { train }: TrainingParameters): readonly ParameterProblem[] {
  const fault = trainingFault(train)
  return fault === undefined
    ? []
    : [{ path: 'parameters.train', message: `can't be ${train} for this model: ${fault}` }]
}
