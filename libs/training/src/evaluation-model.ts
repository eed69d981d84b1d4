/** The model for evaluation between steps: its weights are inputs, so that one session serves a whole run. */
import { create, toBinary } from '@bufbuild/protobuf'
import { GraphProtoSchema, ModelProtoSchema, ValueInfoProtoSchema } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import { inputOf } from './graph-input.ts'
import { openGraphWriter } from './graph-writer.ts'
import { contributing, readModelToTrain } from './model-graph.ts'
import { withGraph } from './trace.ts'
import type { TrainingGraph } from './training-graph.ts'
import { unpack } from './vector-layout.ts'

/**
 * Takes the model's inputs and the vectors of weights and statistics, under the names that a training graph has for them,
 * and gives its prediction. Dropout and normalization work as in inference.
 */
export function evaluationModel(
  bytes: Uint8Array,
  { inputs, prediction, weights, statistics }: Pick<TrainingGraph, 'inputs' | 'prediction' | 'weights' | 'statistics'>,
): Uint8Array {
  const { model, opset } = readModelToTrain(bytes)
  const { node = [], initializer = [], input = [] } = model.graph ?? {}
  const writer = openGraphWriter(opset)
  const vectors = [weights, statistics].filter(({ length }) => length > 0)
  for (const vector of vectors) unpack(writer, vector.input, vector)
  const split = new Set(vectors.flatMap(({ tensors }) => tensors.map(({ name }) => name)))
  const nodes = contributing(node, prediction.name)
  const used = new Set(nodes.flatMap(each => each.input))
  const graph = create(GraphProtoSchema, {
    name: 'evaluation',
    node: [...writer.graph.node, ...nodes],
    initializer: [...writer.graph.initializer, ...initializer.filter(({ name }) => used.has(name) && !split.has(name))],
    input: [
      ...input.filter(({ name }) => inputs.includes(name)),
      ...vectors.map(vector => inputOf(vector.input, 'float32', [vector.length])),
    ],
    output: [create(ValueInfoProtoSchema, { name: prediction.name })],
  })
  return toBinary(ModelProtoSchema, withGraph(model, graph))
}
