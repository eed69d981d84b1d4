/** The service that the transport contract calls: one method of each kind, on well-known messages alone. */
import { create, createFileRegistry } from '@bufbuild/protobuf'
import type { GenService } from '@bufbuild/protobuf/codegenv2'
import {
  FileDescriptorProtoSchema,
  file_google_protobuf_wrappers,
  type StringValueSchema,
  type UInt32ValueSchema,
} from '@bufbuild/protobuf/wkt'

type Text = typeof StringValueSchema
type Count = typeof UInt32ValueSchema

const text = '.google.protobuf.StringValue'
const count = '.google.protobuf.UInt32Value'

const file = create(FileDescriptorProtoSchema, {
  name: 'millhand/rpc/contract.proto',
  package: 'millhand.rpc',
  syntax: 'proto3',
  dependency: [file_google_protobuf_wrappers.proto.name],
  service: [
    {
      name: 'ContractService',
      method: [
        { name: 'Echo', inputType: text, outputType: text },
        { name: 'Forgotten', inputType: text, outputType: text },
        { name: 'CountTo', inputType: count, outputType: text, serverStreaming: true },
        { name: 'Join', inputType: text, outputType: text, clientStreaming: true },
        { name: 'Talk', inputType: text, outputType: text, clientStreaming: true, serverStreaming: true },
      ],
    },
    { name: 'UnservedService', method: [{ name: 'Echo', inputType: text, outputType: text }] },
  ],
})

const registry = createFileRegistry(file, name =>
  name === file_google_protobuf_wrappers.proto.name ? file_google_protobuf_wrappers : undefined,
)

/** Echoes and counts. */
export const ContractService = registry.getService('millhand.rpc.ContractService') as GenService<{
  echo: { methodKind: 'unary'; input: Text; output: Text }
  forgotten: { methodKind: 'unary'; input: Text; output: Text }
  countTo: { methodKind: 'server_streaming'; input: Count; output: Text }
  join: { methodKind: 'client_streaming'; input: Text; output: Text }
  talk: { methodKind: 'bidi_streaming'; input: Text; output: Text }
}>

/** A service that nobody serves. */
export const UnservedService = registry.getService('millhand.rpc.UnservedService') as GenService<{
  echo: { methodKind: 'unary'; input: Text; output: Text }
}>
