/** One call of this process, wherever it is carried: until it was answered, cancelled, or its deadline passed. */

import type { DescMethod } from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Begin } from '@millhand/api/gen/millhand/rpc/v1/tunnel_pb.ts'
import type { Clock, Timer } from '@millhand/process'
import { canceled } from './call-errors.ts'
import type { Kind } from './frames.ts'

/** What carries a call. */
export interface Carrier {
  /** Tells the server, where it knows of the call, that no answer is wanted. */
  abandon(call: OutgoingCall): void
}

/** Finds a carrier for a call. */
export interface Dispatcher {
  readonly clock: Clock
  place(call: OutgoingCall): void
}

/** How often a call without side effects is sent: one that ends every replica that serves it must not go on for ever. */
const MAX_TRIES = 4

export abstract class OutgoingCall {
  readonly method: DescMethod
  readonly begin: Begin
  /** Makes the header lines for another try: a signature in the first ones may be over. */
  headerAgain: (() => string[]) | undefined
  /** Where the call is, from when it was placed. */
  carrier: Carrier | undefined
  id = 0
  /** The number of its first frame in the carrier's send queue. */
  number = 0
  #over = false
  #tries = 0
  #signal: AbortSignal | undefined
  #deadline = Number.POSITIVE_INFINITY
  #timer: Timer | undefined
  readonly #dispatcher: Dispatcher

  constructor(dispatcher: Dispatcher, method: DescMethod, begin: Begin) {
    this.#dispatcher = dispatcher
    this.method = method
    this.begin = begin
  }

  get over(): boolean {
    return this.#over
  }

  /** Ends the call when `signal` fires, or when `timeoutMs` have passed; as in Connect's clients 0 is no deadline. */
  limit(signal: AbortSignal | undefined, timeoutMs: number | undefined): void {
    if (signal !== undefined) {
      this.#signal = signal
      if (signal.aborted) {
        this.handleEvent()
        return
      }
      signal.addEventListener('abort', this)
    }
    if (timeoutMs !== undefined && timeoutMs > 0) {
      const { clock } = this.#dispatcher
      this.#deadline = clock.monotonic() + timeoutMs
      this.#timer = clock.timer(timeoutMs, () => {
        this.stop(new ConnectError('the operation timed out', Code.DeadlineExceeded))
      })
    }
  }

  /** The signal has fired. */
  handleEvent(): void {
    this.stop(canceled(this.#signal?.reason))
  }

  dispatch(): void {
    if (!this.#over) this.#dispatcher.place(this)
  }

  /** A carrier takes the call. */
  carry(carrier: Carrier, id: number): Begin {
    this.carrier = carrier
    this.id = id
    this.#tries++
    if (this.#tries > 1 && this.headerAgain) this.begin.header = this.headerAgain()
    if (this.#deadline !== Number.POSITIVE_INFINITY) {
      const left = Math.max(1, Math.ceil(this.#deadline - this.#dispatcher.clock.monotonic()))
      this.begin.timeoutMs = left < 2 ** 32 ? left : 0
    }
    return this.begin
  }

  /** The carrier is gone, and the server may have seen the call where it was `written`. */
  lost(error: ConnectError, written: boolean): void {
    this.carrier = undefined
    if (!written) this.#tries--
    if (!written || (isRepeatable(this.method) && this.#tries < MAX_TRIES)) this.dispatch()
    else this.stop(error)
  }

  /** Ends the call with an error, here and on the server. Idempotent. */
  stop(error: unknown): void {
    if (this.#over) return
    this.settle()
    this.carrier?.abandon(this)
    this.fail(error)
  }

  /** A frame of the call has come. */
  abstract receive(kind: Kind): void

  /** The call is over: nothing ends it any more. */
  protected settle(): void {
    this.#over = true
    this.#timer?.cancel()
    this.#signal?.removeEventListener('abort', this)
  }

  /** Tells the caller. */
  protected abstract fail(error: unknown): void
}

const isRepeatable = (method: DescMethod) =>
  method.methodKind === 'unary' && method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS
