/** Attributes of nodes. */
import { create } from '@bufbuild/protobuf'
import {
  type AttributeProto,
  AttributeProtoSchema,
  type NodeProto,
  AttributeProto_AttributeType as Type,
} from '@millhand/api/gen/onnx/onnx-ml_pb.ts'

/** Integers are written as `bigint`, so that a float that is whole stays a float. */
export type AttributeValue = number | bigint | string | readonly bigint[]

const attributeOf = (node: NodeProto, name: string): AttributeProto | undefined =>
  node.attribute.find(each => each.name === name)

export const floatOf = (node: NodeProto, name: string, missing: number): number => attributeOf(node, name)?.f ?? missing

export const integerOf = (node: NodeProto, name: string, missing: number): number =>
  Number(attributeOf(node, name)?.i ?? missing)

export const textOf = (node: NodeProto, name: string, missing: string): string => {
  const attribute = attributeOf(node, name)
  return attribute ? Buffer.from(attribute.s).toString() : missing
}

/** undefined where the node has no such attribute. */
export const integersOf = (node: NodeProto, name: string): number[] | undefined =>
  attributeOf(node, name)?.ints.map(Number)

export function writeAttribute(name: string, value: AttributeValue): AttributeProto {
  if (typeof value === 'number') return create(AttributeProtoSchema, { name, type: Type.FLOAT, f: value })
  if (typeof value === 'bigint') return create(AttributeProtoSchema, { name, type: Type.INT, i: value })
  if (typeof value === 'string') {
    return create(AttributeProtoSchema, { name, type: Type.STRING, s: new Uint8Array(Buffer.from(value)) })
  }
  return create(AttributeProtoSchema, { name, type: Type.INTS, ints: [...value] })
}
