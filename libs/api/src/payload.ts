import {
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescMethodClientStreaming,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  ScalarType,
} from '@bufbuild/protobuf'

/** What the bodies of a route hold: one message each way, bytes one way, or events. */
export type Payload =
  | { readonly kind: 'json'; readonly desc: DescMethodUnary }
  /** The request's body is bytes; the query, or the fields of a form, are the message that comes before them. */
  | { readonly kind: 'upload'; readonly desc: DescMethodClientStreaming; readonly parts: Parts }
  /** The answer's body is bytes, of which `Range` asks for some; its headers are the message that comes before them. */
  | { readonly kind: 'download'; readonly desc: DescMethodServerStreaming; readonly parts: Parts }
  /** The answer's body is events as they come, each a message; `Last-Event-ID` says after which. */
  | { readonly kind: 'events'; readonly desc: DescMethodServerStreaming }

/** A streamed message that is a oneof: first, once, what the bytes are, then the bytes. */
export interface Parts {
  /** The oneof's name in the message. */
  readonly oneof: string
  readonly head: DescField & { readonly fieldKind: 'message'; readonly message: DescMessage }
  readonly data: DescField
}

/** Fields of a download's request that come from `Range`. */
export const rangeFields: readonly string[] = ['start', 'end', 'suffix']

/** How a method travels over HTTP, by its kind and its messages. Throws for one that has no way to. */
export function payloadOf(desc: DescMethod): Payload {
  switch (desc.methodKind) {
    case 'unary':
      return { kind: 'json', desc: desc as DescMethodUnary }
    case 'client_streaming': {
      const parts = partsOf(desc, desc.input)
      requireFields(desc, parts.head.message, ScalarType.STRING, ['filename', 'media_type'])
      return { kind: 'upload', desc: desc as DescMethodClientStreaming, parts }
    }
    case 'server_streaming': {
      if (desc.output.field.sequence !== undefined) {
        requireFields(desc, desc.output, ScalarType.UINT64, ['sequence'])
        requireFields(desc, desc.output, ScalarType.STRING, ['type'])
        requireFields(desc, desc.input, ScalarType.UINT64, ['after'])
        return { kind: 'events', desc: desc as DescMethodServerStreaming }
      }
      const parts = partsOf(desc, desc.output)
      requireFields(desc, desc.input, ScalarType.UINT32, rangeFields)
      requireFields(desc, parts.head.message, ScalarType.UINT32, ['start', 'length'])
      const file = parts.head.message.field.file?.message
      if (file === undefined) throw new Error(`${desc} answers with a slice of no file`)
      requireFields(desc, file, ScalarType.STRING, ['filename', 'media_type', 'sha256'])
      requireFields(desc, file, ScalarType.UINT32, ['bytes'])
      return { kind: 'download', desc: desc as DescMethodServerStreaming, parts }
    }
    default:
      throw new Error(`${desc} has a route and streams both ways, which HTTP can't`)
  }
}

function partsOf(desc: DescMethod, message: DescMessage): Parts {
  const [oneof, another] = message.oneofs
  const [head, data, third] = oneof?.fields ?? []
  const isAll = another === undefined && third === undefined && message.fields.length === 2
  if (oneof === undefined || !isAll || head?.fieldKind !== 'message' || data?.scalar !== ScalarType.BYTES) {
    throw new Error(`${desc} has a route and streams ${message}, which is not a oneof of a message and bytes`)
  }
  return { oneof: oneof.localName, head, data }
}

function requireFields(desc: DescMethod, message: DescMessage, scalar: ScalarType, names: readonly string[]) {
  for (const name of names) {
    if (message.fields.find(field => field.name === name)?.scalar === scalar) continue
    throw new Error(`${desc} needs ${message} to have a field ${name}: ${ScalarType[scalar]}`)
  }
}
