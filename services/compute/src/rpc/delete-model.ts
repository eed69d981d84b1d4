import type { HandlerContext } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import type { DeleteModelRequest, ModelDeletion } from '@millhand/api/gen/millhand/compute/v1/model_pb.ts'
import type { ComputeDeps } from '../compute-deps.ts'
import { noModel } from './models.ts'

/** Removes an own model. Answers the same when it is asked again within a day. */
export const deleteModel =
  ({ ownModels, models }: Pick<ComputeDeps, 'ownModels' | 'models'>) =>
  async ({ id }: DeleteModelRequest, call: HandlerContext): Promise<ModelDeletion> => {
    if (await ownModels.remove(id, call)) return { $typeName: 'millhand.compute.v1.ModelDeletion', id, deleted: true }
    if (models.get(id) === undefined) throw noModel(id)
    throw fail('invalid_state', `The model \`${id}\` belongs to the deployment: only its operator removes it.`)
  }
