/**
 * What an ONNX file says of itself, read from its protobuf bytes without ONNX Runtime: inputs, outputs, and whether it
 * asks for what is never loaded here.
 */
import type { Dtype } from './dtype.ts'
import type { TensorSpec } from './manifest.ts'
import {
  DIMENSION,
  ELEMENT,
  GRAPH,
  type MessageName,
  MODEL,
  NODE,
  SHAPE,
  submessage,
  TENSOR,
  TENSOR_TYPE,
  TYPE,
  VALUE,
} from './onnx-schema.ts'
import { type Field, fieldsOf, LENGTH, ProtobufInvalid, textOf, VARINT } from './protobuf.ts'
import { isLength } from './tensor-limits.ts'

export interface OnnxFile {
  readonly inputs: readonly TensorSpec[]
  readonly outputs: readonly TensorSpec[]
  /** Inputs and outputs that are no tensors, or of elements that ONNX Runtime's binding does not carry: they are in neither list. */
  readonly notCarried: readonly NotCarried[]
  /** Why it must not be loaded: weights in other files, or an operator that runs what is not in the file. */
  readonly refused: string | undefined
}

export interface NotCarried {
  readonly name: string
  readonly role: 'input' | 'output'
  /** In words: `a sequence`, `a tensor of bfloat16`. */
  readonly type: string
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
  // ONNX Runtime reads these as its own format, whatever else the bytes are: onnxruntime/core/flatbuffers/schema.
  if (textOf(bytes, { start: 4, end: 8 }) === 'ORTM')
    throw new OnnxInvalid('it is in the ORT format, which is not loaded')
  try {
    const refused = findRefused(bytes)
    return { ...readGraph(bytes), refused }
  } catch (error) {
    if (error instanceof ProtobufInvalid) throw new OnnxInvalid(error.message)
    throw error
  }
}

/** As deep as protobuf's own readers go: https://protobuf.dev/reference/cpp/api-docs/google.protobuf.io.coded_stream */
const MAX_DEPTH = 100

const EXTERNAL = 'its weights are in other files (external data), which are not loaded'

/** Operators of ONNX Runtime that open a file or run code which the model names. */
const REFUSED_OPERATORS: ReadonlySet<string> = new Set(['EPContext', 'Snpe', 'ATen', 'PyOp', 'PythonOp'])

/**
 * Visits every message of the file, wherever it is nested, and says why the file must not be loaded. A message that
 * may be there once and is written twice is refused: a reader that merges the two sees another model than one that
 * takes the last.
 */
function findRefused(bytes: Uint8Array): string | undefined {
  let refused: string | undefined
  visit('model', 0, bytes.length, 0)
  return refused

  function visit(name: MessageName, start: number, end: number, depth: number) {
    if (depth > MAX_DEPTH) throw new OnnxInvalid('it is nested too deeply')
    const singles = new Set<number>()
    for (const field of fieldsOf(bytes, start, end)) {
      refused ??= refusedBy(name, field)
      const child = submessage(name, field.number)
      if (child === undefined) continue
      if (field.wire !== LENGTH) throw new OnnxInvalid('its structure is broken')
      if (child.single && singles.has(field.number)) throw new OnnxInvalid(`one of its ${child.of}s is written twice`)
      if (child.single) singles.add(field.number)
      visit(child.of, field.start, field.end, depth + 1)
    }
  }

  function refusedBy(name: MessageName, field: Field): string | undefined {
    // Whatever they say: who writes weights into the file has no reason to write either.
    if (name === 'tensor' && field.number === TENSOR.externalData) return EXTERNAL
    if (name === 'tensor' && field.number === TENSOR.dataLocation && (field.wire !== VARINT || field.value !== 0)) {
      return EXTERNAL
    }
    const operator = name === 'node' && field.number === NODE.operator ? textOf(bytes, field) : ''
    if (!REFUSED_OPERATORS.has(operator)) return undefined
    return `it has the operator ${operator}, which runs what is not in the file and is not loaded`
  }
}

