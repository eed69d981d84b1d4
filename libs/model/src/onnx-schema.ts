/**
 * The messages of an ONNX file that a model's tensors, operators and shapes can be in, by the field numbers of
 * onnx.proto3 (ONNX 1.23): https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3
 */

export type MessageName =
  | 'model'
  | 'training'
  | 'function'
  | 'graph'
  | 'node'
  | 'attribute'
  | 'tensor'
  | 'sparseTensor'
  | 'value'
  | 'type'
  | 'tensorType'
  | 'shape'
  | 'dimension'
  | 'element'
  | 'mapType'

export interface Submessage {
  readonly of: MessageName
  /** Not `repeated` in the schema: protobuf merges those that are written several times. */
  readonly single: boolean
}

/** The submessage in a field of a message; undefined where the field is none. */
export const submessage = (of: MessageName, number: number): Submessage | undefined => fields[of].get(number)

const one = (number: number, of: MessageName): [number, Submessage] => [number, { of, single: true }]
const many = (number: number, of: MessageName): [number, Submessage] => [number, { of, single: false }]

const fields: Readonly<Record<MessageName, ReadonlyMap<number, Submessage>>> = {
  model: new Map([one(7, 'graph'), many(20, 'training'), many(25, 'function')]),
  training: new Map([one(1, 'graph'), one(2, 'graph')]),
  function: new Map([many(7, 'node'), many(11, 'attribute'), many(12, 'value')]),
  graph: new Map([
    many(1, 'node'),
    many(5, 'tensor'),
    many(11, 'value'),
    many(12, 'value'),
    many(13, 'value'),
    many(15, 'sparseTensor'),
  ]),
  node: new Map([many(5, 'attribute')]),
  attribute: new Map([
    one(5, 'tensor'),
    one(6, 'graph'),
    many(10, 'tensor'),
    many(11, 'graph'),
    one(14, 'type'),
    many(15, 'type'),
    one(22, 'sparseTensor'),
    many(23, 'sparseTensor'),
  ]),
  tensor: new Map(),
  sparseTensor: new Map([one(1, 'tensor'), one(2, 'tensor')]),
  value: new Map([one(2, 'type')]),
  type: new Map([one(1, 'tensorType'), one(4, 'element'), one(5, 'mapType'), one(8, 'tensorType'), one(9, 'element')]),
  tensorType: new Map([one(2, 'shape')]),
  shape: new Map([many(1, 'dimension')]),
  dimension: new Map(),
  /** Of a sequence, or of what may be absent. */
  element: new Map([one(1, 'type')]),
  mapType: new Map([one(2, 'type')]),
}

/** Numbers of fields that are read. */
export const MODEL = { graph: 7, opsetImport: 8, function: 25 }
export const GRAPH = { initializer: 5, input: 11, output: 12 }
export const NODE = { operator: 4, domain: 7 }
export const FUNCTION = { name: 1, domain: 10 }
export const OPSET = { domain: 1, version: 2 }
export const TENSOR = { name: 8, externalData: 13, dataLocation: 14 }
export const VALUE = { name: 1, type: 2 }
/** The kinds of a type, of which the last that is written counts (`oneof`). */
export const TYPE = { tensor: 1, optional: 9, kinds: [1, 4, 5, 7, 8, 9] }
/** Of an optional: its type, where there is something. */
export const ELEMENT = { type: 1 }
export const TENSOR_TYPE = { elementType: 1, shape: 2 }
export const SHAPE = { dimension: 1 }
export const DIMENSION = { length: 1, parameter: 2 }
