/** Writes nodes and constants into a graph, under names that no other value of it has. */
import { clone, create } from '@bufbuild/protobuf'
import {
  type GraphProto,
  GraphProtoSchema,
  type NodeProto,
  NodeProtoSchema,
  ValueInfoProtoSchema,
} from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import type { Tensor } from '@millhand/model'
import { type AttributeValue, writeAttribute } from './attributes.ts'
import { writeTensor } from './tensor-proto.ts'

export type Attributes = Readonly<Record<string, AttributeValue>>

export interface GraphWriter {
  /** The version of the standard operators: some have other forms in other versions. */
  readonly opset: number
  /** Copies a node of the model. */
  copy(node: NodeProto): void
  /** Adds a node with one output and returns its name, which is `name` where one is given. */
  add(operator: string, inputs: readonly string[], attributes?: Attributes, name?: string): string
  /** Adds a node with so many outputs. */
  addMany(operator: string, inputs: readonly string[], count: number, attributes?: Attributes): string[]
  /** A constant. Equal ones of a few elements are written once. */
  constant(tensor: Tensor): string
  /** A tensor under its own name. */
  initializer(name: string, tensor: Tensor): void
  output(name: string): void
  readonly graph: GraphProto
}

/** What is written has this before its name: no exporter uses it. */
export const PREFIX = 'training/'

/** `prefix`: of the names that the writer makes. */
export function openGraphWriter(opset: number, prefix = PREFIX): GraphWriter {
  const graph = create(GraphProtoSchema, { name: 'training' })
  const constants = new Map<string, string>()
  let count = 0
  const fresh = (what: string) => `${prefix}${what}.${count++}`
  const addNode = (opType: string, input: readonly string[], output: readonly string[], attributes: Attributes) => {
    const attribute = Object.entries(attributes).map(([name, value]) => writeAttribute(name, value))
    graph.node.push(create(NodeProtoSchema, { opType, input: [...input], output: [...output], attribute }))
  }
  const writer: GraphWriter = {
    opset,
    graph,
    copy: node => void graph.node.push(node),
    add(operator, inputs, attributes = {}, name = fresh(operator)) {
      addNode(operator, inputs, [name], attributes)
      return name
    },
    addMany(operator, inputs, outputs, attributes = {}) {
      const names = Array.from({ length: outputs }, () => fresh(operator))
      addNode(operator, inputs, names, attributes)
      return names
    },
    constant(tensor) {
      const key = tensor.data.length > 16 ? undefined : `${tensor.dtype} [${tensor.shape}] ${tensor.data}`
      const written = key === undefined ? undefined : constants.get(key)
      if (written !== undefined) return written
      const name = fresh('constant')
      if (key !== undefined) constants.set(key, name)
      writer.initializer(name, tensor)
      return name
    },
    initializer: (name, tensor) => void graph.initializer.push(writeTensor(name, tensor)),
    // Without a type: ONNX Runtime infers it.
    output: name => void graph.output.push(create(ValueInfoProtoSchema, { name })),
  }
  return writer
}

/** The same node with other names of its outputs. */
export function withOutputs(node: NodeProto, output: readonly string[]): NodeProto {
  const copy = clone(NodeProtoSchema, node)
  copy.output = [...output]
  return copy
}
