/** Sends an answer. */
import type { RouteOf } from '@millhand/api'
import type { Caller } from '../admission/caller.ts'
import type { Concurrency } from '../admission/concurrency.ts'
import type { Exchange } from '../exchange.ts'
import { type EventsReply, type Reply, sendBody } from '../reply.ts'
import type { CreatedEvents } from '../streams/stream-on-create.ts'
import type { RequestContext } from './context.ts'

/** Resolves when the answer is sent; at once for a body. Fails where the caller has too many answers or streams open. */
export type Send = (context: RequestContext, reply: Reply) => void | Promise<void>

/** `answers` counts the bytes of large answers to reads until they are sent. */
export function createSend(route: RouteOf<'json'>, answers: Concurrency, events: CreatedEvents | undefined): Send {
  const isRead = route.method === 'GET'
  return (context, reply) => {
    const { exchange, caller } = context
    if (reply.kind === 'events') {
      if (events === undefined) throw new Error(`${route.desc} has no events to answer with`)
      // A replay may be a stream where this request did not ask for one.
      return sendEvents(events, exchange, caller, reply, context.takeStreamPermit() ?? events.admit(caller))
    }
    const { length = 0 } = reply.body ?? ''
    // A read has changed nothing, so it can be refused as late as this.
    if (isRead && length > SMALL_ANSWER) exchange.hold(answers.acquire(caller, length))
    sendBody(exchange, reply)
  }
}

/** Bytes. As many answers of this size as an account may have requests take little memory. */
const SMALL_ANSWER = 16_384

/** Without the context: a stream stays open for long, and must not keep the request's input in memory. */
async function sendEvents(
  events: CreatedEvents,
  exchange: Exchange,
  caller: Caller,
  reply: EventsReply,
  permit: Disposable,
): Promise<void> {
  using _ = permit
  exchange.release() // It counts as a stream from here on, and not as a request.
  await events.send(exchange, caller, reply)
}
