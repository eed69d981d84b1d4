/** A model whose weights stay as they are, as far as its features, and what a new head on them makes of it. */
import { create, fromBinary } from '@bufbuild/protobuf'
import {
  type GraphProto,
  GraphProtoSchema,
  type ModelProto,
  ModelProtoSchema,
  StringStringEntryProtoSchema,
} from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import { excerpt } from '@millhand/model'
import { openGraphWriter } from '../graph-writer.ts'
import { contributing, isProduct, requireOpset } from '../model-graph.ts'
import { TrainingRefused } from '../training-refused.ts'
import { writeModel } from '../write-model.ts'
import { type GraphParts, joined, outputNamed, partsOf, type WholeGraph } from './graph-parts.ts'
import { type Layers, openLayers } from './layers.ts'
import { FEATURES } from './new-head.ts'

export interface FrozenBase {
  /** A row for each input. */
  readonly features: string
  /** An ONNX model that takes the inputs of the base, and whose one output are the features. */
  featureModel(): Uint8Array
  /** The base with a head that was trained on the features, in the place of all that came behind them. */
  withHead(head: Uint8Array): Uint8Array
  /** Its layers, to adapt the upper ones. Throws `TrainingRefused` where they can't be told apart, or not be trained. */
  layers(): Layers
}

export interface FrozenBaseOptions {
  /**
   * Whether the model is a sentence encoder: the features are the vector of the text. Else they are what goes into the
   * last product before its first output.
   */
  readonly isEncoder: boolean
  /** Kept in the metadata of the model with the head, beside what the base has there. */
  readonly metadata: ReadonlyMap<string, string>
}

/** Throws `TrainingRefused` where the model has no features. The operators may be any: nothing is differentiated. */
export function openFrozenBase(bytes: Uint8Array, { isEncoder, metadata }: FrozenBaseOptions): FrozenBase {
  const model = fromBinary(ModelProtoSchema, bytes)
  if (!model.graph) throw new TrainingRefused('the model has no graph')
  const { graph, features } = isEncoder ? pooled(model, model.graph) : cutAtProduct(model.graph)
  const write = (parts: WholeGraph, added?: ReadonlyMap<string, string>) => writeModel(modelOf(model, parts, added))
  return {
    features,
    featureModel: () => write({ ...graph, output: outputNamed(features) }),
    withHead: head => write(joined(graph, features, head), metadata),
    layers() {
      requireOpset(model)
      return openLayers({ graph, features, write, metadata })
    },
  }
}

/** Why the upper layers of a model can't be adapted: how the sentence goes on; undefined where they can. */
export function layersFault(bytes: Uint8Array, isEncoder: boolean): string | undefined {
  try {
    openFrozenBase(bytes, { isEncoder, metadata: new Map() }).layers()
    return undefined
  } catch (error) {
    if (error instanceof TrainingRefused) return error.message
    throw error
  }
}

interface Features {
  readonly graph: GraphParts
  readonly features: string
}

function cutAtProduct(graph: GraphProto): Features {
  const constants = graph.node.filter(({ opType }) => opType === 'Constant').flatMap(({ output }) => output)
  const weights = new Set([...graph.initializer.map(({ name }) => name), ...constants])
  const nodes = contributing(graph.node, graph.output[0]?.name ?? '')
  const product = nodes.findLast(({ opType, input }) => isProduct(opType) && weights.has(input[1] ?? ''))
  const features = product?.input[0]
  if (features === undefined || weights.has(features))
    throw new TrainingRefused('the model has no Gemm or MatMul with weights, whose place the head would take')
  return { graph: partsOf(graph, features), features }
}

/** The mean of the vectors of a text's tokens, at length 1: the length makes a mean of the sum. */
function pooled({ opsetImport }: ModelProto, graph: GraphProto): Features {
  for (const name of [MASK, HIDDEN]) {
    if (![...graph.input, ...graph.output].some(each => each.name === name))
      throw new TrainingRefused(`the model has no ${excerpt(name)}`)
  }
  const writer = openGraphWriter(Number(opsetImport.find(({ domain }) => domain === '')?.version ?? 0), 'frozen/')
  const shape = (...lengths: readonly bigint[]) =>
    writer.constant({ dtype: 'int64', shape: [lengths.length], data: BigInt64Array.from(lengths) })
  const mask = writer.add('Cast', [MASK], { to: 1n })
  const row = writer.add('Reshape', [mask, shape(0n, 1n, -1n)])
  const sum = writer.add('MatMul', [row, HIDDEN])
  const vector = writer.add('Reshape', [sum, shape(0n, -1n)])
  const features = writer.add('LpNormalization', [vector], { axis: -1n, p: 2n }, FEATURES)
  const parts = partsOf(graph, HIDDEN)
  return {
    graph: {
      ...parts,
      node: [...parts.node, ...writer.graph.node],
      initializer: [...parts.initializer, ...writer.graph.initializer],
    },
    features,
  }
}

const MASK = 'attention_mask'
const HIDDEN = 'last_hidden_state'

function modelOf(
  { irVersion, opsetImport, functions, metadataProps }: ModelProto,
  parts: WholeGraph,
  added: ReadonlyMap<string, string> = new Map(),
): ModelProto {
  const graph = create(GraphProtoSchema, { name: 'model', ...parts })
  const kept = metadataProps.filter(({ key }) => !added.has(key))
  const entries = [...added].map(([key, value]) => create(StringStringEntryProtoSchema, { key, value }))
  return create(ModelProtoSchema, {
    ...{ irVersion, opsetImport, functions, graph },
    metadataProps: [...kept, ...entries],
  })
}
