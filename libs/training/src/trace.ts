/** A model run once on one batch: the shape of every value, and the values that no batch changes. */
import { create, toBinary } from '@bufbuild/protobuf'
import {
  type GraphProto,
  GraphProtoSchema,
  type ModelProto,
  ModelProtoSchema,
  ValueInfoProtoSchema,
} from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import type { Tensor } from '@millhand/model'
import { readTensor } from './tensor-proto.ts'
import { TrainingRefused } from './training-refused.ts'

/** Runs a model and gives all its outputs. */
export type Evaluate = (model: Uint8Array, inputs: ReadonlyMap<string, Tensor>) => Promise<ReadonlyMap<string, Tensor>>

export interface Trace {
  /** Throws `TrainingRefused` where the model has no such tensor. One that is neither constant nor given has no elements. */
  tensorOf(name: string): Tensor
  /** The value of what depends on no input of the model and on nothing that is trained. Shapes count as constant. */
  constantOf(name: string | undefined): Tensor | undefined
  readonly initializers: ReadonlyMap<string, Tensor>
}

/** `changing`: initializers that are no constants, because they are trained. */
export async function traceModel(
  model: ModelProto,
  batch: ReadonlyMap<string, Tensor>,
  changing: ReadonlySet<string>,
  evaluate: Evaluate,
): Promise<Trace> {
  const graph = model.graph
  if (!graph) throw new TrainingRefused('the model has no graph')
  const initializers = new Map(graph.initializer.map(each => [each.name, readTensor(each)]))
  const constants = constantNames(
    graph,
    [...initializers.keys()].filter(name => !changing.has(name)),
  )
  const values = new Map([...initializers, ...batch])
  const names = new Set(graph.node.flatMap(({ output }) => output.filter(name => name !== '')))
  for (const part of partsOf([...names], Math.max(VALUES_OF_RUN, Math.ceil(names.size / MOST_RUNS)))) {
    // Without types, which ONNX Runtime infers.
    const output = part.map(name => create(ValueInfoProtoSchema, { name }))
    const { name, node, initializer, input, valueInfo } = graph
    const whole = withGraph(model, create(GraphProtoSchema, { name, node, initializer, input, valueInfo, output }))
    for (const [name, value] of await evaluate(toBinary(ModelProtoSchema, whole), batch))
      values.set(name, constants.has(name) ? value : { ...value, data: NOT_KEPT })
  }
  return {
    initializers,
    tensorOf(name) {
      const value = values.get(name)
      if (!value) throw new TrainingRefused(`"${name}" is no tensor of a type that is carried`)
      return value
    },
    constantOf: name => (name !== undefined && constants.has(name) ? values.get(name) : undefined),
  }
}

/** Of one run: all values of a large model at once would take more memory than a step does. */
const VALUES_OF_RUN = 12
/** Each run loads the model and computes all of it, so a model of many nodes has more values in each. */
const MOST_RUNS = 40
const NOT_KEPT = new Float32Array(0)

function constantNames({ node }: GraphProto, initializers: readonly string[]): ReadonlySet<string> {
  const constants = new Set(initializers)
  for (const { opType, input, output } of node) {
    const given = input.filter(each => each !== '')
    const isConstant = given.length === 0 ? opType === 'Constant' : given.every(each => constants.has(each))
    if (isConstant || opType === 'Shape') for (const each of output) constants.add(each)
  }
  return constants
}

const partsOf = (names: readonly string[], most: number): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(names.length / most) }, (_, at) => names.slice(at * most, (at + 1) * most))

/** The same model with another graph. */
export const withGraph = ({ irVersion, opsetImport, functions }: ModelProto, graph: GraphProto): ModelProto =>
  create(ModelProtoSchema, { irVersion, opsetImport, functions, graph })
