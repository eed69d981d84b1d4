/**
 * What an ONNX file says of itself, read from its protobuf bytes without ONNX Runtime: inputs, outputs, and whether it
 * asks for what is never loaded here. Field numbers are those of onnx.proto3.
 */
import type { Dtype } from './dtype.ts'
import type { TensorSpec } from './manifest.ts'

export interface OnnxFile {
  readonly inputs: readonly TensorSpec[]
  readonly outputs: readonly TensorSpec[]
  /** Why it must not be loaded: weights in other files, or a graph compiled for an engine. */
  readonly refused: string | undefined
}

/** The bytes are no ONNX model. */
export class OnnxInvalid extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'OnnxInvalid'
  }
}

/** Throws `OnnxInvalid`. */
export function readOnnx(bytes: Uint8Array): OnnxFile {
  const found: Found = { refused: undefined }
  let graph: Field | undefined
  for (const field of message(bytes, 0, bytes.length)) {
    if (field.number === MODEL.graph && field.wire === LENGTH) graph = field
    if (field.number === MODEL.functions && field.wire === LENGTH) scanNodes(bytes, field, FUNCTION_NODE, found, 1)
  }
  if (!graph) throw new OnnxInvalid('it has no graph')
  const initializers = new Set<string>()
  const inputs: Field[] = []
  const outputs: Field[] = []
  for (const field of inside(bytes, graph)) {
    if (field.number === GRAPH.input) inputs.push(field)
    if (field.number === GRAPH.output) outputs.push(field)
    if (field.number === GRAPH.initializer) initializers.add(nameOf(bytes, field, TENSOR.name))
  }
  scanGraph(bytes, graph, found, 0)
  const specs = (values: Field[]) => values.map(value => readValue(bytes, value)).filter(spec => spec !== undefined)
  return {
    // Before IR version 4 weights are listed among the inputs too.
    inputs: specs(inputs).filter(({ name }) => !initializers.has(name)),
    outputs: specs(outputs),
    refused: found.refused,
  }
}

const MODEL = { graph: 7, functions: 25 }
const GRAPH = { node: 1, initializer: 5, input: 11, output: 12, sparseInitializer: 15 }
const FUNCTION_NODE = 7
const NODE = { opType: 4, attribute: 5 }
const ATTRIBUTE = { tensor: 5, graph: 6, tensors: 10, graphs: 11, sparseTensor: 22, sparseTensors: 23 }
const TENSOR = { name: 8, externalData: 13, dataLocation: 14 }
const SPARSE = { values: 1, indices: 2 }
const VALUE = { name: 1, type: 2 }

const VARINT = 0
const FIXED64 = 1
const LENGTH = 2
const FIXED32 = 5

/** Deeper than any real model; a bound on the recursion. */
const MAX_DEPTH = 32

/** By TensorProto.DataType. */
const DTYPE: Readonly<Record<number, Dtype>> = {
  1: 'float32',
  2: 'uint8',
  3: 'int8',
  4: 'uint16',
  5: 'int16',
  6: 'int32',
  7: 'int64',
  8: 'string',
  9: 'bool',
  10: 'float16',
  11: 'float64',
  12: 'uint32',
  13: 'uint64',
}

interface Found {
  refused: string | undefined
}

/** A field and where its value stands; a number in `value` for varints. */
interface Field {
  readonly number: number
  readonly wire: number
  readonly start: number
  readonly end: number
  readonly value: number
}

function scanGraph(bytes: Uint8Array, graph: Field, found: Found, depth: number): void {
  if (depth > MAX_DEPTH) throw new OnnxInvalid('its graphs are nested too deeply')
  scanNodes(bytes, graph, GRAPH.node, found, depth)
  for (const field of inside(bytes, graph)) {
    if (field.number === GRAPH.initializer) scanTensor(bytes, field, found)
    if (field.number === GRAPH.sparseInitializer) scanSparse(bytes, field, found)
  }
}

