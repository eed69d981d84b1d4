import { type DescField, type DescMessage, getOption, hasOption } from '@bufbuild/protobuf'
import { json } from '../gen/millhand/type/v1/access_pb.ts'

/** A time; RFC 3339 in public JSON. */
export const isTimestamp = (desc: DescMessage) => desc.typeName === 'google.protobuf.Timestamp'

/** Any JSON object, shown as it is. */
export const isStruct = (desc: DescMessage) => desc.typeName === 'google.protobuf.Struct'

/** A message whose public JSON is an object of its fields; protobuf's other well-known types have none. */
export const isPlain = (desc: DescMessage) => !desc.typeName.startsWith('google.protobuf.')

/** Whether the strings of a field are JSON texts, and shown as what they hold. */
export const isJsonText = (field: DescField) => hasOption(field, json) && getOption(field, json)
