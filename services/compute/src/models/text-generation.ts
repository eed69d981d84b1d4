/** Tasks that generate text: what they may ask, and whether this deployment runs them. docs/decisions/text-generation.md */
import { type Fault, fail, type KeyMode } from '@millhand/api'
import { TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type { CreateTaskRequest } from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import { generationFaults, type ModelPackage } from '@millhand/model'

export interface TextGeneration {
  /** Why no text is generated here: how the sentence goes on, with the setting. Undefined where it is. */
  readonly fault: string | undefined
}

/** Parameters with which the sandbox makes pieces, in the place of those of the model. */
const SANDBOX_PARAMETERS = ['chunks', 'interval_ms', 'chunk']

/** Validation errors of a task of the model, where that generates text. */
export function textGenerationFaults(
  model: ModelPackage | undefined,
  { type, parameters }: CreateTaskRequest,
  mode: KeyMode,
): readonly Fault[] {
  if (!generatesText(model)) return []
  if (type === TaskType.BATCH) {
    const message = `The model \`${model.id}\` generates text: it runs tasks of type \`inference\`, of which POST /v1/batches takes many.`
    return [{ param: 'type', code: 'not_allowed', message }]
  }
  return generationFaults(parameters, mode === 'test' ? SANDBOX_PARAMETERS : [])
}

/** Fails with `engine_unavailable` where nothing here runs the model. The sandbox has no need of it. */
export function requireTextGeneration(model: ModelPackage, mode: KeyMode, { fault }: TextGeneration): void {
  if (fault === undefined || mode === 'test' || !generatesText(model)) return
  const detail = `The model \`${model.id}\` generates text, and this deployment does not: ${fault}.`
  throw fail('engine_unavailable', detail, { param: 'model' })
}

export const generatesText = (model: ModelPackage | undefined): model is ModelPackage =>
  model?.manifest.processing.kind === 'text_generation'
