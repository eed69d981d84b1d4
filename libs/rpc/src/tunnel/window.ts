/** Back-pressure of one streaming call: its reader says how much more may be sent, so that it is never far behind. */
import { type DescMessage, fromBinary, type Message } from '@bufbuild/protobuf'
import { binaryOptions } from '../binary-options.ts'
import { violation } from './call-errors.ts'

/** What a reader lets a sender be ahead. */
export const WINDOW_BYTES = 128 * 1024

/** A message costs more than its bytes, so that empty ones cost too. */
const costOf = (bytes: Uint8Array) => bytes.length + 32

/** How much a sender may send. */
export class SendWindow {
  #credit: number
  #closed = false
  #wake: (() => void) | undefined

  constructor(credit: number) {
    this.#credit = credit
  }

  grant(credit: number): void {
    // A peer that grants without end gains nothing: the outbox is bounded too.
    this.#credit = Math.min(this.#credit + credit, 2 ** 32)
    if (this.#credit > 0) this.#wake?.()
  }

  spend(message: Uint8Array): void {
    this.#credit -= costOf(message)
  }

  /** Nothing more is sent: who waits goes on. Idempotent. */
  close(): void {
    this.#closed = true
    this.#wake?.()
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Resolves when a message may be sent, or the window is closed. For one sender. */
  async opened(): Promise<void> {
    if (this.#credit > 0 || this.#closed) return
    await new Promise<void>(resolve => {
      this.#wake = resolve
    })
    this.#wake = undefined
  }
}

export interface ReceiveQueueOptions {
  /** What the messages are. */
  readonly desc: DescMessage
  /** Lets the sender send so many bytes more. */
  readonly grant: (credit: number) => void
  /** The reader wants no more messages, or cannot read what came. */
  readonly leave: (reason?: unknown) => void
  /** So many bytes more (or less, where negative) wait to be read. */
  readonly hold?: (bytes: number) => void
}

/** The messages of a call that have come and were not read yet, for one reader. They are parsed when they are read. */
export class ReceiveQueue implements AsyncIterableIterator<Message> {
  readonly #options: ReceiveQueueOptions
  #messages: Uint8Array[] = []
  #credit = WINDOW_BYTES
  #owed = 0
  #end: { readonly error?: unknown } | undefined
  #reader: PromiseWithResolvers<IteratorResult<Message>> | undefined

  constructor(options: ReceiveQueueOptions) {
    this.#options = options
  }

  /** @throws ConnectError when the sender had no credit */
  push(bytes: Uint8Array): void {
    if (this.#end !== undefined) return
    if (this.#credit <= 0) throw violation('a message without credit')
    this.#credit -= costOf(bytes)
    // It is part of a batch, all of which it would keep while it waits here.
    this.#messages.push(this.#reader === undefined ? bytes.slice() : bytes)
    this.#options.hold?.(bytes.length)
    this.#deliver()
  }

  /** No message comes any more. Those that have come are still read, unless there is an error that cannot wait. */
  end(error?: unknown, urgent = false): void {
    if (this.#end !== undefined) return
    this.#end = error === undefined ? {} : { error }
    if (urgent) this.#forget()
    this.#deliver()
  }

  next(): Promise<IteratorResult<Message>> {
    this.#reader = Promise.withResolvers()
    const { promise } = this.#reader
    this.#deliver()
    return promise
  }

  return(): Promise<IteratorResult<Message>> {
    this.#forget()
    this.end()
    this.#options.leave()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #deliver(): void {
    const reader = this.#reader
    if (reader === undefined) return
    const bytes = this.#messages.shift()
    if (bytes === undefined && this.#end === undefined) return
    this.#reader = undefined
    if (bytes !== undefined) {
      this.#options.hold?.(-bytes.length)
      this.#read(bytes, reader)
    } else if (this.#end?.error !== undefined) reader.reject(this.#end.error)
    else reader.resolve({ done: true, value: undefined })
  }

  #read(bytes: Uint8Array, reader: PromiseWithResolvers<IteratorResult<Message>>): void {
    try {
      reader.resolve({ done: false, value: fromBinary(this.#options.desc, bytes, binaryOptions) })
    } catch (cause) {
      const error = violation(`not a ${this.#options.desc.typeName}`)
      error.cause = cause
      this.#end = { error }
      this.#forget()
      reader.reject(error)
      this.#options.leave(error)
      return
    }
    this.#owed += costOf(bytes)
    if (this.#owed < WINDOW_BYTES / 2 || this.#end !== undefined) return
    this.#credit += this.#owed
    this.#options.grant(this.#owed)
    this.#owed = 0
  }

  #forget(): void {
    for (const bytes of this.#messages) this.#options.hold?.(-bytes.length)
    this.#messages = []
  }
}
