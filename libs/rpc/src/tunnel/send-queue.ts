/** The frames that one side of a tunnel sends: pulled by HTTP/2 as fast as the other side takes it. */
import type { Frame, Frames } from '@millhand/api/gen/millhand/rpc/v1/tunnel_pb.ts'
import { sizeOf } from './frames.ts'

/** A message of more frames would make those that come meanwhile wait. */
const BATCH_BYTES = 256 * 1024
/** What may wait in this process. The rest waits where it was made. */
const ROOM_BYTES = 4 * 1024 * 1024

/**
 * Gathers the frames of one turn of the event loop into one message. While HTTP/2 holds the writer back, it goes on
 * gathering; producers look at `hasRoom` and wait, so that the queue stays bounded.
 */
export class SendQueue implements AsyncIterableIterator<Frames> {
  #queue: (Frame | undefined)[] = []
  #bytes = 0
  #taken = 0
  #withdrawn = 0
  #turn: NodeJS.Immediate | undefined
  #ending = false
  #closed = false
  #fault: unknown
  #pull: { resolve(result: IteratorResult<Frames>): void; reject(reason: unknown): void } | undefined
  #waiting: (() => void)[] = []
  readonly #onRoom: () => void

  /** @param onRoom is called when there is room again, after there was none */
  constructor(onRoom: () => void = () => {}) {
    this.#onRoom = onRoom
  }

  get hasRoom(): boolean {
    return this.#bytes < ROOM_BYTES
  }

  /** Resolves when there is room, or nothing goes out any more. */
  room(): Promise<void> {
    if (this.hasRoom || this.#closed) return Promise.resolve()
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  /** Queues a frame. Answers with its number, by which `withdraw` and `isTaken` know it. */
  push(frame: Frame): number {
    const number = this.#taken + this.#queue.length
    if (this.#closed || this.#ending) return number
    this.#queue.push(frame)
    this.#bytes += sizeOf(frame)
    this.#turn ??= setImmediate(this.#endTurn)
    return number
  }

  /** Whether the frame of this number may have reached the other side. */
  isTaken(number: number): boolean {
    return number < this.#taken
  }

  /** Takes a frame back; false when it is too late. */
  withdraw(number: number): boolean {
    const at = number - this.#taken
    const frame = this.#queue[at]
    if (frame === undefined) return false
    this.#queue[at] = undefined
    this.#withdrawn++
    this.#release(sizeOf(frame))
    return true
  }

  /** Ends the stream when what is queued has gone out. */
  end(): void {
    this.#ending = true
    this.#turn ??= setImmediate(this.#endTurn)
  }

  /** Ends the stream at once, with an error where one is given. Idempotent. */
  close(fault?: unknown): void {
    if (this.#closed) return
    this.#closed = true
    this.#fault = fault
    this.#queue = []
    this.#bytes = 0
    clearImmediate(this.#turn)
    const pull = this.#pull
    this.#pull = undefined
    if (fault === undefined) pull?.resolve({ done: true, value: undefined })
    else pull?.reject(fault)
    this.#wake()
  }

  next(): Promise<IteratorResult<Frames>> {
    if (this.#closed) {
      const fault = this.#fault
      return fault === undefined ? Promise.resolve({ done: true, value: undefined }) : Promise.reject(fault)
    }
    return new Promise((resolve, reject) => {
      this.#pull = { resolve, reject }
      if (this.#turn === undefined) this.#deliver()
    })
  }

  return(): Promise<IteratorResult<Frames>> {
    this.close()
    return Promise.resolve({ done: true, value: undefined })
  }

  /** Connect asks for it; what goes wrong on the way is heard where the answers are read. */
  throw(reason: unknown): Promise<never> {
    this.close()
    return Promise.reject(reason)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  readonly #endTurn = () => {
    this.#turn = undefined
    this.#deliver()
  }

  #deliver(): void {
    const pull = this.#pull
    if (pull === undefined) return
    const frames = this.#take()
    if (frames.length > 0) {
      this.#pull = undefined
      pull.resolve({ done: false, value: { $typeName: 'millhand.rpc.v1.Frames', frames } })
    } else if (this.#ending) {
      this.close()
    }
  }

  #take(): Frame[] {
    const queue = this.#queue
    let bytes = 0
    let end = 0
    if (this.#bytes <= BATCH_BYTES) {
      bytes = this.#bytes
      end = queue.length
    }
    while (end < queue.length && bytes < BATCH_BYTES) {
      const frame = queue[end++]
      if (frame !== undefined) bytes += sizeOf(frame)
    }
    const batch = end === queue.length ? queue : queue.slice(0, end)
    this.#queue = end === queue.length ? [] : queue.slice(end)
    this.#taken += end
    this.#release(bytes)
    if (this.#withdrawn === 0) return batch as Frame[]
    const frames = batch.filter(frame => frame !== undefined)
    this.#withdrawn -= batch.length - frames.length
    return frames
  }

  #release(bytes: number): void {
    const full = !this.hasRoom
    this.#bytes -= bytes
    if (!full || !this.hasRoom) return
    this.#wake()
    this.#onRoom()
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}
