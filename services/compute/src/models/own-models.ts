/** The models of accounts: how they come to be, and how they go. Each step is durable before the next. docs/decisions/own-models.md */
import type { HandlerContext } from '@connectrpc/connect'
import { fail, type Ids } from '@millhand/api'
import { checkInput, type OnnxInspection } from '@millhand/model'
import type { Clock } from '@millhand/process'
import { operationKey, principal, requestIdKey } from '@millhand/rpc'
import type { Collection, Query } from '@millhand/store'
import type { StoredFile } from '../files/file.ts'
import { inUse, type UsedBy } from '../files/file-use.ts'
import type { Files } from '../files/files.ts'
import { type Inspector, ModelInvalid } from './inspector.ts'
import type { ModelIndex, ModelRecord, StoredModel } from './model.ts'
import { modelEvent } from './model-events.ts'
import { packageOf } from './model-package.ts'
import { type ModelFields, manifestOf } from './own-manifest.ts'

/** Of a tenant, those that are there. */
const MOST_MODELS = 1_000

export interface OwnModelsDeps {
  readonly collection: Collection<ModelRecord, ModelIndex>
  readonly files: Files
  readonly inspector: Inspector
  /** The id of a task that has not ended and uses the model. */
  readonly usedBy: UsedBy
  readonly clock: Clock
  readonly ids: Ids
}

export type OwnModels = ReturnType<typeof createOwnModels>

export function createOwnModels(deps: OwnModelsDeps) {
  const { collection, files, inspector, clock, ids } = deps

  /** What an operation has made; undefined where it has made nothing yet. Fails where that is removed. */
  async function madeBy(tenant: string, operation: string | undefined): Promise<StoredModel | undefined> {
    if (operation === undefined) return undefined
    const [made] = await collection.find('operation', { equals: [tenant, operation], limit: 1 })
    if (made?.fate === 'removed') throw fail('not_found', 'The model was made, and has been removed since.')
    return made
  }

  /** Calls `onBegin` once the file's turn has come. */
  function inspect(file: StoredFile, signal: AbortSignal, onBegin = () => {}): Promise<OnnxInspection | undefined> {
    const open = () => {
      onBegin()
      return files.read(file)
    }
    return inspector.inspect({ tenant: file.tenant, bytes: file.bytes, open }, signal)
  }

  return {
    /** A tenant's models that are there for callers, in the order of their ids. */
    async list(tenant: string, query: Omit<Query, 'equals'>): Promise<readonly StoredModel[]> {
      const found = await collection.find('by_fate', { ...query, equals: [tenant, 'stays'] })
      return found.filter(model => model.fate === 'stays')
    },

    /** The model, where it is there for callers. */
    async get(tenant: string, id: string): Promise<StoredModel | undefined> {
      const model = id.startsWith('model_') ? await collection.get(tenant, id) : undefined
      return model?.fate === 'stays' ? model : undefined
    },

    inspect,

    /** Fails with `invalid_state` where there are as many models as may be. */
    requireRoom: (tenant: string): Promise<void> => requireRoom(collection, tenant),

    /**
     * Makes a model of a file. Fails with `model_invalid` where it can't be run, with what is wrong with the fields, and
     * with `storage_quota_exceeded`. A second call of the same operation answers with what the first has made.
     */
    async create(fields: ModelFields, fileId: string, call: HandlerContext): Promise<StoredModel> {
      const { tenant, accountId } = principal(call)
      const operation = call.values.get(operationKey)
      const before = await madeBy(tenant, operation)
      if (before) return before
      manifestOf(fields)
      await requireRoom(collection, tenant)
      const file = await modelFile(files, tenant, fileId)
      const inspection = await inspect(file, call.signal).catch(failInvalid)
      if (inspection === undefined) throw noFile(fileId)
      const id = ids('model')
      const making = { id, operation: operation ?? id, account_id: accountId, created_at: clock.now() }
      const model = newModel(file, { ...making, manifest: manifestOf(fields, inspection) }, inspection)
      checkExample(model)
      const isMade = await files.holdings.take(file, model.id, async pending => {
        await requireRoom(collection, tenant, pending)
        const event = modelEvent('model.created', model, 1, {
          ids,
          now: model.created_at,
          requestId: call.values.get(requestIdKey),
        })
        const result = await collection.write({ kind: 'insert', document: model, events: [event] })
        return result.kind === 'written'
      })
      if (isMade === undefined) throw noFile(fileId)
      // Else another try of the operation was faster.
      const made = isMade ? model : await madeBy(tenant, operation)
      if (!made) throw fail('conflict', 'The model could not be made. Send the request again.')
      return made
    },

    /** Makes a model of a file that a run has trained. Fails as `create` does; once made, it is made. */
    createTrained: (fields: TrainedModel): Promise<void> => makeTrained(deps, fields, inspect),

    /** Removes one that no task came to name. Idempotent. Fails with `invalid_state` as `remove` does. */
    async removeTrained(tenant: string, id: string): Promise<void> {
      await removeModel(deps, tenant, id, undefined)
    },

    /**
     * Removes a model and what only it holds; false where there was none, also not in the last day. Idempotent. Fails
     * with `invalid_state` while a task uses it, or a batch may need it.
     */
    remove: (id: string, call: HandlerContext): Promise<boolean> =>
      removeModel(deps, principal(call).tenant, id, call.values.get(requestIdKey)),
  }
}

