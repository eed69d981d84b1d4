/**
 * The bytes of a model with one copy of its weights. `toBinary` makes one for each level of messages, at once: of a model
 * of 90 MB some 350 MB.
 */
import { toBinary } from '@bufbuild/protobuf'
import {
  GraphProtoSchema,
  type ModelProto,
  ModelProtoSchema,
  type TensorProto,
  TensorProtoSchema,
} from '@millhand/api/gen/onnx/onnx-ml_pb.ts'

/** The numbers of fields in onnx.proto, each of a kind that has its length before it. */
const GRAPH = 7
const INITIALIZER = 5
const RAW_DATA = 9

export function writeModel({ graph, ...others }: ModelProto): Uint8Array {
  const head = toBinary(ModelProtoSchema, others)
  if (!graph) return head
  const rest = toBinary(GraphProtoSchema, { ...graph, initializer: [] })
  const parts = [rest, ...graph.initializer.flatMap(tensorParts)]
  return joined([head, ...field(GRAPH, parts)])
}

/** Fields may be in any order: https://protobuf.dev/programming-guides/encoding/#order */
function tensorParts(tensor: TensorProto): readonly Uint8Array[] {
  const { rawData, ...others } = tensor
  if (rawData.length === 0) return field(INITIALIZER, [toBinary(TensorProtoSchema, tensor)])
  const head = toBinary(TensorProtoSchema, others as TensorProto)
  return field(INITIALIZER, [head, ...field(RAW_DATA, [rawData])])
}

function field(number: number, parts: readonly Uint8Array[]): readonly Uint8Array[] {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return [Uint8Array.of((number << 3) | LENGTH_DELIMITED, ...varint(length)), ...parts]
}

const LENGTH_DELIMITED = 2

function varint(value: number): readonly number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
