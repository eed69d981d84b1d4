import type { HandlerContext } from '@connectrpc/connect'
import { fail, firstIdAt } from '@millhand/api'
import type {
  GetModelRequest,
  ListModelsRequest,
  ListModelsResponse,
  Model,
} from '@millhand/api/gen/millhand/compute/v1/model_pb.ts'
import { Order } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import type { CatalogueEntry } from '@millhand/model'
import { principal } from '@millhand/rpc'
import { settlesAfterMs } from '@millhand/store'
import type { ComputeDeps } from '../compute-deps.ts'
import { listedModelMessage, modelMessage, ownModelMessage } from '../model-message.ts'
import type { StoredModel } from '../models/model.ts'
import { generatesText } from '../models/text-generation.ts'

type Deps = Pick<
  ComputeDeps,
  'models' | 'ownModels' | 'taskModels' | 'gpuTypes' | 'textGeneration' | 'cursors' | 'clock'
>

/** Lists the models that the account's tasks can run, by id: those of the deployment, and its own. */
export const listModels =
  (deps: Deps) =>
  async (req: ListModelsRequest, call: HandlerContext): Promise<ListModelsResponse> => {
    const { models, taskModels, gpuTypes, cursors } = deps
    const { limit = 20, order = Order.DESC } = req
    const { tenant } = principal(call)
    const engines = await gpuTypes.enginesFor(call)
    const isAscending = order === Order.ASC
    const boundTo = JSON.stringify([tenant, 'models', order])
    const after = req.cursor === undefined ? undefined : String(cursors.open(req.cursor, boundTo))
    const included = models
      .list()
      .filter(({ id }) => after === undefined || (isAscending ? id > after : id < after))
      .map(model => ({
        id: model.id,
        message: () => modelMessage(model, enginesOf(deps, model, engines), taskModels.partsOf),
      }))
    const own = (await ownAfter(deps, tenant, isAscending, after, limit + 1)).map(model => ({
      id: model.id,
      message: () => listedModelMessage(model, engines),
    }))
    const rest = [...included, ...own].sort((a, b) => (a.id < b.id === isAscending ? -1 : 1))
    const page = rest.slice(0, limit)
    const last = page.at(-1)
    const hasMore = rest.length > page.length
    return {
      $typeName: 'millhand.compute.v1.ListModelsResponse',
      data: page.map(({ message }) => message()),
      hasMore,
      ...(hasMore && last && { nextCursor: cursors.seal(last.id, boundTo) }),
    }
  }

/** Of the account's own models the next `count`, by id. */
function ownAfter(
  { ownModels, clock }: Deps,
  tenant: string,
  isAscending: boolean,
  after: string | undefined,
  count: number,
): Promise<readonly StoredModel[]> {
  // What is newer may still come out of order.
  const settled = isAscending && { before: [firstIdAt('model', clock.now() - settlesAfterMs)] }
  const beyond = after !== undefined && { [isAscending ? 'after' : 'before']: [after] }
  return ownModels.list(tenant, { ...settled, ...beyond, order: isAscending ? 'asc' : 'desc', limit: count })
}

/** Gets a model. */
export const getModel =
  (deps: Deps) =>
  async ({ id }: GetModelRequest, call: HandlerContext): Promise<Model> => {
    const { models, ownModels, taskModels, gpuTypes } = deps
    const included = models.get(id)
    if (included) {
      const engines = enginesOf(deps, included, await gpuTypes.enginesFor(call))
      return modelMessage(included, engines, taskModels.partsOf)
    }
    const own = await ownModels.get(principal(call).tenant, id)
    if (own) return ownModelMessage(own, await gpuTypes.enginesFor(call))
    throw noModel(id)
  }

/** None where the model generates text, and this deployment does not. */
const enginesOf = ({ textGeneration }: Deps, model: CatalogueEntry, engines: readonly string[]): readonly string[] =>
  textGeneration.fault !== undefined && model.status === 'ready' && generatesText(model) ? [] : engines

export const noModel = (id: string) =>
  fail('not_found', `There is no model \`${id.slice(0, 64)}\`. GET /v1/models lists those there are.`)
