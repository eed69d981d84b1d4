/** The way in: calls queue up in order, and what has queued while one send was under way goes with the next. */
import type { OutboxEvent } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import { type EventMessage, messageOf } from './message.ts'
import { Places } from './places.ts'
import type { Batch, Sender } from './sender.ts'

/** Most messages in one send (measured: more gains nothing, and holds up those that come). */
const SEND_MESSAGES = 500
/** Most bytes in one send: all may go to one partition, and a broker takes batches of up to 1 MiB (1,048,588). */
const SEND_BYTES = 900_000
/** What a message takes beside its key and value, at most: headers and framing. */
const OVERHEAD_BYTES = 500

export interface Publisher {
  publish(events: readonly OutboxEvent[]): Promise<void>
  /** The place after the last event of each partition that this publisher has had acknowledged. */
  readonly acknowledged: Places
  /** Resolves when nothing is queued any more. Calls that come later are refused. */
  close(): Promise<void>
}

interface Call {
  left: number
  readonly done: PromiseWithResolvers<void>
}

interface Queued {
  readonly topic: string
  readonly message: EventMessage
  readonly bytes: number
  readonly call: Call
}

export function createPublisher(sender: Sender, nameOf: (topic: string) => string, log: Log): Publisher {
  const acknowledged = new Places()
  let queue: Queued[] = []
  let draining: Promise<void> | undefined
  let closed = false

  async function drain(): Promise<void> {
    await nextTurn() // Calls of this turn go together.
    while (queue.length > 0) {
      const sent = firstOf(queue)
      try {
        for (const [place, next] of await sender.send(byTopic(sent))) acknowledged.set(place, next)
      } catch (error) {
        refuse(error)
        continue
      }
      queue.splice(0, sent.length)
      for (const { call } of sent) {
        call.left -= 1
        if (call.left === 0) call.done.resolve()
      }
    }
    draining = undefined
  }

  /** Refuses all that wait: what was queued behind a send that failed must not overtake it. */
  function refuse(error: unknown): void {
    const calls = new Set(queue.map(({ call }) => call))
    log.warn('kafka.publish_failed', { error, events: queue.length, calls: calls.size })
    queue = []
    for (const { done } of calls) done.reject(error)
  }

  return {
    acknowledged,
    async publish(events) {
      if (closed) throw new Error('the event log is closed')
      if (events.length === 0) return
      const call: Call = { left: events.length, done: Promise.withResolvers() }
      for (const event of events) queue.push(queued(event, nameOf(event.topic), call))
      draining ??= drain()
      await call.done.promise
    },
    async close() {
      closed = true
      await draining
    },
  }
}

function queued(event: OutboxEvent, topic: string, call: Call): Queued {
  const message = messageOf(event)
  return { topic, message, bytes: Buffer.byteLength(event.value) + 2 * event.key.length + OVERHEAD_BYTES, call }
}

/** As many as one send takes, and at least one. */
function firstOf(queue: readonly Queued[]): readonly Queued[] {
  let bytes = 0
  const end = queue.findIndex((one, index) => {
    bytes += one.bytes
    return index === SEND_MESSAGES || (bytes > SEND_BYTES && index > 0)
  })
  return end === -1 ? [...queue] : queue.slice(0, end)
}

function byTopic(queue: readonly Queued[]): Batch {
  const topics = new Map<string, EventMessage[]>()
  for (const { topic, message } of queue) {
    const messages = topics.get(topic)
    if (messages) messages.push(message)
    else topics.set(topic, [message])
  }
  return topics
}

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
