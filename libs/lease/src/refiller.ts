/** Fills a ready queue from the store, as far as its windows go. */
import type { ReadyQueue, Refill } from './ready-queue.ts'
import { type FlowIndex, readyOfRank, readyWork } from './stored-work.ts'
import type { Work } from './work.ts'
import type { WorkStore } from './work-store.ts'

interface RefillerOptions<T extends Work> {
  readonly name: string
  readonly work: Pick<WorkStore<T, never>, 'find'>
  readonly flows: FlowIndex<T>
  readonly queue: () => ReadyQueue
  readonly offer: (work: T) => void
  /** Hears why a refill failed, which goes on with the next. */
  readonly onError: (error: unknown) => void
}

export class Refiller<T extends Work> {
  readonly #options: RefillerOptions<T>
  #refilling: Promise<void> | undefined

  constructor(options: RefillerOptions<T>) {
    this.#options = options
  }

  /** Offers everything that waits in the store, flow by flow. */
  async fill(): Promise<void> {
    const { name, work, flows, queue, offer } = this.#options
    for await (const page of readyWork(work, name, flows, queue())) for (const one of page) offer(one)
  }

  /**
   * Begins to read the parts of which a window has half emptied, one after the other; nobody needs to wait for it who has
   * work. Undefined where there are none, else the promise of those that are being read.
   */
  refill(): Promise<void> | undefined {
    if (this.#refilling) return this.#refilling
    const queue = this.#options.queue()
    const refills = queue.beginRefills()
    if (refills.length === 0) return undefined
    const refilling = this.#readAll(queue, refills)
    this.#refilling = refilling
    refilling.then(
      () => {
        this.#refilling = undefined
        void this.refill() // What has half emptied meanwhile.
      },
      error => {
        this.#refilling = undefined
        this.#options.onError(error)
      },
    )
    return refilling
  }

  async #readAll(queue: ReadyQueue, refills: readonly Refill[]): Promise<void> {
    const unread = new Set(refills)
    try {
      for (const refill of unread) {
        await this.#read(queue, refill)
        unread.delete(refill)
      }
    } finally {
      for (const refill of unread) queue.more(refill)
    }
  }

  /** Reads the first of a flow's work of a rank, as much as the window holds. */
  async #read(queue: ReadyQueue, refill: Refill): Promise<void> {
    const { name, work, flows, offer } = this.#options
    const { window } = queue
    let read = 0
    for await (const page of readyOfRank(work, name, flows, refill, window)) {
      const waiting = page.filter(({ status }) => status === 'queued') // Others were claimed since.
      for (const one of waiting) offer(one)
      read += waiting.length
      if (read >= window) {
        queue.more(refill)
        return
      }
    }
  }
}
