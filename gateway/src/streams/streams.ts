/** Answers that are events as they happen: Server-Sent Events, with which a reader can go on from any gateway. */
import { type DescMethodServerStreaming, getOption } from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'
import { codeOf, fail, jsonWriter, problemOf } from '@millhand/api'
import { access } from '@millhand/api/gen/millhand/type/v1/access_pb.ts'
import type { Principal } from '@millhand/rpc'
import type { Clock, Timer } from '@millhand/runner'
import type { Log } from '@millhand/telemetry'
import type { Caller } from '../admission/caller.ts'
import type { Callers } from '../admission/callers.ts'
import { CallerGone, type Exchange } from '../exchange.ts'
import { callValues } from '../pipeline/call.ts'
import { eventText, retryText } from './event-text.ts'
import { EventWriter } from './event-writer.ts'
import { type Event, goOn } from './go-on.ts'
import { OpenStreams } from './open-streams.ts'
import { Turns } from './turns.ts'

export interface StreamsDeps {
  readonly transport: Transport
  readonly clock: Clock
  readonly log: Log
  /** Says when a reader may not read any more. */
  readonly watch: Callers['watch']
  /** The most that are open at once, of each account and mode. */
  readonly most: number
  /** Milliseconds in which a reader has to take something. */
  readonly readerMs: number
}

export interface Streams {
  /** How to stream what `method` tells. */
  of(method: DescMethodServerStreaming): EventStream
  /** A permit for one more stream of the caller. Fails with `concurrency_limited`. */
  acquire(caller: Principal): Disposable
  /** Ends every stream: its reader hears of it, and goes on elsewhere. */
  stop(): void
}

interface EventStream {
  /** The scope that its reader's key must hold. */
  readonly scope: string
  /**
   * Answers with `status` and the events, and resolves when nothing of the stream is left. Once the answer has begun,
   * whatever goes wrong is told by a last event, `error`. It begins at once; where all events are there already, with the
   * first of them, and fails as that does; where there is none, it is 204, which tells an `EventSource` to stay away (HTML
   * standard, section 9.2.3).
   */
  send(exchange: Exchange, caller: Caller, request: WatchRequest, status: number, areAllThere: boolean): Promise<void>
}

/** The request of a method that streams events. */
export interface WatchRequest {
  readonly after?: bigint | undefined
  readonly [field: string]: unknown
}

export function createStreams({ transport, clock, log, watch, most, readerMs }: StreamsDeps): Streams {
  const turns = new Turns()
  const open = new OpenStreams(clock, turns, most)

  function of(method: DescMethodServerStreaming): EventStream {
    const toJson = jsonWriter(method.output)
    const textOf = (event: Event) => eventText(event.type, toJson(event), event.sequence)

    return {
      scope: getOption(method, access).scope,

      async send(exchange, caller, request, status, areAllThere) {
        const { req } = exchange
        let writer: EventWriter | undefined
        // Nobody waits for what comes anyhow.
        using lifetime = new StreamLifetime(exchange, clock, turns, areAllThere ? undefined : HALF_CLOSED_MS)
        const { signal } = lifetime
        using _ = open.add({ beat: () => writer?.beat(), end: reason => lifetime.end(reason) })
        using _watched = watch(caller, reason => turns.add(() => lifetime.end(reason)))

        const values = callValues(caller, exchange)
        async function* ask(after: bigint | undefined) {
          const asked = only({ ...request, after })
          const { message } = await transport.stream(method, signal, undefined, undefined, asked, values)
          yield* message as AsyncIterable<Event>
        }
        const events = goOn({ ask, after: request.after, clock, signal, random: Math.random })
        const first = areAllThere ? await events.next() : undefined
        if (first?.done === true) return exchange.send(204, noStore)
        // A body that nobody asked for may come as slowly as it will: its time-out would be written into the stream.
        exchange.takesItsTime = true
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
          // That a caller leaves, or the gateway stops, is no news of the stream.
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

  return { of, acquire: caller => open.acquire(caller), stop: () => open.stop() }
}

const noStore = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff']

/** The last is for nginx, which else keeps the events back until it has many. */
const streamHeaders = [...noStore, 'Content-Type', 'text/event-stream', 'X-Accel-Buffering', 'no']

/** Ends a stream with its caller, whichever answers before it are still to be sent on the connection. */
class StreamLifetime implements Disposable {
  readonly #ending = new AbortController()
  readonly #exchange: Exchange
  readonly #leave: () => void
  #timer: Timer | undefined

  /** `halfClosedMs`: how long a caller is served that has closed its side; to the end where it is not set. */
  constructor(exchange: Exchange, clock: Clock, turns: Turns, halfClosedMs: number | undefined) {
    this.#exchange = exchange
    this.#leave = () => turns.add(() => this.end(new CallerGone('the caller left its event stream')))
    const { socket } = exchange.req
    socket.on('close', this.#leave)
    if (socket.destroyed) this.#leave()
    if (halfClosedMs === undefined) return
    // It may be gone, or listen for what there is.
    exchange.onDrain = () => {
      this.#timer ??= clock.timer(halfClosedMs, () => turns.add(() => this.end(halfClosed())))
    }
    if (exchange.isDraining) exchange.onDrain()
  }

  get signal(): AbortSignal {
    return this.#ending.signal
  }

  end(reason: unknown): void {
    this.#ending.abort(reason)
  }

  /** What is still asked for is not wanted any more. */
  [Symbol.dispose](): void {
    this.#timer?.cancel()
    this.#exchange.onDrain = undefined
    this.#exchange.req.socket.off('close', this.#leave)
    this.end(new CallerGone('the stream is over'))
  }
}

const HALF_CLOSED_MS = 1_000

const halfClosed = () => fail('unavailable', 'Keep your side of the connection open for as long as you want events.')

async function* only<Message>(message: Message): AsyncGenerator<Message> {
  yield message
}
