/** Header lines and errors, between the suite's messages and Connect. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { GenMessage } from '@bufbuild/protobuf/codegenv2'
import type { Any } from '@bufbuild/protobuf/wkt'
import { ConnectError } from '@connectrpc/connect'
import type { Failure, HeaderLine } from './messages.ts'

type Lines = MessageInitShape<GenMessage<HeaderLine>>[]

export const linesOf = (headers: Iterable<[string, string]>): Lines =>
  Array.from(headers, ([name, value]) => ({ name, value: [value] }))

export function append(lines: readonly HeaderLine[], headers: Headers): void {
  for (const { name, value } of lines) for (const one of value) headers.append(name, one)
}

export function errorOf({ code, message, details }: Failure): ConnectError {
  const error = new ConnectError(message ?? '', code)
  error.details = details.map(({ typeUrl, value }) => ({ type: typeUrl.slice(typeUrl.lastIndexOf('/') + 1), value }))
  return error
}

/** What a client's call failed with: there, all details have come over the wire. */
export const failureOf = ({ code, rawMessage, details }: ConnectError): MessageInitShape<GenMessage<Failure>> => ({
  code,
  message: rawMessage,
  details: details.flatMap(detail => ('type' in detail ? [anyOf(detail.type, detail.value)] : [])),
})

const anyOf = (type: string, value: Uint8Array): Any => ({
  $typeName: 'google.protobuf.Any',
  typeUrl: `type.googleapis.com/${type}`,
  value,
})