function readGraph(bytes: Uint8Array): Omit<OnnxFile, 'refused'> {
  const graph = [...fieldsOf(bytes, 0, bytes.length)].find(({ number }) => number === MODEL.graph)
  if (!graph) throw new OnnxInvalid('it has no graph')
  const initializers = new Set<string>()
  const inputs: TensorSpec[] = []
  const outputs: TensorSpec[] = []
  const notCarried: NotCarried[] = []
  for (const field of inside(bytes, graph)) {
    if (field.number === GRAPH.initializer) initializers.add(nameOf(bytes, field, TENSOR.name))
    if (field.number !== GRAPH.input && field.number !== GRAPH.output) continue
    const role = field.number === GRAPH.input ? 'input' : 'output'
    const value = readValue(bytes, field)
    if ('type' in value) notCarried.push({ ...value, role })
    else (role === 'input' ? inputs : outputs).push(value)
  }
  // Before IR version 4 weights are listed among the inputs too.
  const isInput = ({ name }: { readonly name: string }) => !initializers.has(name)
  return {
    inputs: inputs.filter(isInput),
    outputs,
    notCarried: notCarried.filter(value => value.role === 'output' || isInput(value)),
  }
}

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

/** A ValueInfoProto: a tensor of a type that is carried, or in words what else it is. */
function readValue(bytes: Uint8Array, value: Field): TensorSpec | Omit<NotCarried, 'role'> {
  const name = nameOf(bytes, value, VALUE.name)
  const kind = kindOf(bytes, last(bytes, value, VALUE.type))
  // ONNX Runtime takes a tensor for an optional of one, and gives one back where there is one.
  const element = kind?.number === TYPE.optional ? kindOf(bytes, last(bytes, kind, ELEMENT.type)) : undefined
  const tensor = element?.number === TYPE.tensor ? element : kind
  if (tensor?.number !== TYPE.tensor) return { name, type: KINDS[tensor?.number ?? 0] ?? 'a value without a type' }
  const elementType = last(bytes, tensor, TENSOR_TYPE.elementType)?.value ?? 0
  const dtype = DTYPE[elementType]
  if (!dtype) return { name, type: `a tensor of ${OTHER_DTYPES[elementType] ?? `element type ${elementType}`}` }
  const shape = last(bytes, tensor, TENSOR_TYPE.shape)
  const dimensions = shape ? [...inside(bytes, shape)].filter(({ number }) => number === SHAPE.dimension) : []
  return { name, dtype, shape: dimensions.map(length => lengthOf(bytes, length)) }
}

const kindOf = (bytes: Uint8Array, type: Field | undefined): Field | undefined =>
  type && last(bytes, type, ...TYPE.kinds)

/** By the fields of TypeProto. */
const KINDS: Readonly<Record<number, string>> = {
  4: 'a sequence',
  5: 'a map',
  7: 'an opaque value',
  8: 'a sparse tensor',
  9: 'an optional of something else than a tensor',
}

/** By TensorProto.DataType: those that are in no array of JavaScript. */
const OTHER_DTYPES: Readonly<Record<number, string>> = {
  0: 'no element type',
  14: 'complex64',
  15: 'complex128',
  16: 'bfloat16',
  17: 'float8e4m3fn',
  18: 'float8e4m3fnuz',
  19: 'float8e5m2',
  20: 'float8e5m2fnuz',
  21: 'uint4',
  22: 'int4',
  23: 'float4e2m1',
  24: 'float8e8m0',
  25: 'uint2',
  26: 'int2',
  27: 'float6e2m3',
  28: 'float6e3m2',
}

/** -1 where any length goes: it has a name or nothing, or is negative, as exporters write it too (an int64). */
function lengthOf(bytes: Uint8Array, dimension: Field): number {
  const field = last(bytes, dimension, DIMENSION.length, DIMENSION.parameter)
  if (field?.number !== DIMENSION.length || field.value > 2 ** 63) return -1
  if (!isLength(field.value)) throw new OnnxInvalid('a length of its shapes is 2^31 or more')
  return field.value
}

/** The last of the fields with one of these numbers, which is the one that counts. */
function last(bytes: Uint8Array, parent: Field, ...numbers: readonly number[]): Field | undefined {
  let found: Field | undefined
  for (const field of inside(bytes, parent)) if (numbers.includes(field.number)) found = field
  return found
}

function nameOf(bytes: Uint8Array, parent: Field, number: number): string {
  const field = last(bytes, parent, number)
  return field ? textOf(bytes, field) : ''
}

const inside = (bytes: Uint8Array, field: Field) => {
  if (field.wire !== LENGTH) throw new OnnxInvalid('its structure is broken')
  return fieldsOf(bytes, field.start, field.end)
}
