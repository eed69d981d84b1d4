import type { Log } from '@millhand/telemetry'
import { type ChildMessage, decodeMessage } from './child-message.ts'
import { frameReader } from './frames.ts'
import type { RunnerGone } from './task-runner.ts'

export interface InboxOptions<From> {
  /** What it said, once it is sure that the protocol has it; undefined for what it has not. That it throws is a fault of ours. */
  readonly read: (received: ChildMessage) => From | undefined
  /** How many messages may have come before somebody asks for them. One more, and it has crashed. */
  readonly ahead: number
  /** How long a message may be, and all together that nobody has asked for. One byte more, and it has crashed. */
  readonly messageBytes: number
  readonly log: Log
}

/** Messages of a child process, and those who wait for one. */
export class Inbox<From> {
  readonly #options: InboxOptions<From>
  readonly #onBreach: (what: string) => void
  readonly #readFrames: (chunk: Buffer) => void
  readonly #waiting: { resolve(message: From): void; reject(error: unknown): void }[] = []
  readonly #arrived: { readonly message: From; readonly bytes: number }[] = []
  #unreadBytes = 0
  #isBreached = false
  #ended: RunnerGone | undefined

  /** `onBreach` hears once what the child has said against the protocol. Then no message is taken any more. */
  constructor(options: InboxOptions<From>, onBreach: (what: string) => void) {
    this.#options = options
    this.#onBreach = onBreach
    const room = () => options.messageBytes - this.#unreadBytes
    this.#readFrames = frameReader(room, payload => this.#takeMessage(payload))
  }

  /** Takes bytes that the child has written. */
  take(chunk: Buffer): void {
    try {
      this.#readFrames(chunk)
    } catch {
      this.#breach('more than there is room for')
    }
  }

  /** The next message. Rejects with what the child is gone for. */
  next(): Promise<From> {
    const first = this.#arrived.shift()
    if (first) {
      this.#unreadBytes -= first.bytes
      return Promise.resolve(first.message)
    }
    if (this.#ended) return Promise.reject(this.#ended)
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  /** The child is gone: whoever waits hears it. */
  end(gone: RunnerGone): void {
    this.#ended = gone
    for (const { reject } of this.#waiting.splice(0)) reject(gone)
  }

  #takeMessage(payload: Buffer): void {
    if (this.#isBreached) return
    const received = decodeMessage(payload)
    const message = received && this.#understood(received)
    const next = message && this.#waiting.shift()
    if (!message) this.#breach('what it may not')
    else if (next) next.resolve(message)
    else if (this.#arrived.length === this.#options.ahead) this.#breach('more than it was asked')
    else {
      this.#arrived.push({ message, bytes: payload.length })
      this.#unreadBytes += payload.length
    }
  }

  #understood(received: ChildMessage): From | undefined {
    try {
      return this.#options.read(received)
    } catch (error) {
      this.#options.log.error('worker.read_failed', { error })
    }
  }

  #breach(what: string): void {
    this.#isBreached = true
    this.#onBreach(what)
  }
}
