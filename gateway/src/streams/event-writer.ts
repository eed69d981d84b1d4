/** The body of an event stream, written no faster than its reader takes it. */
import { fail } from '@millhand/api'
import type { Clock } from '@millhand/process'
import type { Exchange } from '../exchange.ts'
import { heartbeatText } from './heartbeat.ts'

export interface EventWriterOptions {
  /** Its answer has begun. */
  readonly exchange: Exchange
  readonly clock: Clock
  /** Milliseconds in which the reader has to take something. */
  readonly readerMs: number
  /** Ends what waits for the reader, with its reason. */
  readonly signal: AbortSignal
}

/** What is written at once: a reader is given its time for so much, and not for a whole event, which may be large. */
const PIECE_BYTES = 16_384
/** How long a reader that was cut may still take what is on its way. */
const GRACE_MS = 2_000

export class EventWriter {
  readonly #options: EventWriterOptions
  /** Of the text that is being written, what was not written yet. */
  #rest: Buffer | string = ''
  #isWriting = false
  #isStuck = false

  constructor(options: EventWriterOptions) {
    this.#options = options
  }

  /**
   * Resolves when the reader has taken what came before, but for some tens of kilobytes. Fails with `deadline_exceeded`
   * where it takes nothing in its time, and with the signal's reason. For one text at a time.
   */
  async write(text: string): Promise<void> {
    const { res } = this.#options.exchange
    this.#isWriting = true
    this.#rest = text.length > PIECE_BYTES ? Buffer.from(text) : text
    while (this.#rest.length > 0) {
      const piece = this.#rest.slice(0, PIECE_BYTES)
      this.#rest = this.#rest.slice(PIECE_BYTES)
      if (!res.write(piece)) await this.#taken()
    }
    this.#isWriting = false
  }

  /** Shows that the stream is alive, unless the reader has enough to take already. */
  beat(): void {
    const { res } = this.#options.exchange
    if (!this.#isWriting && !res.writableNeedDrain) res.write(heartbeatText)
  }

  /** Ends the stream, behind what is unsent of it, and resolves when it is sent, or can't be. */
  end(text = ''): Promise<void> {
    const { exchange, clock, readerMs } = this.#options
    const { req, res } = exchange
    this.#isWriting = true
    if (this.#rest.length > 0) res.write(this.#rest)
    if (text !== '') res.write(text)
    exchange.finish()
    return new Promise(resolve => {
      const timer = clock.timer(this.#isStuck ? GRACE_MS : readerMs, () => {
        // Where answers before it are still to be sent, it has no connection of its own that could be cut.
        if (res.socket === null) req.socket.destroy()
        exchange.cut()
      })
      const over = () => {
        timer.cancel()
        res.off('finish', over)
        req.socket.off('close', over)
        resolve()
      }
      res.on('finish', over)
      req.socket.on('close', over)
      if (req.socket.destroyed) over()
    })
  }

  #taken(): Promise<void> {
    const { exchange, clock, readerMs, signal } = this.#options
    const { res } = exchange
    return new Promise((resolve, reject) => {
      const settle = () => {
        timer.cancel()
        res.off('drain', taken)
        signal.removeEventListener('abort', ended)
      }
      const taken = () => {
        settle()
        resolve()
      }
      const ended = () => {
        settle()
        reject(signal.reason)
      }
      const timer = clock.timer(readerMs, () => {
        settle()
        this.#isStuck = true
        reject(tooSlow(readerMs))
      })
      res.on('drain', taken)
      signal.addEventListener('abort', ended)
      if (signal.aborted) ended()
    })
  }
}

const tooSlow = (readerMs: number) =>
  fail('deadline_exceeded', `Nothing was taken for ${readerMs / 1000} s. Come back with the last \`id\` that you have.`)
