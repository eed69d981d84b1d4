/** Event streams: Server-Sent Events as they happen, which a reader can resume at any gateway. */
import { type DescMethodServerStreaming, getOption } from '@bufbuild/protobuf'
import type { ContextValues, Transport } from '@connectrpc/connect'
import { codeOf, jsonWriter, problemOf } from '@millhand/api'
import { access } from '@millhand/api/gen/millhand/type/v1/access_pb.ts'
import type { Clock } from '@millhand/process'
import type { Principal } from '@millhand/rpc'
import type { Log } from '@millhand/telemetry'
import type { Caller } from '../admission/caller.ts'
import type { Callers } from '../admission/callers.ts'
import { CallerGone, type Exchange } from '../exchange.ts'
import { callValues } from '../pipeline/call.ts'
import { EventWriter } from './event-writer.ts'
import { OpenStreams } from './open-streams.ts'
import { PacedJobs } from './paced-jobs.ts'
import { eventText, retryText } from './server-sent-events.ts'
import { type Event, resumingEvents } from './stream-failover.ts'
import { StreamLifetime } from './stream-lifetime.ts'

export interface StreamsDeps {
  readonly transport: Transport
  readonly clock: Clock
  readonly log: Log
  /** Tells when the key of a reader is no longer valid. */
  readonly watch: Callers['watch']
  /** The most open streams of each account and mode. */
  readonly maxStreams: number
  /** Milliseconds in which a reader has to take something. */
  readonly readerMs: number
}

export interface Streams {
  /** How to stream the events of `method`. */
  of(method: DescMethodServerStreaming): EventStream
  /**
   * The events of `method` as messages. Ends with the reason of `signal`, and as streams to a caller of HTTP do: with
   * `unavailable` where the gateway stops, and where the key of the caller is no longer valid.
   */
  messages(method: DescMethodServerStreaming, options: MessagesOptions): AsyncGenerator<Event>
  /** A permit for one more stream of the caller. Fails with `concurrency_limited`. */
  acquire(caller: Principal): Disposable
  /** Ends every stream with an `error` event: its reader goes on at another gateway. */
  stop(): void
}

interface EventStream {
  /** The scope that its reader's key must hold. */
  readonly scope: string
  /**
   * Answers with `status` and the events, and resolves when the stream has ended. After the answer has begun, a failure is a
   * last event, `error`. `isComplete` says that all events are stored: then the answer begins with the first of them, and
   * fails as reading it does; without an event it is 204, which stops an `EventSource` (HTML standard, section 9.2.3).
   */
  send(exchange: Exchange, caller: Caller, request: WatchRequest, status: number, isComplete: boolean): Promise<void>
}

interface MessagesOptions {
  readonly caller: Caller
  readonly request: WatchRequest
  readonly values: ContextValues
  /** Ends when the caller leaves. */
  readonly signal: AbortSignal
}

/** The request of a method that streams events. */
export interface WatchRequest {
  readonly after?: bigint | undefined
  readonly [field: string]: unknown
}

export function createStreams({ transport, clock, log, watch, maxStreams, readerMs }: StreamsDeps): Streams {
  const jobs = new PacedJobs()
  const open = new OpenStreams(clock, jobs, maxStreams)

  function of(method: DescMethodServerStreaming): EventStream {
    const toJson = jsonWriter(method.output)
    const textOf = (event: Event) => eventText(event.type, toJson(event), event.sequence)

    return {
      scope: getOption(method, access).scope,

      async send(exchange, caller, request, status, isComplete) {
        const { req } = exchange
        let writer: EventWriter | undefined
        // A stream whose events are all stored ends soon, so a half-closed connection need not end it.
        using lifetime = new StreamLifetime(exchange, clock, jobs, !isComplete)
        const { signal } = lifetime
        using _ = open.add({ beat: () => writer?.beat(), end: reason => lifetime.end(reason) })
        using _watched = watch(caller, reason => jobs.add(() => lifetime.end(reason)))

        const values = callValues(caller, exchange)
        const events = eventsOf(method, request, values, signal)
        const first = isComplete ? await events.next() : undefined
        if (first?.done === true) return exchange.send(204, noStore)
        // A body has no use here and may be slow: the answer to its timeout would be written into the stream.
        exchange.allowsSlowBody = true
        req.resume()
        exchange.begin(status, streamHeaders)
        if (req.method === 'HEAD') return exchange.finish()

        writer = new EventWriter({ exchange, clock, readerMs, signal })
        try {
          await writer.write(retryText)
          if (first !== undefined) await writer.write(textOf(first.value))
          for await (const event of events) await writer.write(textOf(event))
          await writer.end()
        } catch (error) {
          if (error instanceof CallerGone) throw error
          // Not where the caller has left or the gateway stops.
          if (!signal.aborted) {
            const fields = { request_id: exchange.requestId, path: exchange.path, error }
            log[codeOf(error) === 'internal' ? 'error' : 'info']('stream.cut', fields)
          }
          const problem = problemOf(error, exchange.requestId, exchange.baseUrl)
          await writer.end(eventText('error', JSON.stringify(problem)))
        }
      },
    }
  }

  /** The events, also where the replica that sends them is replaced by another. */
  function eventsOf(
    method: DescMethodServerStreaming,
    request: WatchRequest,
    values: ContextValues,
    signal: AbortSignal,
  ): AsyncGenerator<Event> {
    async function* ask(after: bigint | undefined) {
      const requests = only({ ...request, after })
      const { message } = await transport.stream(method, signal, undefined, undefined, requests, values)
      yield* message as AsyncIterable<Event>
    }
    return resumingEvents({ ask, after: request.after, clock, signal, random: Math.random })
  }

  async function* messages(
    method: DescMethodServerStreaming,
    { caller, request, values, signal }: MessagesOptions,
  ): AsyncGenerator<Event> {
    const ending = new AbortController()
    const end = (reason: unknown) => ending.abort(reason)
    using _open = open.add({ beat() {}, end })
    using _watched = watch(caller, reason => jobs.add(() => end(reason)))
    try {
      yield* eventsOf(method, request, values, AbortSignal.any([signal, ending.signal]))
    } finally {
      end(new CallerGone('the stream is over'))
    }
  }

  return { of, messages, acquire: caller => open.acquire(caller), stop: () => open.stop() }
}

const noStore = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff']

/** The last is for nginx, which else keeps the events back until it has many. */
const streamHeaders = [...noStore, 'Content-Type', 'text/event-stream', 'X-Accel-Buffering', 'no']

async function* only<Message>(message: Message): AsyncGenerator<Message> {
  yield message
}
