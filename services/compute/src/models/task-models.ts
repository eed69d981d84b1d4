/** The models that tasks run: those of the deployment, accounts' own, and files that custom tasks run as they are. */
import type { Readable } from 'node:stream'
import type { HandlerContext } from '@connectrpc/connect'
import type { Fault } from '@millhand/api'
import type { LeasedModel } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { type Catalogue, type ModelPackage, type OnnxInspection, parseManifest } from '@millhand/model'
import type { TrainablePart } from '@millhand/training'
import type { StoredFile } from '../files/file.ts'
import type { Files } from '../files/files.ts'
import type { TaskRecord } from '../task.ts'
import {
  IncludedTraining,
  includedBytes,
  type TrainingFault,
  trainableParts,
  trainingFault,
} from '../training/trainability.ts'
import { BoundedCache } from './bounded-cache.ts'
import { InspectionCache } from './inspection-cache.ts'
import { ModelInvalid } from './inspector.ts'
import { digestOf, type StoredModel } from './model.ts'
import { filePackage, packageOf, tensorsOnly } from './model-package.ts'
import type { OwnModels } from './own-models.ts'

/** What a new task is to run. */
export interface TaskModel {
  readonly model: ModelPackage
  readonly group: string
  /** The account's own model, or file. */
  readonly own?: string
  /** Outputs that can't be asked for, with the reason. */
  readonly hiddenOutputs: OnnxInspection['hiddenOutputs']
  /** Why it can't be trained; undefined where it can. */
  readonly trainingFault: TrainingFault
  /** The size of its file, where it can be trained. */
  readonly fileBytes: () => number
}

export type TaskModels = ReturnType<typeof createTaskModels>

/** Custom runs ignore what a model's owner says of its processing: they share no process with others. */
const groupOf = (id: string, isCustom: boolean): string => (isCustom ? `custom:${id}` : id)

interface TaskModelsDeps {
  readonly models: Catalogue
  readonly ownModels: OwnModels
  readonly files: Files
}

export function createTaskModels(deps: TaskModelsDeps) {
  const { models, ownModels, files } = deps
  const inspections = new InspectionCache(ownModels.inspect)
  const packages = new PackageCache()
  const maxBatches = new BatchSizes()
  const includedTraining = new IncludedTraining()

  async function ofFile(file: StoredFile, signal: AbortSignal): Promise<TaskModel | undefined> {
    const inspection = await inspections.of(file, signal)
    if (inspection === undefined) return undefined
    const { hiddenOutputs } = inspection
    const model = packages.of(`${file.tenant} ${file.id}`, () => filePackage(file, inspection))
    const trainingFault = () => 'it is a file, and no model'
    const of = { group: groupOf(file.id, true), own: file.id, fileBytes: () => file.bytes }
    return { model, ...of, hiddenOutputs, trainingFault }
  }

  function ofModel(stored: StoredModel, isCustom: boolean): TaskModel {
    const group = groupOf(stored.id, isCustom)
    const model = packages.of(`${stored.tenant} ${group}`, () => {
      const known = packageOf(stored)
      return isCustom ? { ...known, manifest: tensorsOnly(known.manifest) } : known
    })
    return {
      model,
      group,
      own: stored.id,
      hiddenOutputs: stored.hidden_outputs,
      trainingFault: part => trainingFault(model, stored, part),
      fileBytes: () => stored.bytes,
    }
  }

  return {
    /** What a request names as its model, for a task of this type; or its validation error. */
    async find(
      tenant: string,
      id: string,
      isCustom: boolean,
      call: Pick<HandlerContext, 'signal'>,
    ): Promise<{ readonly found: TaskModel } | { readonly fault: Fault }> {
      const fault = (code: string, message: string) => ({ fault: { param: 'model', code, message } })
      const included = models.get(id)
      if (included && isCustom) {
        const message = `The model \`${id}\` is of the deployment; a custom task runs an own model or a file with \`purpose: model\`.`
        return fault('not_allowed', message)
      }
      if (included?.status === 'broken') return fault('broken', `The model \`${id}\` is broken: ${included.problem}`)
      if (included) return { found: includedModel(included, includedTraining) }
      const stored = await ownModels.get(tenant, id)
      if (stored) return { found: ofModel(stored, isCustom) }
      const missing = fault('not_found', `There is no model \`${id}\`. GET /v1/models lists those there are.`)
      const file = isCustom && id.startsWith('file_') ? await files.get(tenant, id) : undefined
      if (file === undefined) return missing
      if (file.purpose !== 'model') {
        return fault(
          'not_allowed',
          `The file \`${id}\` was uploaded with \`purpose: ${file.purpose}\`, and is no model.`,
        )
      }
      try {
        const found = await ofFile(file, call.signal)
        return found ? { found } : missing
      } catch (error) {
        if (error instanceof ModelInvalid) return fault('model_invalid', error.message)
        throw error
      }
    },

    /** What a task's run is lent with; undefined where executors know its group, or the model is gone. */
    async leased(task: TaskRecord): Promise<LeasedModel | undefined> {
      if (task.own_model === undefined) return undefined
      const holder = await holderOf(deps, task)
      if (holder === undefined) return undefined
      const manifest = manifestOf(task, holder)
      if (task.type === 'inference') maxBatches.learn(task.group, parseManifest(manifest).maxBatch)
      return { $typeName: 'millhand.lease.v1.LeasedModel', digest: digestOf(holder), bytes: holder.bytes, manifest }
    },

    /** What of a model of the deployment can be trained. */
    partsOf: (model: ModelPackage): readonly TrainablePart[] =>
      trainableParts(model, part => includedTraining.faultOf(model, part)),

    /** The bytes of what a task runs; none where they are not there any more. */
    async read(task: TaskRecord): Promise<Readable | undefined> {
      const holder = await holderOf(deps, task)
      return holder && (await files.holdings.read(holder))
    },

    /** How many live inference tasks of a group may share a run. */
    maxBatch(group: string): number {
      const included = models.get(group)
      return included?.status === 'ready' ? included.manifest.maxBatch : maxBatches.of(group)
    },
  }
}

