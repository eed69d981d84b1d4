import { fail } from '@millhand/api'
import type {
  GetModelRequest,
  ListModelsRequest,
  ListModelsResponse,
  Model,
} from '@millhand/api/gen/millhand/compute/v1/model_pb.ts'
import { Order } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import type { ComputeDeps } from '../compute-deps.ts'
import { modelMessage } from '../model-message.ts'

/** Lists the models that tasks can run, by id. */
export const listModels =
  ({ models, cursors }: ComputeDeps) =>
  async (req: ListModelsRequest): Promise<ListModelsResponse> => {
    const { limit = 20, order = Order.DESC } = req
    const boundTo = JSON.stringify(['models', order])
    const after = req.cursor === undefined ? undefined : String(cursors.open(req.cursor, boundTo))
    const sorted = order === Order.ASC ? models.list() : [...models.list()].reverse()
    const rest =
      after === undefined ? sorted : sorted.filter(model => (order === Order.ASC ? model.id > after : model.id < after))
    const page = rest.slice(0, limit)
    const last = page.at(-1)
    const hasMore = rest.length > page.length
    return {
      $typeName: 'millhand.compute.v1.ListModelsResponse',
      data: page.map(modelMessage),
      hasMore,
      ...(hasMore && last && { nextCursor: cursors.seal(last.id, boundTo) }),
    }
  }

/** Gets a model. */
export const getModel =
  ({ models }: ComputeDeps) =>
  async (req: GetModelRequest): Promise<Model> => {
    const model = models.get(req.id)
    if (!model)
      throw fail('not_found', `There is no model \`${req.id.slice(0, 64)}\`. GET /v1/models lists those there are.`)
    return modelMessage(model)
  }
