/** The events of what a call makes, in the place of its message. */
import { type DescMethod, type DescMethodServerStreaming, ScalarType } from '@bufbuild/protobuf'
import type { RouteOf } from '@millhand/api'
import type { Caller } from '../admission/caller.ts'
import { requireScope } from '../admission/scope.ts'
import type { Exchange } from '../exchange.ts'
import type { EventsReply } from '../reply.ts'
import { prefersEvents } from './accept.ts'
import type { Streams } from './streams.ts'

export interface CreatedEvents {
  /** Whether the caller would have the events. */
  areWanted(exchange: Exchange, request: object): boolean
  /** Takes a stream's place, until it is disposed of. Fails where the caller may not read events or has too many open. */
  admit(caller: Caller): Disposable
  /** Answers with the events of what was made, all of them. Nothing from here on makes the answer a failure. */
  send(exchange: Exchange, caller: Caller, reply: EventsReply): Promise<void>
}

/** Throws where the method's service has no `Watch…` for what it makes, or its request no `stream`. */
export function createdEvents({ desc }: RouteOf<'json'>, streams: Streams): CreatedEvents {
  const stream = streams.of(watchMethodFor(desc))
  return {
    areWanted: (exchange, request) => (request as Wish).stream === true || prefersEvents(exchange.header('accept')),
    admit(caller) {
      requireScope(caller, stream.scope)
      return streams.take(caller)
    },
    async send(exchange, caller, { made, status, headers }) {
      for (let at = 0; at < headers.length; at += 2) exchange.carry(headers[at] as string, headers[at + 1] as string)
      await stream.send(exchange, caller, { id: made }, status, false)
    },
  }
}

/** The method that tells what happens to what `desc` makes. Throws where there is none, or nothing to ask for it with. */
export function watchMethodFor({ name, parent, input, output }: DescMethod): DescMethodServerStreaming {
  const found = parent.methods.find(method => method.name === `Watch${output.name}`)
  if (found?.methodKind !== 'server_streaming') throw new Error(`${name} has answer.stream, but no Watch${output.name}`)
  if (input.field.stream?.scalar !== ScalarType.BOOL) throw new Error(`${name} has answer.stream, but no field stream`)
  return found as DescMethodServerStreaming
}

interface Wish {
  readonly stream?: boolean
}