const includedModel = (model: ModelPackage, training: IncludedTraining): TaskModel => ({
  ...{ model, group: model.id, hiddenOutputs: {} },
  trainingFault: part => training.faultOf(model, part),
  fileBytes: () => includedBytes(model),
})

/** The file or model that a task runs, as it is in the store; undefined where it is not there any more. */
const holderOf = (
  { ownModels, files }: Pick<TaskModelsDeps, 'ownModels' | 'files'>,
  { tenant, own_model: own = '' }: TaskRecord,
): Promise<StoredFile | StoredModel | undefined> =>
  own.startsWith('file_') ? files.getUsed(tenant, own) : ownModels.get(tenant, own)

/** An executor reads inputs and outputs from the graph in the file. The sandbox loads no file, so they are in its manifest. */
function manifestOf(task: TaskRecord, holder: StoredFile | StoredModel): string {
  if ('manifest' in holder) {
    if (task.type !== 'custom') return holder.manifest
    const { name, inputs, outputs } = JSON.parse(holder.manifest)
    return JSON.stringify({ name, inputs, outputs })
  }
  return JSON.stringify({ name: holder.id, outputs: task.sandbox_outputs })
}

/** Models, and files, as tasks need them: they never change under their ids. */
class PackageCache {
  readonly #known = new BoundedCache<ModelPackage>()

  of(key: string, make: () => ModelPackage): ModelPackage {
    const known = this.#known.get(key)
    if (known) return known
    const made = make()
    // What the JSON of its inputs and outputs has, the schema has too, and more.
    this.#known.set(key, made, 2 * made.outputSchema.length + JSON.stringify([made.manifest, made.inputs]).length)
    return made
  }
}

/** How many tasks of a group may share a run: known from the first one that was lent. */
class BatchSizes {
  readonly #sizes = new Map<string, number>()

  of(group: string): number {
    return this.#sizes.get(group) ?? 1
  }

  learn(group: string, size: number): void {
    this.#sizes.delete(group)
    this.#sizes.set(group, size)
    const [oldest] = this.#sizes.keys()
    if (this.#sizes.size > MOST_GROUPS && oldest !== undefined) this.#sizes.delete(oldest)
  }
}

const MOST_GROUPS = 10_000
