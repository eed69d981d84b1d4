/** Gives results back: all of one turn of the event loop in one call, again until they are taken or refused. */
import type { Client } from '@connectrpc/connect'
import type { LeaseService, Result } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { Clock } from '@millhand/runner'
import type { Log } from '@millhand/telemetry'

/** Longer than a lease lasts: after that a result would be refused. */
const giveUpAfterMs = 15_000
const retryEveryMs = 250

export class Results {
  readonly #leases: Client<typeof LeaseService>
  readonly #executorId: string
  readonly #clock: Clock
  readonly #log: Log
  #batch: Result[] = []
  #flushed: Promise<void> | undefined

  constructor(options: { leases: Client<typeof LeaseService>; executorId: string; clock: Clock; log: Log }) {
    this.#leases = options.leases
    this.#executorId = options.executorId
    this.#clock = options.clock
    this.#log = options.log
  }

  /** Resolves once the result was taken, refused, or can't be delivered any more. Never rejects. */
  give(result: Result): Promise<void> {
    this.#batch.push(result)
    this.#flushed ??= new Promise(resolve => {
      setImmediate(() => {
        const batch = this.#batch
        this.#batch = []
        this.#flushed = undefined
        this.#send(batch).then(resolve, resolve)
      })
    })
    return this.#flushed
  }

  async #send(results: Result[]): Promise<void> {
    const deadline = this.#clock.monotonic() + giveUpAfterMs
    for (;;) {
      try {
        const { accepted } = await this.#leases.finish({ executorId: this.#executorId, results })
        const refused = results.filter((_, i) => !accepted[i])
        for (const { workId, attempt } of refused) this.#log.info('result.refused', { task_id: workId, attempt })
        return
      } catch (error) {
        this.#log.warn('result.not_delivered', { results: results.length, error })
        if (this.#clock.monotonic() > deadline) return
        await new Promise<void>(resolve => this.#clock.timer(retryEveryMs, resolve))
      }
    }
  }
}
