import type { HandlerContext } from '@connectrpc/connect'
import type { CreateModelRequest, Model } from '@millhand/api/gen/millhand/compute/v1/model_pb.ts'
import type { ComputeDeps } from '../compute-deps.ts'
import { ownModelMessage } from '../model-message.ts'

/** Registers an uploaded file as a model. It is durable before this answers. */
export const createModel =
  ({ ownModels, gpuTypes }: Pick<ComputeDeps, 'ownModels' | 'gpuTypes'>) =>
  async (req: CreateModelRequest, call: HandlerContext): Promise<Model> => {
    const { file, maxBatch, exampleInput, $typeName: _, $unknown: __, ...fields } = req
    const model = await ownModels.create({ ...fields, max_batch: maxBatch, example_input: exampleInput }, file, call)
    return ownModelMessage(model, await gpuTypes.enginesFor(call))
  }
