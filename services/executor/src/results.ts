/** Gives results back: those of one turn of the event loop together, again until they are taken or refused. */
import type { Client } from '@connectrpc/connect'
import type { Result } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import type { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { Clock } from '@millhand/process'
import { type Log, traceIdsOfAll } from '@millhand/telemetry'
import { isContractViolation } from './contract-violation.ts'
import { runFields } from './lease.ts'
import { type BatchLimit, inBatches } from './message-batches.ts'
import { giveUpAfterMs, retryEveryMs } from './retry-while-unavailable.ts'

/**
 * Bytes that a result takes at most beside its output, by the bounds of its fields: a failure's message of 2,048
 * characters first. So one call has fewer results than the contract's 1,000, and less than the 4 MiB of gRPC.
 */
const besideOutput = 12 * 1024
const finishPortion: BatchLimit<Result> = {
  size: 3 * 2 ** 20,
  sizeOf: ({ outcome }) => besideOutput + (outcome.case === 'output' ? Buffer.byteLength(outcome.value) : 0),
}

export class Results {
  readonly #leases: Client<typeof LeaseService>
  readonly #executorId: string
  readonly #pool: string
  readonly #clock: Clock
  readonly #log: Log
  #batch: Result[] = []
  #flushed: Promise<void> | undefined

  constructor(options: {
    leases: Client<typeof LeaseService>
    executorId: string
    pool: string
    clock: Clock
    log: Log
  }) {
    this.#leases = options.leases
    this.#executorId = options.executorId
    this.#pool = options.pool
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
        void Promise.all(inBatches(batch, finishPortion).map(results => this.#send(results))).then(() => resolve())
      })
    })
    return this.#flushed
  }

  async #send(results: Result[]): Promise<void> {
    const deadline = this.#clock.monotonic() + giveUpAfterMs
    for (;;) {
      try {
        const { accepted } = await this.#leases.finish({ executorId: this.#executorId, pool: this.#pool, results })
        const refused = results.filter((_, i) => !accepted[i])
        for (const one of refused) this.#log.info('result.refused', { ...runFields(one), attempt: one.attempt })
        return
      } catch (error) {
        const traces = traceIdsOfAll(results.map(({ traceparent }) => traceparent))
        this.#log.warn('result.not_delivered', { results: results.length, ...traces, error })
        if (isContractViolation(error)) {
          // A model's process may have given anything: only its own result is not taken.
          if (results.length > 1) await Promise.all(results.map(result => this.#send([result])))
          return
        }
        if (this.#clock.monotonic() > deadline) return
        await new Promise<void>(resolve => this.#clock.timer(retryEveryMs, resolve))
      }
    }
  }
}
