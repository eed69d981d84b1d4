/** Source that reads a field of the message `m`, and says whether it is set. */
import { type DescField, ScalarType } from '@bufbuild/protobuf'

export const accessOf = ({ oneof, localName }: DescField): string =>
  oneof === undefined ? `m.${localName}` : `m.${oneof.localName}.value`

export const isSet = (field: DescField): string => presence(field, '===', '!==', '> 0', '')
export const isUnset = (field: DescField): string => presence(field, '!==', '===', '=== 0', '!')

function presence(field: DescField, is: string, isNot: string, hasLength: string, not: string): string {
  const { oneof, localName, fieldKind } = field
  if (oneof !== undefined) return `m.${oneof.localName}.case ${is} '${localName}'`
  const value = `m.${localName}`
  if (fieldKind === 'message' || field.proto.proto3Optional) return `${value} ${isNot} undefined`
  if (fieldKind === 'list') return `${value}.length ${hasLength}`
  if (fieldKind === 'map') return `Object.keys(${value}).length ${hasLength}`
  if (fieldKind === 'enum') return `${value} ${isNot} ${field.enum.values[0]?.number}`
  switch (field.scalar) {
    case ScalarType.STRING:
      return `${value} ${isNot} ''`
    case ScalarType.BYTES:
      return `${value}.length ${hasLength}`
    case ScalarType.BOOL:
      return `${not}${value}`
    default:
      return `${value} ${isNot} ${isBigInt(field.scalar) ? '0n' : '0'}`
  }
}

const isBigInt = (scalar: ScalarType) =>
  [ScalarType.INT64, ScalarType.UINT64, ScalarType.SINT64, ScalarType.FIXED64, ScalarType.SFIXED64].includes(scalar)
