/** The open event streams of a gateway: their limits and their end. */
import { fail } from '@millhand/api'
import type { Clock } from '@millhand/process'
import type { Principal } from '@millhand/rpc'
import { Concurrency } from '../admission/concurrency.ts'
import { Heartbeat } from './heartbeat.ts'
import type { PacedJobs } from './paced-jobs.ts'

export interface OpenStream {
  /** Shows its reader that it is alive. */
  beat(): void
  /** Ends it at once. Idempotent. */
  end(reason: unknown): void
}

/** Of all accounts together. The tunnel to compute has room for 32,768 calls: the rest is for those that are no streams. */
const MAX_STREAMS = 20_000

export class OpenStreams {
  readonly #jobs: PacedJobs
  readonly #permits: Concurrency
  readonly #open = new Set<OpenStream>()
  readonly #heartbeat: Heartbeat
  #isStopping = false

  constructor(clock: Clock, jobs: PacedJobs, mostPerTenant: number, most = MAX_STREAMS) {
    this.#jobs = jobs
    this.#permits = new Concurrency('event streams', { perTenant: mostPerTenant, all: most })
    this.#heartbeat = new Heartbeat(clock, () => {
      for (const stream of this.#open) jobs.add(() => stream.beat())
    })
  }

  /** A permit for one more stream of the caller. Fails with `concurrency_limited`. */
  acquire(caller: Principal): Disposable {
    return this.#permits.acquire(caller)
  }

  /** Counts a stream as open until that is disposed of. */
  add(stream: OpenStream): Disposable {
    this.#open.add(stream)
    if (this.#isStopping) stream.end(stopping())
    this.#heartbeat.start()
    return {
      [Symbol.dispose]: () => {
        this.#open.delete(stream)
        if (this.#open.size === 0) this.#heartbeat.stop()
      },
    }
  }

  /** Ends all of them, also those that come later. */
  stop(): void {
    this.#isStopping = true
    for (const stream of this.#open) this.#jobs.add(() => stream.end(stopping()))
  }
}

const stopping = () =>
  fail('unavailable', 'This gateway stops. Come back with the last `id` that you have: another goes on.')
