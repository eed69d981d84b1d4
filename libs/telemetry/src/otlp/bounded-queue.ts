/** What waits to be sent to a collector, counted. */

/** `queue_full`: more waited than may; `export_failed`: the collector did not take them. */
export type DropReason = 'queue_full' | 'export_failed'

/** Hears of what could not be sent. */
export type OnDropped = (reason: DropReason, count: number) => void

/** An exporter of the SDK, of whatever it sends. */
interface Exporter<T> {
  export(items: T[], done: (result: { readonly code: number; readonly error?: Error }) => void): void
}

/**
 * Counts what waits to be sent, and refuses that for which the SDK's own queue, which has the same size, has no room: that
 * drops it without a count.
 */
export class BoundedQueue {
  readonly #max: number
  #waiting = 0
  #dropped: OnDropped | undefined

  constructor(max: number) {
    this.#max = max
  }

  onDropped(dropped: OnDropped): void {
    this.#dropped = dropped
  }

  admit(): boolean {
    if (this.#waiting < this.#max) {
      this.#waiting++
      return true
    }
    this.#dropped?.('queue_full', 1)
    return false
  }

  /** Counts what `exporter` takes over. */
  exporting<T>(exporter: Exporter<T>): Exporter<T>['export'] {
    return (items, done) => {
      this.#waiting -= items.length
      exporter.export(items, result => {
        if (result.code !== 0) this.#dropped?.('export_failed', items.length)
        done(result)
      })
    }
  }
}
