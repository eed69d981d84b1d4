/**
 * A sentence encoder in two parts. The lower layers stay as they are: what they make of a text is computed once. The upper
 * ones are a small model of their own while adapters change them. So neither a step nor its memory grows with the encoder.
 */
import { create, fromBinary } from '@bufbuild/protobuf'
import { ModelProtoSchema, type NodeProto, ValueInfoProtoSchema } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import { contributing, isProduct, usedNames } from '../model-graph.ts'
import { TrainingRefused } from '../training-refused.ts'
import { type GraphParts, joined, outputNamed, partsWith, type WholeGraph } from './graph-parts.ts'
import { requireTrainable } from './upper-layers.ts'

export interface Layers {
  /** What goes from the lower layers into the upper ones: a vector for each token of a text. */
  readonly states: string
  /** Inputs of the encoder that the upper layers take beside it, such as the mask. */
  readonly others: readonly string[]
  /** An ONNX model from the inputs of the encoder to the states. */
  lower(): Uint8Array
  /** An ONNX model from the states and the other inputs to the features. */
  upper(): Uint8Array
  withHead(head: Uint8Array): UpperLayers
}

interface UpperLayers {
  /** The upper layers with a head: an ONNX model from the states and the other inputs to scores. */
  readonly bytes: Uint8Array
  /** The weights of the head. */
  readonly headWeights: readonly string[]
  /** The encoder with the head, and with the weights of this model: one that was trained. */
  whole(trained: Uint8Array): Uint8Array
}

interface LayersOptions {
  readonly graph: GraphParts
  readonly features: string
  readonly metadata: ReadonlyMap<string, string>
  write(parts: WholeGraph, metadata?: ReadonlyMap<string, string>): Uint8Array
}

/** Layers of attention above the cut; fewer where the encoder has fewer. */
const UPPER_LAYERS = 2

/** What a search for the cut may visit: inputs of nodes, as often as it meets them. About a second. */
const MOST_VISITS = 2_000_000

/** Throws `TrainingRefused` where no value parts the layers, or training does not go through the upper ones. */
export function openLayers({ graph, features, metadata, write }: LayersOptions): Layers {
  const states = findCut(graph, features)
  const above = (whole: GraphParts, output: string) => {
    const parts = partsWith(whole, contributing(without(whole.node, states), output))
    const used = new Set(parts.node.flatMap(usedNames))
    return { ...parts, input: [floatsNamed(states), ...parts.input.filter(({ name }) => used.has(name))] }
  }
  const upper = above(graph, features)
  requireTrainable(upper)
  return {
    states,
    others: upper.input.slice(1).map(({ name }) => name),
    lower: () => write({ ...partsWith(graph, contributing(graph.node, states)), output: outputNamed(states) }),
    upper: () => write({ ...upper, output: outputNamed(features) }),
    withHead(head) {
      const whole = joined(graph, features, head)
      return {
        bytes: write({ ...above(whole, whole.output[0]?.name ?? ''), output: whole.output }),
        headWeights: whole.initializer.slice(graph.initializer.length).map(({ name }) => name),
        whole(trained) {
          const { initializer = [] } = fromBinary(ModelProtoSchema, trained).graph ?? {}
          const found = new Map(initializer.map(each => [each.name, each]))
          return write({ ...whole, initializer: whole.initializer.map(each => found.get(each.name) ?? each) }, metadata)
        },
      }
    },
  }
}

/**
 * The last value that goes into a product, through which all goes that the lower layers make, and above which there are
 * layers enough. In an encoder that is the input of a layer: within one, the residual connection goes past any value.
 * Each try visits the whole graph, and a hostile one has as many candidates as nodes: so the tries are bounded.
 */
function findCut(graph: GraphParts, features: string): string {
  const matrices = new Set(graph.initializer.filter(({ dims }) => dims.length > 1).map(({ name }) => name))
  const isWeighted = (node: NodeProto) => usedNames(node).some(name => matrices.has(name))
  const nodes = contributing(graph.node, features)
  const wanted = Math.min(UPPER_LAYERS, attentions(nodes))
  if (wanted === 0) throw new TrainingRefused('it has no layers of attention (Softmax)')
  const candidates = nodes.flatMap(({ opType, input: [x = '', weights = ''] }) =>
    isProduct(opType) && matrices.has(weights) && !matrices.has(x) ? [x] : [],
  )
  const tries = [...new Set(candidates.toReversed())]
  if (tries.length === 0)
    throw new TrainingRefused('its layers have no product (Gemm, MatMul) with weights, as those of a quantized model')
  const most = Math.floor(MOST_VISITS / nodes.reduce((sum, node) => sum + usedNames(node).length, 1))
  for (const states of tries.slice(0, most)) {
    const upper = contributing(without(nodes, states), features)
    if (attentions(upper) < wanted) continue
    const lower = new Set(contributing(nodes, states))
    if (!upper.some(node => lower.has(node) && isWeighted(node))) return states
  }
  if (tries.length > most)
    throw new TrainingRefused(
      `its graph is too large to find its layers in: ${nodes.length} nodes lead to its features`,
    )
  throw new TrainingRefused('no value parts its layers of attention; `train` head needs none')
}

const attentions = (nodes: readonly NodeProto[]): number => nodes.filter(({ opType }) => opType === 'Softmax').length

const without = (nodes: readonly NodeProto[], value: string): readonly NodeProto[] =>
  nodes.filter(({ output }) => !output.includes(value))

/** Of any shape. */
const floatsNamed = (name: string) =>
  create(ValueInfoProtoSchema, { name, type: { value: { case: 'tensorType', value: { elemType: 1 } } } })