function scanNodes(bytes: Uint8Array, holder: Field, nodeNumber: number, found: Found, depth: number): void {
  for (const node of inside(bytes, holder)) {
    if (node.number !== nodeNumber) continue
    for (const field of inside(bytes, node)) {
      if (field.number === NODE.opType && text(bytes, field) === 'EPContext') {
        found.refused = 'it holds a graph compiled for an engine (EPContext), which is not loaded'
      }
      if (field.number === NODE.attribute) scanAttribute(bytes, field, found, depth)
    }
  }
}

function scanAttribute(bytes: Uint8Array, attribute: Field, found: Found, depth: number): void {
  for (const field of inside(bytes, attribute)) {
    if (field.wire !== LENGTH) continue
    if (field.number === ATTRIBUTE.tensor || field.number === ATTRIBUTE.tensors) scanTensor(bytes, field, found)
    if (field.number === ATTRIBUTE.graph || field.number === ATTRIBUTE.graphs) scanGraph(bytes, field, found, depth + 1)
    if (field.number === ATTRIBUTE.sparseTensor || field.number === ATTRIBUTE.sparseTensors) {
      scanSparse(bytes, field, found)
    }
  }
}

function scanSparse(bytes: Uint8Array, sparse: Field, found: Found): void {
  for (const field of inside(bytes, sparse)) {
    if (field.number === SPARSE.values || field.number === SPARSE.indices) scanTensor(bytes, field, found)
  }
}

function scanTensor(bytes: Uint8Array, tensor: Field, found: Found): void {
  for (const field of inside(bytes, tensor)) {
    const external = field.number === TENSOR.externalData || (field.number === TENSOR.dataLocation && field.value !== 0)
    if (external) found.refused = 'its weights are in other files (external data), which are not loaded'
  }
}

/** A ValueInfoProto; undefined when it is no tensor of a type that is carried. */
function readValue(bytes: Uint8Array, value: Field): TensorSpec | undefined {
  const type = child(bytes, value, VALUE.type)
  const tensor = type && child(bytes, type, 1)
  if (!tensor) return undefined
  const dtype = DTYPE[child(bytes, tensor, 1)?.value ?? 0]
  const shape = child(bytes, tensor, 2)
  if (!dtype) return undefined
  const dimensions = shape ? [...inside(bytes, shape)].filter(({ number }) => number === 1) : []
  const lengths = dimensions.map(dimension => lengthOf(child(bytes, dimension, 1)?.value ?? -1))
  return { name: nameOf(bytes, value, VALUE.name), dtype, shape: lengths }
}

/** Negative where any length goes, as exporters write it too: an int64, so one of the upper half of what was read. */
function lengthOf(value: number): number {
  if (value < 0 || value > 2 ** 63) return -1
  if (!Number.isSafeInteger(value)) throw new OnnxInvalid('a length of its shapes is 2^53 or more')
  return value
}

function child(bytes: Uint8Array, parent: Field, number: number): Field | undefined {
  for (const field of inside(bytes, parent)) if (field.number === number) return field
  return undefined
}

function nameOf(bytes: Uint8Array, parent: Field, number: number): string {
  const field = child(bytes, parent, number)
  return field ? text(bytes, field) : ''
}

const text = (bytes: Uint8Array, { start, end }: Field) =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8')

const inside = (bytes: Uint8Array, field: Field) => {
  if (field.wire !== LENGTH) throw new OnnxInvalid('its structure is broken')
  return message(bytes, field.start, field.end)
}

function* message(bytes: Uint8Array, start: number, end: number): Generator<Field> {
  let at = start
  const varint = (): number => {
    let value = 0
    for (let scale = 1, count = 0; count < 10; scale *= 128, count++) {
      if (at >= end) break
      const byte = bytes[at++] as number
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
    throw new OnnxInvalid('it is cut off or broken')
  }
  while (at < end) {
    const tag = varint()
    const wire = tag % 8
    let value = 0
    if (wire === VARINT) value = varint()
    else if (wire !== LENGTH && wire !== FIXED64 && wire !== FIXED32) throw new OnnxInvalid('its structure is broken')
    const length = wire === LENGTH ? varint() : wire === FIXED64 ? 8 : wire === FIXED32 ? 4 : 0
    const from = at
    at += length
    if (at > end) throw new OnnxInvalid('it is cut off')
    yield { number: Math.floor(tag / 8), wire, start: from, end: at, value }
  }
}
