/** The events of a new resource, as the answer to the request that creates it. */
import { type DescMethod, type DescMethodServerStreaming, ScalarType } from '@bufbuild/protobuf'
import { qualities, qualityOf, type RouteOf } from '@millhand/api'
import type { Caller } from '../admission/caller.ts'
import type { Exchange } from '../exchange.ts'
import { authorize } from '../pipeline/authorize.ts'
import type { EventsReply } from '../reply.ts'
import type { Streams } from './event-streams.ts'

export interface CreatedEvents {
  /** Whether the caller asks for the events. */
  areWanted(exchange: Exchange, request: object): boolean
  /** A permit for one more stream. Fails where the caller may not read events or has too many streams open. */
  admit(caller: Caller): Disposable
  /** Answers with all events of the resource. From here on no failure changes the status. */
  send(exchange: Exchange, caller: Caller, reply: EventsReply): Promise<void>
}

/** Throws where the service has no method `Watch…` for what the method creates, or the request no field `stream`. */
export function createdEvents({ desc }: RouteOf<'json'>, streams: Streams): CreatedEvents {
  const stream = streams.of(watchMethodFor(desc))
  return {
    areWanted: (exchange, request) =>
      (request as StreamRequest).stream === true || prefersEvents(exchange.header('accept')),
    admit(caller) {
      authorize(caller, stream.scope)
      return streams.acquire(caller)
    },
    async send(exchange, caller, { resourceId, status, headers }) {
      for (let at = 0; at < headers.length; at += 2)
        exchange.addHeader(headers[at] as string, headers[at + 1] as string)
      await stream.send(exchange, caller, { id: resourceId }, status, false)
    },
  }
}

/** The method that watches what `desc` creates. Throws where there is none, or no field to ask for it with. */
export function watchMethodFor({ name, parent, input, output }: DescMethod): DescMethodServerStreaming {
  const found = parent.methods.find(method => method.name === `Watch${output.name}`)
  if (found?.methodKind !== 'server_streaming') throw new Error(`${name} has answer.stream, but no Watch${output.name}`)
  if (input.field.stream?.scalar !== ScalarType.BOOL) throw new Error(`${name} has answer.stream, but no field stream`)
  return found as DescMethodServerStreaming
}

interface StreamRequest {
  readonly stream?: boolean
}

/** Whether an `Accept` header prefers events to JSON: it names them, with a higher quality than JSON's. */
export function prefersEvents(accept: string | undefined): boolean {
  if (accept === undefined || !eventStream.test(accept)) return false
  const accepted = qualities(accept)
  return (accepted.get('text/event-stream') ?? 0) > qualityOf('application/json', accepted)
}

const eventStream = /\btext\/event-stream\b/i
