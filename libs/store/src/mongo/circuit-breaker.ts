/**
 * Answers calls early while the server is down. A call waits for a server that stalls for a moment, but once the server
 * has answered nothing for `openAfterMs`, the circuit opens: reads that wait, and all later calls, fail at once. Probes
 * go on meanwhile, and the first answer closes the circuit again. A write that was sent goes on: whether it was made is
 * found out as ever.
 */
import type { Clock } from '@millhand/process'

const lookEveryMs = 500
/**
 * At so many looks in a row the server has answered nothing since the first. Looks are counted, not time: a process that
 * stood still, or got no processor, has answers that wait to be read.
 */
const openAtLook = 10
/** A stall shorter than this fails no call. */
export const openAfterMs = openAtLook * lookEveryMs
/** A server that is silent for so long is probed, so that one slow command opens no circuit. */
const probeAtLook = 2
/** A probe on a connection that died silently hangs, so there are others beside it. */
const mostProbes = 3

export interface CircuitBreakerOptions {
  readonly clock: Clock
  /** Resolves when the server has answered. */
  readonly probe: () => Promise<void>
  /** Whether a failure says that the server did not answer. */
  readonly isSilence: (error: unknown) => boolean
  /** What calls are answered while the circuit is open. */
  readonly refusal: () => Error
  readonly onChange: (isOpen: boolean) => void
}

export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions
  readonly #reads = new Set<(error: Error) => void>()
  #underWay = 0
  /** How many looks have found that the server owes an answer and has given none. */
  #silentLooks = 0
  #isOpen = false
  /** Whether a call has failed for want of an answer, and none has come since. */
  #hasFailed = false
  #isClosed = false
  #probes = 0
  #watch: { cancel(): void } | undefined

  constructor(options: CircuitBreakerOptions) {
    this.#options = options
  }

  /** Waits for its answer also when the circuit opens meanwhile. */
  async write<R>(work: () => Promise<R>): Promise<R> {
    this.#begin()
    try {
      const answer = await work()
      this.#end(true)
      return answer
    } catch (error) {
      this.#end(!this.#options.isSilence(error))
      throw error
    }
  }

  /** Fails as soon as the circuit opens. */
  read<R>(work: () => Promise<R>): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#reads.add(reject)
      this.write(work)
        .then(resolve, reject)
        .finally(() => this.#reads.delete(reject))
    })
  }

  /** The server has answered something. */
  answered(): void {
    this.#silentLooks = 0
    this.#hasFailed = false
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#options.onChange(false)
  }

  /** Ends the probes. Calls are passed through from then on. */
  close(): void {
    this.#isClosed = true
    this.#watch?.cancel()
    this.answered()
  }

  #begin(): void {
    if (this.#isOpen) throw this.#options.refusal()
    this.#underWay += 1
    this.#lookLater()
  }

  #end(isAnswer: boolean): void {
    this.#underWay -= 1
    if (isAnswer) this.answered()
    else {
      this.#hasFailed = true
      this.#lookLater()
    }
  }

  #lookLater(): void {
    if (this.#isClosed) return
    this.#watch ??= this.#options.clock.timer(lookEveryMs, () => {
      this.#watch = undefined
      this.#look()
    })
  }

  #look(): void {
    if (this.#underWay === 0 && !this.#hasFailed && !this.#isOpen) return
    this.#silentLooks += 1
    if (this.#silentLooks >= openAtLook) this.#open()
    const isSuspect = this.#hasFailed || this.#silentLooks >= probeAtLook
    if (isSuspect && this.#probes < mostProbes) void this.#probe()
    this.#lookLater()
  }

  #open(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#options.onChange(true)
    for (const reject of this.#reads) reject(this.#options.refusal())
  }

  async #probe(): Promise<void> {
    this.#probes += 1
    try {
      await this.#options.probe()
      this.answered()
    } catch {
      this.#hasFailed = true
    } finally {
      this.#probes -= 1
    }
  }
}
