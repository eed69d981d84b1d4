/** The lifetime of an event stream. */
import { fail } from '@millhand/api'
import type { Clock, Timer } from '@millhand/process'
import { CallerGone, type Exchange } from '../exchange.ts'
import type { PacedJobs } from './paced-jobs.ts'

/** Its signal ends when the caller leaves, also while earlier answers of the connection are not sent yet. */
export class StreamLifetime implements Disposable {
  readonly #ending = new AbortController()
  readonly #exchange: Exchange
  readonly #leave: () => void
  #timer: Timer | undefined

  /** `endsHalfClosed`: whether the stream ends, after a second, where the caller closes its side of the connection. */
  constructor(exchange: Exchange, clock: Clock, jobs: PacedJobs, endsHalfClosed: boolean) {
    this.#exchange = exchange
    this.#leave = () => jobs.add(() => this.end(new CallerGone('the caller left its event stream')))
    const { socket } = exchange
    socket.on('close', this.#leave)
    if (socket.destroyed) this.#leave()
    if (!endsHalfClosed) return
    // The caller may be gone, or may still read.
    exchange.onDrain = () => {
      this.#timer ??= clock.timer(HALF_CLOSED_MS, () => jobs.add(() => this.end(halfClosed())))
    }
    if (exchange.isDraining) exchange.onDrain()
  }

  get signal(): AbortSignal {
    return this.#ending.signal
  }

  end(reason: unknown): void {
    this.#ending.abort(reason)
  }

  /** Ends the call to the service, too. */
  [Symbol.dispose](): void {
    this.#timer?.cancel()
    this.#exchange.onDrain = undefined
    this.#exchange.socket.off('close', this.#leave)
    this.end(new CallerGone('the stream is over'))
  }
}

const HALF_CLOSED_MS = 1_000

const halfClosed = () => fail('unavailable', 'Keep your side of the connection open for as long as you want events.')
