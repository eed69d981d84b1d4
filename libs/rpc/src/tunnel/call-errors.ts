/** Errors of calls, on their way through a tunnel. */
import { create, toBinary } from '@bufbuild/protobuf'
import type { Any } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Fault, Frame } from '@millhand/api/gen/millhand/rpc/v1/tunnel_pb.ts'
import { asConnectError } from '../handler.ts'
import { frameOf, type Lines } from './frames.ts'
import { headersOf, linesOf } from './header-lines.ts'

/** The end of a call that succeeded, or failed with `reason`. */
export const endFrame = (call: number, trailer: Lines, reason?: unknown): Frame =>
  frameOf(call, {
    case: 'end',
    value: {
      $typeName: 'millhand.rpc.v1.End',
      trailer,
      ...(reason !== undefined && { fault: faultOf(asConnectError(reason)) }),
    },
  })

function faultOf(error: ConnectError): Fault {
  return {
    $typeName: 'millhand.rpc.v1.Fault',
    code: error.code,
    message: error.rawMessage,
    details: encodable(error.details),
    metadata: linesOf(error.metadata),
  }
}

/** The details, or none: a call whose error cannot be told whole still ends. */
function encodable(details: readonly Detail[]): Any[] {
  try {
    return details.map(anyOf)
  } catch {
    return []
  }
}

type Detail = ConnectError['details'][number]

const anyOf = (detail: Detail): Any =>
  'desc' in detail
    ? any(detail.desc.typeName, toBinary(detail.desc, create(detail.desc, detail.value)))
    : any(detail.type, detail.value)

const any = (typeName: string, value: Uint8Array): Any => ({
  $typeName: 'google.protobuf.Any',
  typeUrl: `type.googleapis.com/${typeName}`,
  value,
})

/** What the caller's call fails with. */
export function errorOf(fault: Fault): ConnectError {
  const code = fault.code in Code ? (fault.code as Code) : Code.Unknown
  const error = new ConnectError(fault.message, code, headersOf(fault.metadata))
  error.details = fault.details.map(({ typeUrl, value }) => ({
    type: typeUrl.slice(typeUrl.lastIndexOf('/') + 1),
    value,
  }))
  return error
}

/** The other side broke the rules of the protocol: the tunnel ends. */
export const violation = (what: string) => new ConnectError(`tunnel: ${what}`, Code.InvalidArgument)

export const unavailable = (why: string, cause?: unknown) =>
  new ConnectError(why, Code.Unavailable, undefined, undefined, cause)

/** One message must not be larger than what the other side reads at once: that would end the tunnel. */
export const tooLarge = (bytes: number, most: number) =>
  new ConnectError(`a message of ${bytes} bytes is more than ${most}`, Code.ResourceExhausted)

export const canceled = (reason: unknown) => ConnectError.from(reason, Code.Canceled)
