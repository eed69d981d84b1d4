/** Which weights a run trains: all, those of the head, or adapters. */
import type { NodeProto } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import { contributing, isProduct, readModelToTrain, trainableWeights } from '../model-graph.ts'
import { TrainingRefused } from '../training-refused.ts'
import { addAdapters } from './adapters.ts'
import type { TrainingParameters } from './training-parameters.ts'

interface WeightsToTrain {
  /** The model that the training graph is built from. */
  readonly bytes: Uint8Array
  /** Undefined where all are trained. */
  readonly names: readonly string[] | undefined
  /** From that model with new weights to the one that is kept. */
  finish(trained: Uint8Array): Uint8Array
}

/** `others`: what is trained beside adapters. Throws `TrainingRefused` where the model has no such weights. */
export function weightsToTrain(
  bytes: Uint8Array,
  { train, rank, seed }: Pick<TrainingParameters, 'train' | 'rank' | 'seed'>,
  others: readonly string[] = [],
): WeightsToTrain {
  switch (train) {
    case 'all':
      return { bytes, names: undefined, finish: trained => trained }
    case 'head':
      return { bytes, names: headOf(bytes), finish: trained => trained }
    case 'lora':
      return addAdapters(bytes, { rank: rank ?? 8, seed, others })
  }
}

/** The weights of the last product before the output, and its bias. */
function headOf(bytes: Uint8Array): readonly string[] {
  const { model } = readModelToTrain(bytes)
  const weights = new Set(trainableWeights(model))
  const nodes = contributing(model.graph?.node ?? [], model.graph?.output[0]?.name ?? '')
  const at = nodes.findLastIndex(
    ({ opType, input }) => isProduct(opType) && input.slice(0, 2).some(name => weights.has(name)),
  )
  const product = nodes[at]
  if (!product) throw new TrainingRefused('the model has no Gemm or MatMul with weights, which would be its head')
  const bias = nodes.find(({ opType, input }) => opType === 'Add' && input.includes(product.output[0] as string))
  return [...new Set([product, bias].flatMap(node => weightsOf(node, weights)))]
}

const weightsOf = (node: NodeProto | undefined, weights: ReadonlySet<string>) =>
  node?.input.filter(name => weights.has(name)) ?? []
