/** ONNX models that tests build, with weights by seed. */
import { create, toBinary } from '@bufbuild/protobuf'
import { ModelProtoSchema, NodeProtoSchema } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import type { Tensor } from '@millhand/model'
import { writeAttribute } from './attributes.ts'
import { inputOf } from './graph-input.ts'
import { type Attributes, openGraphWriter } from './graph-writer.ts'
import { elementCount } from './tensor-proto.ts'

export interface Network {
  /** An input of float32 with random values in the batch, or of these int64. */
  input(name: string, shape: readonly number[], values?: readonly number[]): string
  /** Random weights between `least` and `most`. */
  weight(shape: readonly number[], least?: number, most?: number): string
  integers(values: readonly number[], shape?: readonly number[]): string
  constant(tensor: Tensor): string
  node(operator: string, inputs: readonly string[], attributes?: Attributes): string
  nodes(operator: string, inputs: readonly string[], count: number, attributes?: Attributes): string[]
  /** The model, whose output is a value. */
  bytes(output: string): Uint8Array
  readonly batch: ReadonlyMap<string, Tensor>
}

export function openNetwork({ seed = 1, opset = 20 } = {}): Network {
  const writer = openGraphWriter(opset)
  const random = randomNumbers(seed)
  const batch = new Map<string, Tensor>()
  let count = 0
  const numbers = (shape: readonly number[], least: number, most: number): Tensor => {
    const data = Float32Array.from({ length: elementCount(shape) }, () => least + (most - least) * random())
    return { dtype: 'float32', shape, data }
  }
  const constant = (tensor: Tensor, name = `c${count++}`): string => {
    writer.initializer(name, tensor)
    return name
  }
  const network: Network = {
    batch,
    input(name, shape, values) {
      const tensor: Tensor = values
        ? { dtype: 'int64', shape, data: BigInt64Array.from(values, BigInt) }
        : numbers(shape, -1, 1)
      batch.set(name, tensor)
      writer.graph.input.push(inputOf(name, tensor.dtype, shape))
      return name
    },
    weight: (shape, least = -1, most = 1) => constant(numbers(shape, least, most), `w${count++}`),
    integers: (values, shape = [values.length]) =>
      constant({ dtype: 'int64', shape, data: BigInt64Array.from(values, BigInt) }),
    constant: tensor => constant(tensor),
    node: (operator, inputs, attributes) => network.nodes(operator, inputs, 1, attributes)[0] as string,
    nodes(opType, input, outputs, attributes = {}) {
      const name = `n${count++}`
      const output = Array.from({ length: outputs }, (_, at) => (at === 0 ? name : `${name}.${at}`))
      const attribute = Object.entries(attributes).map(([key, value]) => writeAttribute(key, value))
      writer.copy(create(NodeProtoSchema, { name, opType, input: [...input], output, attribute }))
      return output
    },
    bytes(output) {
      writer.output(output)
      const { graph } = writer
      const opsetImport = [{ domain: '', version: BigInt(opset) }]
      return toBinary(ModelProtoSchema, create(ModelProtoSchema, { irVersion: 9n, opsetImport, graph }))
    },
  }
  return network
}

/** Numbers from 0 to 1 by a seed: mulberry32. */
export function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
