/**
 * The models that training makes. A run stores the file, and the result that names it makes the file a model: its id is
 * made of the file's, so it is known which model comes of which file. docs/decisions/training.md, "The model"
 */
import { codeOf, fail } from '@millhand/api'
import type { Result } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import type { Failure } from '@millhand/lease'
import { isObject, type Manifest, type ModelPackage } from '@millhand/model'
import type { TaskDeps } from '@millhand/task'
import { isClassName, MOST_CLASSES, trainableModelOf } from '@millhand/training'
import { runOf, type StoredFile } from '../files/file.ts'
import type { Files } from '../files/files.ts'
import { ModelInvalid } from '../models/inspector.ts'
import { type ModelFields, manifestOf } from '../models/own-manifest.ts'
import type { OwnModels } from '../models/own-models.ts'
import type { TaskRecord } from '../task.ts'
import type { Parents } from './parents.ts'

interface TrainedModelsDeps {
  readonly tasks: Pick<TaskDeps<TaskRecord>['tasks'], 'get'>
  readonly files: Files
  readonly ownModels: OwnModels
  readonly parents: Pick<Parents, 'of'>
}

type RunOf = Pick<Result, 'tenant' | 'workId' | 'attempt'>

export type TrainedModels = ReturnType<typeof createTrainedModels>

/** Of the file of a run that is its model, among what that run makes. */
export const modelFileOf = (task: string, attempt: number): string => `${runOf(task, attempt)}/model`

const modelIdOf = (file: string): string => file.replace(/^file_/, 'model_')

export function createTrainedModels({ tasks, files, ownModels, parents }: TrainedModelsDeps) {
  async function make(task: TaskRecord, file: StoredFile, card: Card): Promise<void> {
    const parent = await parents.of(task)
    if (parent === undefined) throw fail('not_found', 'The model is not there any more.')
    const { tenant, account_id, id, attempt } = task
    await ownModels.createTrained({
      ...{ tenant, account_id, file, id: modelIdOf(file.id), operation: `training/${modelFileOf(id, attempt)}` },
      manifest: inspection => manifestOf(fieldsOf(parent, card), inspection),
      training: JSON.stringify({ ...card, task: id }),
    })
  }

  return {
    /** Makes the file of this very run a model, whose card the output has; false, or why not, where it can't be. Idempotent. */
    async keep({ tenant, workId, attempt }: RunOf, output: string, fileId: string): Promise<boolean | Failure> {
      const task = await tasks.get(tenant, workId)
      if (task?.type !== 'training' || task.attempt !== attempt) return false
      if (await ownModels.get(tenant, modelIdOf(fileId))) return true
      const file = await files.get(tenant, fileId)
      if (file?.output_of !== modelFileOf(workId, attempt)) return false
      try {
        await make(task, file, cardOf(output))
      } catch (error) {
        return failureOf(error)
      }
      await files.remove(tenant, fileId).catch(() => {}) // The model holds its content; else it expires.
      return true
    },

    /** Removes what came of a file that no task names. Idempotent. */
    async discard(tenant: string, fileId: string): Promise<void> {
      await ownModels.removeTrained(tenant, modelIdOf(fileId))
      await files.remove(tenant, fileId)
    },
  }
}

/** What keeps the model from being made, for good. Throws what another try may mend. */
function failureOf(error: unknown): Failure {
  if (error instanceof ModelInvalid) return { code: 'model_broken', message: error.message, retryable: false }
  const code = codeOf(error)
  if (code !== undefined && FOR_GOOD.has(code)) {
    const message = error instanceof Error ? error.message.replace(/^\[\w+\] /, '') : ''
    return { code: code === 'storage_quota_exceeded' ? code : 'model_not_made', message, retryable: false }
  }
  throw error
}

const FOR_GOOD: ReadonlySet<string> = new Set([
  'storage_quota_exceeded',
  'invalid_state',
  'invalid_parameter',
  'payload_too_large',
  'not_found',
])

interface Card {
  readonly [field: string]: unknown
}

/** The card in an output of a run, which may be compromised: shown as it is, but for the numbers of the model. */
function cardOf(output: string): Card {
  const { card } = JSON.parse(output) as { card?: unknown }
  return isObject(card) ? card : {}
}

/** The parent's, with the numbers of this run. */
function fieldsOf(parent: ModelPackage, card: Card): ModelFields & Processing {
  const { metrics, data } = card
  const { manifest } = parent
  const { batchable, maxBatch, license } = manifest
  const hasNewHead = trainableModelOf(parent).base !== undefined
  const { preprocess, postprocess, labels, exampleInput } = hasNewHead ? withHead(manifest, card) : asBefore(manifest)
  return {
    name: trainedName(manifest.name),
    ...(preprocess && preprocess.name !== 'tensors' && { preprocess: finite(preprocess) }),
    ...(postprocess && postprocess.name !== 'tensors' && { postprocess: finite(postprocess) }),
    labels,
    batchable,
    ...(batchable && { max_batch: maxBatch }),
    ...(license !== '' && { license }),
    metrics: { ...numbersIn(metrics, MOST_METRICS), ...numbersIn(data, MOST_METRICS) },
    ...(exampleInput !== undefined && { example_input: exampleInput }),
  }
}

type Processing = Pick<ModelFields, 'preprocess' | 'postprocess'>

function asBefore({ processing, labels = [], exampleInput }: Manifest) {
  const { preprocess, postprocess } =
    processing.kind === 'single' ? processing : { preprocess: undefined, postprocess: undefined }
  return { preprocess, postprocess, labels, exampleInput }
}

/** A head gives a score for each of its labels. A sentence encoder's example may be a list, which a classifier does not take. */
function withHead({ processing, exampleInput }: Manifest, { labels }: Card) {
  const isEncoder = processing.kind !== 'single'
  return {
    preprocess: isEncoder ? ({ name: 'tokens' } as const) : processing.preprocess,
    postprocess: { name: 'classify', softmax: true } as const,
    labels: labelsIn(labels),
    exampleInput: isEncoder ? undefined : exampleInput,
  }
}

function labelsIn(labels: unknown): readonly string[] {
  if (!Array.isArray(labels) || labels.length > MOST_CLASSES) return []
  return labels.every(each => typeof each === 'string' && isClassName(each)) ? labels : []
}

const SUFFIX = ', trained'
const MOST_NAME = 128 - SUFFIX.length

/** A model that is trained again has the suffix once. A cut leaves no half of a character. */
export const trainedName = (parent: string): string =>
  parent.endsWith(SUFFIX) ? parent : `${parent.slice(0, MOST_NAME).replace(/[\ud800-\udbff]$/, '')}${SUFFIX}`

const MOST_METRICS = 12

/** Without bounds that are not set: an infinite number is none in JSON. */
const finite = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== Infinity && value !== -Infinity))

const numbersIn = (value: unknown, most: number): Record<string, number> =>
  Object.fromEntries(
    Object.entries(isObject(value) ? value : {})
      .filter((entry): entry is [string, number] => Number.isFinite(entry[1]) && /^[a-z_0-9]{1,32}$/.test(entry[0]))
      .slice(0, most),
  )
