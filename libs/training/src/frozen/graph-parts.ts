/** Parts of the graph of a base, and the graph that a head makes of them. */
import { create, fromBinary } from '@bufbuild/protobuf'
import {
  type GraphProto,
  ModelProtoSchema,
  type NodeProto,
  ValueInfoProtoSchema,
} from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import { contributing, graphsIn, usedNames } from '../model-graph.ts'
import { FEATURES } from './new-head.ts'

export type GraphParts = Pick<GraphProto, 'node' | 'initializer' | 'sparseInitializer' | 'input'>

export type WholeGraph = GraphParts & Pick<GraphProto, 'output'>

/** The parts that a value is made of. */
export const partsOf = (graph: GraphParts, value: string): GraphParts =>
  partsWith(graph, contributing(graph.node, value))

/** These nodes, with the constants that they take. */
export function partsWith({ initializer, sparseInitializer, input }: GraphParts, nodes: NodeProto[]): GraphParts {
  const used = new Set(nodes.flatMap(usedNames))
  return {
    node: nodes,
    initializer: initializer.filter(({ name }) => used.has(name)),
    sparseInitializer: sparseInitializer.filter(({ values }) => used.has(values?.name ?? '')),
    input,
  }
}

/** Without a type, which ONNX Runtime infers. */
export const outputNamed = (name: string): WholeGraph['output'] => [create(ValueInfoProtoSchema, { name })]

/** The parts that features are made of, and a head on them. */
export function joined(graph: GraphParts, features: string, head: Uint8Array): WholeGraph {
  const added = fromBinary(ModelProtoSchema, head).graph as GraphProto
  const nameOf = namesBeside(graph, features)
  const renamed = <T extends { readonly name: string }>(each: T): T => ({ ...each, name: nameOf(each.name) })
  const nodes = added.node.map(node => ({ ...node, input: node.input.map(nameOf), output: node.output.map(nameOf) }))
  return {
    ...graph,
    node: [...graph.node, ...nodes],
    initializer: [...graph.initializer, ...added.initializer.map(renamed)],
    output: added.output.map(renamed),
  }
}

/** The names of a head in the graph of its base: its features are those of the base, and no other name is there already. */
function namesBeside({ node, initializer, sparseInitializer, input }: GraphParts, features: string) {
  const sparse = sparseInitializer.map(({ values }) => values?.name)
  const taken = new Set([...[...initializer, ...input].map(({ name }) => name), ...sparse, ...node.flatMap(madeNames)])
  return (name: string): string => {
    if (name === FEATURES) return features
    let free = name
    while (taken.has(free)) free += '_'
    return free
  }
}

/** What a node makes, also within graphs inside it. */
const madeNames = ({ output, attribute }: NodeProto): readonly string[] => [
  ...output,
  ...graphsIn(attribute).flatMap(({ node, initializer }) => [
    ...node.flatMap(madeNames),
    ...initializer.map(({ name }) => name),
  ]),
]
