/** One stream to one replica, and the calls in it. */

import { ConnectError, type Transport } from '@connectrpc/connect'
import { type Frame, type Frames, Signal, TunnelService } from '@millhand/api/gen/millhand/rpc/v1/tunnel_pb.ts'
import type { Clock } from '@millhand/process'
import { canceled, tooLarge, unavailable, violation } from './call-errors.ts'
import { frameOf, type Kind, signalFrame } from './frames.ts'
import { KeepaliveTimer } from './keepalive-timer.ts'
import type { OutgoingCall } from './outgoing-call.ts'
import type { StreamCarrier } from './outgoing-stream.ts'
import { SendQueue } from './send-queue.ts'

/** A replica that says nothing for so long is dead, or as good as. */
const SILENCE_MS = 3_000
/** More than this, whatever the server allows, is not a load but a leak. */
const MAX_CALLS = 65_536

/** Opens streams to one replica; `close` ends the connection, where it is one, and a later stream opens another. */
export interface ReplicaTransport extends Transport {
  close?(): void
}

export interface ClientTunnelOptions {
  readonly replica: ReplicaTransport
  readonly clock: Clock
  /** The server takes calls. */
  readonly onReady: () => void
  /** It says that it has all it needs, or no more. One that does not say so at once has. */
  readonly onServes: (serves: boolean) => void
  /** It takes no more calls; those in flight are answered. */
  readonly onGoAway: () => void
  /** Calls can be carried again, after the tunnel was full. */
  readonly onRoom: () => void
  /** The tunnel is no more. Called before its calls are told. */
  readonly onEnd: (error: ConnectError) => void
}

export class ClientTunnel implements StreamCarrier {
  readonly sendQueue: SendQueue
  readonly #options: ClientTunnelOptions
  readonly #abort = new AbortController()
  readonly #keepalive: KeepaliveTimer
  readonly #ended = Promise.withResolvers<void>()
  /** By the number of the call. Its own slot, and not a map, so that nothing of an old call is kept. */
  readonly #calls: (OutgoingCall | typeof abandoned | undefined)[] = []
  readonly #free: number[] = []
  #maxCalls = 0
  #maxMessageBytes = 0
  #serves = true
  #going = false
  #over = false

  constructor(options: ClientTunnelOptions) {
    this.#options = options
    this.sendQueue = new SendQueue(options.onRoom)
    this.#keepalive = new KeepaliveTimer(
      options.clock,
      SILENCE_MS,
      tick => {
        if (tick % 2 === 0) this.sendQueue.push(signalFrame(0, Signal.PING))
      },
      () => {
        this.cut(unavailable(`the replica was silent for ${SILENCE_MS} ms`))
        // The next tunnel must not be opened on a connection that may be dead.
        options.replica.close?.()
      },
    )
  }

  /** Opens the stream and reads it. Resolves when the tunnel is no more. */
  async open(): Promise<void> {
    const { replica } = this.#options
    try {
      const { signal } = this.#abort
      const response = await replica.stream(TunnelService.method.open, signal, undefined, undefined, this.sendQueue)
      for await (const { frames } of response.message as AsyncIterable<Frames>) {
        if (this.#over) return
        this.#keepalive.touch()
        for (const frame of frames) this.#receive(frame)
      }
      this.cut(unavailable('the replica closed the tunnel'))
    } catch (reason) {
      this.cut(unavailable(`the tunnel broke: ${ConnectError.from(reason).message}`, reason))
    }
  }

  /** Whether a call can begin here now. */
  get accepts(): boolean {
    return this.#open < this.#maxCalls && !this.#going && this.sendQueue.hasRoom
  }

  /** Whether the replica said last that it has all it needs. */
  get serves(): boolean {
    return this.#serves
  }

  /** Resolves when the tunnel is no more. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  get maxMessageBytes(): number {
    return this.#maxMessageBytes
  }

  /** Begins a call, where the tunnel `accepts` one. */
  begin(call: OutgoingCall): void {
    const bytes = call.begin.message.length
    if (bytes > this.#maxMessageBytes) {
      call.stop(tooLarge(bytes, this.#maxMessageBytes))
      return
    }
    const id = this.#free.pop() ?? this.#calls.length
    this.#calls[id] = call
    const value = call.carry(this, id)
    call.number = this.sendQueue.push(frameOf(id, { case: 'begin', value }))
  }

  abandon(call: OutgoingCall): void {
    if (this.#calls[call.id] !== call) return
    if (this.sendQueue.withdraw(call.number)) {
      this.#release(call.id)
    } else {
      // The number is free when the server has said that the call is over, and not before.
      this.#calls[call.id] = abandoned
      this.sendQueue.push(signalFrame(call.id, Signal.CANCEL))
    }
  }

  /** Ends the tunnel at once, and its calls with `error`. Idempotent. */
  cut(error: ConnectError): void {
    if (this.#over) return
    this.#over = true
    this.#maxCalls = 0
    this.#keepalive.stop()
    this.sendQueue.close()
    this.#abort.abort(canceled('the tunnel was cut'))
    this.#options.onEnd(error)
    for (const call of this.#calls.splice(0)) {
      if (call !== undefined && call !== abandoned) call.lost(error, this.sendQueue.isTaken(call.number))
    }
    this.#ended.resolve()
  }

  get #open(): number {
    return this.#calls.length - this.#free.length
  }

  #receive({ call: id, kind }: Frame): void {
    switch (kind.case) {
      case undefined:
        return
      case 'hello':
        this.#maxCalls = Math.min(kind.value.maxCalls, MAX_CALLS)
        this.#maxMessageBytes = kind.value.maxMessageBytes
        this.#options.onReady()
        return
      case 'signal':
        if (kind.value === Signal.GO_AWAY) this.#goAway()
        else if (kind.value === Signal.PONG) this.#say(true)
        else if (kind.value === Signal.PONG_UNREADY) this.#say(false)
        return
      default:
        this.#receiveOfCall(id, kind)
    }
  }

  #receiveOfCall(id: number, kind: Kind): void {
    const call = this.#calls[id]
    if (call === undefined) throw violation(`"${kind.case}" of a call that is not open`)
    if (kind.case === 'answer' || kind.case === 'end') {
      this.#calls[id] = undefined
      if (call !== abandoned) call.receive(kind)
      this.#release(id)
    } else if (call !== abandoned) {
      call.receive(kind)
    }
  }

  #release(id: number): void {
    const full = this.#open === this.#maxCalls
    this.#calls[id] = undefined
    this.#free.push(id)
    if (this.#going) this.#endIfIdle()
    else if (full) this.#options.onRoom()
  }

  #say(serves: boolean): void {
    if (this.#serves === serves) return
    this.#serves = serves
    this.#options.onServes(serves)
  }

  #goAway(): void {
    if (this.#going) return
    this.#going = true
    this.#options.onGoAway()
    this.#endIfIdle()
  }

  /** Tells the server that no call comes any more; it then ends its side. */
  #endIfIdle(): void {
    if (this.#open === 0) this.sendQueue.end()
  }
}

/** Stands for a call that its caller has given up and the server has not answered yet. */
const abandoned = Symbol('abandoned')
