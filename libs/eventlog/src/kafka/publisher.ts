/** The way in: calls queue up in order, and what has queued while one send was under way goes with the next. */
import { EventsRefused, type OutboxEvent } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import { type EventMessage, messageOf } from './cloud-event.ts'
import { Offsets } from './offsets.ts'
import { type Batch, BatchRefused, type EventProducer } from './producer.ts'

/** Most messages in one send (measured: more gains nothing, and holds up those that come). */
const SEND_MESSAGES = 500
/** Most bytes in one send: all may go to one partition, and a broker takes batches of up to 1 MiB (1,048,588). */
const SEND_BYTES = 900_000
/** What a message takes beside its key and value, at most: headers and framing. */
const OVERHEAD_BYTES = 500

export interface Publisher {
  publish(events: readonly OutboxEvent[]): Promise<void>
  /** The offset after the last event of each partition that this publisher has had acknowledged. */
  readonly acknowledged: Offsets
  /** Resolves when nothing is queued any more. Calls that come later are refused. */
  close(): Promise<void>
}

interface Call {
  left: number
  /** Why, by event id. */
  readonly refused: Map<string, string>
  readonly done: PromiseWithResolvers<void>
}

interface Queued {
  readonly id: string
  readonly topic: string
  readonly message: EventMessage
  readonly bytes: number
  readonly call: Call
}

export function createPublisher(sender: EventProducer, nameOf: (topic: string) => string, log: Log): Publisher {
  const acknowledged = new Offsets()
  let queue: Queued[] = []
  /** Less once a broker has refused several messages together: it takes less at once, or one of them is at fault. */
  let sendBytes = SEND_BYTES
  let draining: Promise<void> | undefined
  let closed = false

  async function drain(): Promise<void> {
    await nextTurn() // Calls of this turn go together.
    while (queue.length > 0) {
      const sent = firstOf(queue, sendBytes)
      try {
        for (const [partition, next] of await sender.send(byTopic(sent))) acknowledged.set(partition, next)
      } catch (error) {
        if (!(error instanceof BatchRefused)) {
          refuseAll(error)
          continue
        }
        if (sent.length > 1) {
          sendBytes = Math.floor(bytesOf(sent) / 2)
          continue
        }
        for (const { id, call } of sent) call.refused.set(id, error.message)
        sendBytes = SEND_BYTES
      }
      queue.splice(0, sent.length)
      for (const { call } of sent) done(call)
    }
    draining = undefined
  }

  /** Refuses all that wait: what was queued behind a send that failed must not overtake it. */
  function refuseAll(error: unknown): void {
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
      const call: Call = { left: events.length, refused: new Map(), done: Promise.withResolvers() }
      for (const event of events) {
        try {
          queue.push(queued(event, nameOf(event.topic), call))
        } catch (error) {
          call.refused.set(event.id, String(error)) // It can't be made a message.
          done(call)
        }
      }
      draining ??= drain()
      await call.done.promise
    },
    async close() {
      closed = true
      await draining
    },
  }
}

/** One more of its events is in the log, or never will be. */
function done(call: Call): void {
  call.left -= 1
  if (call.left > 0) return
  if (call.refused.size > 0) call.done.reject(new EventsRefused(call.refused))
  else call.done.resolve()
}

function queued(event: OutboxEvent, topic: string, call: Call): Queued {
  const message = messageOf(event)
  const bytes = Buffer.byteLength(event.value) + 2 * event.key.length + OVERHEAD_BYTES
  return { id: event.id, topic, message, bytes, call }
}

/** As many as one send takes, and at least one. */
function firstOf(queue: readonly Queued[], most: number): readonly Queued[] {
  let bytes = 0
  const end = queue.findIndex((one, index) => {
    bytes += one.bytes
    return index === SEND_MESSAGES || (bytes > most && index > 0)
  })
  return end === -1 ? [...queue] : queue.slice(0, end)
}

const bytesOf = (queue: readonly Queued[]): number => queue.reduce((sum, { bytes }) => sum + bytes, 0)

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
