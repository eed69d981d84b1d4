/** The frames of a tunnel, made as plain objects: `create` costs more than all else that a frame needs. */
import type { Begin, Frame, Signal } from '@millhand/api/gen/millhand/rpc/v1/tunnel_pb.ts'

export type Kind = Frame['kind']

/** Names and values in turn. */
export type Lines = string[]

export const frameOf = (call: number, kind: Kind): Frame => ({ $typeName: 'millhand.rpc.v1.Frame', call, kind })

export const beginOf = (init: Omit<Begin, '$typeName' | '$unknown'>): Begin => ({
  $typeName: 'millhand.rpc.v1.Begin',
  ...init,
})

export const signalFrame = (call: number, value: Signal): Frame => frameOf(call, { case: 'signal', value })

export const creditFrame = (call: number, value: number): Frame => frameOf(call, { case: 'credit', value })

export const messageFrame = (call: number, value: Uint8Array): Frame => frameOf(call, { case: 'message', value })

export const headerFrame = (call: number, lines: Lines): Frame =>
  frameOf(call, { case: 'header', value: { $typeName: 'millhand.rpc.v1.Lines', lines } })

export const helloFrame = (maxCalls: number, maxMessageBytes: number): Frame =>
  frameOf(0, { case: 'hello', value: { $typeName: 'millhand.rpc.v1.Hello', maxCalls, maxMessageBytes } })

export const answerFrame = (call: number, message: Uint8Array, header: Lines, trailer: Lines): Frame =>
  frameOf(call, { case: 'answer', value: { $typeName: 'millhand.rpc.v1.Answer', message, header, trailer } })

/** About how many bytes a frame is: what queues are measured in. */
export function sizeOf({ kind }: Frame): number {
  switch (kind.case) {
    case 'begin':
      return SMALL + kind.value.message.length + lengthOf(kind.value.header)
    case 'message':
      return SMALL + kind.value.length
    case 'answer':
      return SMALL + kind.value.message.length + lengthOf(kind.value.header) + lengthOf(kind.value.trailer)
    case 'end':
      return SMALL + (kind.value.fault?.message.length ?? 0) + lengthOf(kind.value.trailer)
    default:
      return SMALL
  }
}

/** What a frame costs beside what it carries. */
const SMALL = 64

function lengthOf(lines: readonly string[]): number {
  let length = 0
  for (const line of lines) length += line.length
  return length
}
