/** One stream from one process that calls, and the calls in it. */

import type { DescMethod } from '@bufbuild/protobuf'
import { Code, ConnectError, type ContextValues, type HandlerContext, type Transport } from '@connectrpc/connect'
import { type Begin, type Frame, type Frames, Signal } from '@millhand/api/gen/millhand/rpc/v1/tunnel_pb.ts'
import type { Clock } from '@millhand/process'
import { otherProcessKey } from '../call.ts'
import { drainingKey } from '../network/draining.ts'
import { canceled, endFrame, tooLarge, unavailable, violation } from './call-errors.ts'
import { helloFrame, signalFrame } from './frames.ts'
import { HeaderLines } from './header-lines.ts'
import { IncomingCall } from './incoming-call.ts'
import { KeepaliveTimer } from './keepalive-timer.ts'
import { SendQueue } from './send-queue.ts'

/** A caller that says nothing for so long is gone: it pings every second. */
const SILENCE_MS = 10_000
/** Twice what a caller of ours sends at once: its batches are bounded, and a frame counts as 64 bytes at least. */
const MAX_FRAMES = 8_192
/** What the requests of the open calls may hold in this process. */
const HELD_BYTES = 256 * 1024 * 1024

/**
 * Checks one call; throws a ConnectError to refuse it. `tunnel` is the stream's own context, whose header says which
 * process calls. Returns the context values that the handler sees, new ones for each call.
 */
export type Admit = (tunnel: HandlerContext, method: DescMethod, header: Pick<Headers, 'get'>) => ContextValues

export interface ServerTunnelOptions {
  readonly transport: Transport
  /** By path. */
  readonly methods: ReadonlyMap<string, DescMethod>
  readonly admit: Admit
  readonly maxCalls: number
  readonly maxMessageBytes: number
  readonly ready: () => boolean
  readonly clock: Clock
}

/** Whatever the caller sends ends a call or the tunnel, and nothing else. */
export class ServerTunnel {
  readonly sendQueue = new SendQueue()
  readonly #options: ServerTunnelOptions
  readonly #context: HandlerContext
  readonly #keepalive: KeepaliveTimer
  readonly #ended = Promise.withResolvers<void>()
  /** By the number of the call, which the caller chooses below `maxCalls`. */
  readonly #calls: (IncomingCall | undefined)[] = []
  readonly #draining: AbortSignal
  #open = 0
  #held = 0
  #callerIsDone = false
  #over = false

  constructor(options: ServerTunnelOptions, context: HandlerContext) {
    this.#options = options
    this.#context = context
    this.#draining = context.values.get(drainingKey)
    this.#keepalive = new KeepaliveTimer(
      options.clock,
      SILENCE_MS,
      () => {},
      () => this.#end(unavailable(`the caller was silent for ${SILENCE_MS} ms`)),
    )
    context.signal.addEventListener('abort', () => this.#end(), { once: true })
    this.sendQueue.push(helloFrame(options.maxCalls, options.maxMessageBytes))
    if (!options.ready()) this.#pong()
  }

  /** Resolves when the tunnel is no more. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  /** Answers the calls that come, until the caller begins no more and all are answered. */
  async serve(requests: AsyncIterable<Frames>): Promise<void> {
    try {
      for await (const { frames } of requests) {
        if (this.#over) return
        this.#keepalive.touch()
        if (frames.length > MAX_FRAMES) throw violation(`${frames.length} frames in one message`)
        for (const frame of frames) this.#receive(frame)
        // A caller that does not take its answers can ask for no more.
        if (!this.sendQueue.hasRoom) await this.sendQueue.room()
      }
      this.#callerIsDone = true
      this.#endIfIdle()
    } catch (reason) {
      this.#end(ConnectError.from(reason, Code.Internal))
    }
  }

  /** Asks the caller to begin no more calls. */
  goAway(): void {
    this.sendQueue.push(signalFrame(0, Signal.GO_AWAY))
  }

  #receive({ call: id, kind }: Frame): void {
    switch (kind.case) {
      case undefined:
        return
      case 'begin':
        this.#begin(id, kind.value)
        return
      default:
        if (kind.case === 'signal' && kind.value === Signal.PING) this.#pong()
        // What the caller sent before it knew of the end of a call is late, and no fault.
        else this.#calls[id]?.receive(kind)
    }
  }

  #pong(): void {
    this.sendQueue.push(signalFrame(0, this.#options.ready() ? Signal.PONG : Signal.PONG_UNREADY))
  }

  #begin(id: number, begin: Begin): void {
    const { maxCalls, maxMessageBytes, methods, admit, transport } = this.#options
    if (id >= maxCalls) throw violation(`more than ${maxCalls} calls are open`)
    if (this.#calls[id] !== undefined) throw violation('a call that is open was begun')
    const { sendQueue } = this
    const refuse = (reason: unknown) => sendQueue.push(endFrame(id, [], reason))
    const method = methods.get(begin.method)
    if (method === undefined) {
      refuse(new ConnectError('nobody serves this method here', Code.Unimplemented))
      return
    }
    if (begin.message.length > maxMessageBytes) {
      refuse(tooLarge(begin.message.length, maxMessageBytes))
      return
    }
    if (this.#held + begin.message.length > HELD_BYTES) {
      refuse(overloaded())
      return
    }
    let values: ContextValues
    try {
      values = admit(this.#context, method, new HeaderLines(begin.header))
      values.set(drainingKey, this.#draining).set(otherProcessKey, true)
    } catch (reason) {
      refuse(reason)
      return
    }
    const call: IncomingCall = new IncomingCall({
      id,
      method,
      begin,
      values,
      transport,
      sendQueue,
      maxMessageBytes,
      hold: bytes => {
        this.#held += bytes
        if (bytes > 0 && this.#held > HELD_BYTES) call.stop(overloaded())
      },
      finish: frame => {
        this.#calls[id] = undefined
        this.#open--
        sendQueue.push(frame)
        this.#endIfIdle()
      },
    })
    this.#calls[id] = call
    this.#open++
    call.start()
  }

  #endIfIdle(): void {
    if (!this.#callerIsDone || this.#open > 0) return
    this.sendQueue.end()
    this.#end()
  }

  /** Ends the tunnel and its calls, whose handlers' signals fire. Idempotent. */
  #end(error?: ConnectError): void {
    if (this.#over) return
    this.#over = true
    this.#keepalive.stop()
    // An orderly end lets out what is queued.
    if (error !== undefined || !this.#callerIsDone || this.#open > 0) this.sendQueue.close(error)
    for (const call of this.#calls.splice(0)) call?.stop(canceled('the caller is gone'))
    this.#ended.resolve()
  }
}

const overloaded = () => new ConnectError('the calls that are open hold too much', Code.ResourceExhausted)
