import { create, createFileRegistry, type DescMessage } from '@bufbuild/protobuf'
import {
  type FieldDescriptorProto,
  FieldDescriptorProtoSchema,
  FileDescriptorProtoSchema,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt'

const scalars = {
  a_string: Type.STRING,
  a_bool: Type.BOOL,
  some_bytes: Type.BYTES,
  a_double: Type.DOUBLE,
  a_float: Type.FLOAT,
  an_int32: Type.INT32,
  a_uint32: Type.UINT32,
  an_int64: Type.INT64,
  a_uint64: Type.UINT64,
} as const

/** A message with a field of every kind that the contract's messages can have, also those that none has yet. */
export const everyKind = everyKindDesc()

function everyKindDesc(): DescMessage {
  let number = 0
  const field = (name: string, type: Type, more: object = {}): FieldDescriptorProto =>
    create(FieldDescriptorProtoSchema, { name, type, number: ++number, label: Label.OPTIONAL, ...more })
  const list = { label: Label.REPEATED }
  const message = (typeName: string) => ({ typeName })
  const fields = [
    ...Object.entries(scalars).map(([name, type]) => field(name, type)),
    ...Object.entries(scalars).map(([name, type]) => field(`${name}_list`, type, list)),
    field('a_colour', Type.ENUM, message('.fixture.Colour')),
    field('colours', Type.ENUM, { ...list, ...message('.fixture.Colour') }),
    field('a_time', Type.MESSAGE, message('.google.protobuf.Timestamp')),
    field('an_object', Type.MESSAGE, message('.google.protobuf.Struct')),
    field('nested', Type.MESSAGE, message('.fixture.EveryKind')),
    field('nested_list', Type.MESSAGE, { ...list, ...message('.fixture.EveryKind') }),
    field('labels', Type.MESSAGE, { ...list, ...message('.fixture.EveryKind.LabelsEntry') }),
    field('one_text', Type.STRING, { oneofIndex: 0 }),
    field('one_flag', Type.BOOL, { oneofIndex: 0 }),
    field('maybe', Type.UINT32, { oneofIndex: 1, proto3Optional: true }),
  ]
  const entry = {
    name: 'LabelsEntry',
    options: { mapEntry: true },
    field: [
      { name: 'key', number: 1, type: Type.STRING, label: Label.OPTIONAL },
      { name: 'value', number: 2, type: Type.STRING, label: Label.OPTIONAL },
    ],
  }
  const file = create(FileDescriptorProtoSchema, {
    name: 'fixture.proto',
    package: 'fixture',
    syntax: 'proto3',
    dependency: ['google/protobuf/timestamp.proto', 'google/protobuf/struct.proto'],
    messageType: [
      { name: 'EveryKind', field: fields, nestedType: [entry], oneofDecl: [{ name: 'one' }, { name: '_maybe' }] },
    ],
    enumType: [
      {
        name: 'Colour',
        value: [
          { name: 'COLOUR_UNSPECIFIED', number: 0 },
          { name: 'COLOUR_RED', number: 1 },
          { name: 'COLOUR_DARK_BLUE', number: 7 },
        ],
      },
    ],
  })
  const known = [file_google_protobuf_timestamp, file_google_protobuf_struct]
  const registry = createFileRegistry(file, path => known.find(({ proto }) => proto.name === path)?.proto)
  return registry.getMessage('fixture.EveryKind') as DescMessage
}