export interface TrainedModel extends Pick<StoredModel, 'tenant' | 'id' | 'operation' | 'account_id' | 'training'> {
  readonly file: StoredFile
  readonly manifest: (inspection: OnnxInspection) => string
}

async function makeTrained(
  { collection, files, clock, ids }: OwnModelsDeps,
  { file, manifest, ...fields }: TrainedModel,
  inspect: (file: StoredFile, signal: AbortSignal) => Promise<OnnxInspection | undefined>,
): Promise<void> {
  await requireRoom(collection, fields.tenant)
  const inspection = await inspect(file, new AbortController().signal)
  if (inspection === undefined) throw noFile(file.id)
  const making = { ...fields, manifest: manifest(inspection), created_at: clock.now() }
  const model = newModel(file, making, inspection)
  await files.holdings.take(file, model.id, async pending => {
    await requireRoom(collection, model.tenant, pending)
    const event = modelEvent('model.created', model, 1, { ids, now: model.created_at, requestId: undefined })
    return (await collection.write({ kind: 'insert', document: model, events: [event] })).kind === 'written'
  })
  // Another try of the same result may have been faster.
  if ((await collection.get(model.tenant, model.id))?.fate !== 'stays')
    throw fail('unavailable', 'The model could not be made now.')
}

async function removeModel(
  { collection, files, usedBy, clock, ids }: OwnModelsDeps,
  tenant: string,
  id: string,
  requestId: string | undefined,
): Promise<boolean> {
  for (;;) {
    const model = id.startsWith('model_') ? await collection.get(tenant, id) : undefined
    if (model?.fate !== 'stays') return model !== undefined
    // A batch that needs it from here on has written the model again, and the write below meets a conflict.
    const use = (await files.batchHolds.useOf(tenant, id)) ?? (await usedBy(tenant, id))
    if (use !== undefined) throw inUse(id, use)
    const event = modelEvent('model.deleted', model, 2, { ids, now: clock.now(), requestId })
    await files.holdings.leave(model, document =>
      collection.write({ kind: 'replace', version: model.version, document, events: [event] }),
    )
  }
}

const newModel = (
  { tenant, bytes, sha256, content }: StoredFile,
  making: Pick<StoredModel, 'id' | 'operation' | 'account_id' | 'created_at' | 'manifest' | 'training'>,
  { hiddenOutputs: hidden_outputs, opsets, operators }: OnnxInspection,
): StoredModel => ({
  ...{ tenant, version: 1, fate: 'stays' },
  ...making,
  ...{ hidden_outputs, opsets, operators, bytes, sha256, content },
})

/**
 * `pending`: ids of what is being made at the same time. Models among them that are not written yet count: two
 * concurrent requests would otherwise both pass the limit.
 */
async function requireRoom(
  collection: OwnModelsDeps['collection'],
  tenant: string,
  pending: readonly string[] = [],
): Promise<void> {
  // In this order: what is written in between counts twice, and never not at all.
  const models = pending.filter(id => id.startsWith('model_'))
  const written = await Promise.all(models.map(id => collection.get(tenant, id)))
  const unwritten = written.filter(model => model === undefined).length
  const count = await collection.count('by_fate', { equals: [tenant, 'stays'] }, MOST_MODELS)
  if (count + unwritten < MOST_MODELS) return
  throw fail('invalid_state', `There are ${MOST_MODELS} models, which is as many as may be: delete one first.`)
}

function failInvalid(error: unknown): never {
  if (error instanceof ModelInvalid) throw fail('model_invalid', error.message, { param: 'file' })
  throw error
}

/** The file that a request names as a model. Fails where there is none, or it was uploaded as something else. */
async function modelFile(files: Files, tenant: string, id: string): Promise<StoredFile> {
  const file = await files.get(tenant, id)
  if (file === undefined) throw noFile(id)
  if (file.purpose === 'model') return file
  const message = `The file \`${id}\` was uploaded with \`purpose: ${file.purpose}\`; a model is uploaded with \`purpose: model\`.`
  throw fail('invalid_parameter', message, { errors: [{ param: 'file', code: 'not_allowed', message }] })
}

function noFile(id: string) {
  const message = `There is no file \`${id}\`.`
  return fail('invalid_parameter', message, { errors: [{ param: 'file', code: 'not_found', message }] })
}

function checkExample(model: StoredModel): void {
  const known = packageOf(model)
  const message = known.exampleInput === undefined ? undefined : checkInput(known, known.exampleInput)
  if (message === undefined) return
  throw fail('invalid_parameter', `\`example_input\` does not fit the model: ${message}`, { param: 'example_input' })
}
