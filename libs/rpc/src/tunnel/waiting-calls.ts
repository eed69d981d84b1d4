/** Calls that no replica can take now, in the order in which they came. */
import type { Clock, Timer } from '@millhand/process'
import { unavailable } from './call-errors.ts'
import type { OutgoingCall } from './outgoing-call.ts'

export class WaitingCalls {
  readonly #clock: Clock
  readonly #waitMs: number
  #calls: { readonly call: OutgoingCall; readonly until: number }[] = []
  #timer: Timer | undefined

  constructor(clock: Clock, waitMs: number) {
    this.#clock = clock
    this.#waitMs = waitMs
  }

  get none(): boolean {
    return this.#calls.length === 0
  }

  add(call: OutgoingCall): void {
    this.#calls.push({ call, until: this.#clock.monotonic() + this.#waitMs })
    this.#arm()
  }

  /** Gives each call to `take`, until that says that it cannot. */
  give(take: (call: OutgoingCall) => boolean): void {
    const calls = this.#calls
    let given = 0
    for (const { call } of calls) {
      if (!call.over && !take(call)) break
      given++
    }
    // Those that `take` had to bring back are behind.
    this.#calls = calls.slice(given)
    this.#arm()
  }

  /** Fails all of them. */
  fail(error: unknown): void {
    for (const { call } of this.#calls.splice(0)) call.stop(error)
    this.#arm()
  }

  /** All wait equally long, so that one timer, for the first, is enough. */
  #arm(): void {
    const first = this.#calls[0]
    if (first === undefined) {
      this.#timer?.cancel()
      this.#timer = undefined
    } else {
      this.#timer ??= this.#clock.timer(Math.max(0, first.until - this.#clock.monotonic()), () => {
        this.#timer = undefined
        this.#expire()
      })
    }
  }

  #expire(): void {
    const now = this.#clock.monotonic()
    const live = this.#calls.findIndex(({ until }) => until > now)
    const late = this.#calls.splice(0, live === -1 ? this.#calls.length : live)
    this.#arm()
    for (const { call } of late) call.stop(unavailable(`no replica took the call within ${this.#waitMs} ms`))
  }
}
