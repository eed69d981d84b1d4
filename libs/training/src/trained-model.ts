/** The model that training makes: the file it began with, with other weights and statistics. */
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { ModelProtoSchema } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import { elementCount, writeTensor } from './tensor-proto.ts'
import type { TrainingGraph } from './training-graph.ts'
import type { TrainingState } from './training-steps.ts'

/** `model` is what the training graph was built from. */
export function trainedModel(
  model: Uint8Array,
  { weights, statistics }: Pick<TrainingGraph, 'weights' | 'statistics'>,
  { vectors }: TrainingState,
): Uint8Array {
  const trained = new Map(
    [weights, statistics].flatMap(({ input, tensors }) =>
      tensors.map(({ name, shape, offset }) => {
        const data = vectors.get(input)?.slice(offset, offset + elementCount(shape))
        if (!data) throw new Error(`the state has no "${input}"`)
        return [name, writeTensor(name, { dtype: 'float32', shape, data })]
      }),
    ),
  )
  const whole = fromBinary(ModelProtoSchema, model)
  if (whole.graph) whole.graph.initializer = whole.graph.initializer.map(each => trained.get(each.name) ?? each)
  return toBinary(ModelProtoSchema, whole)
}
