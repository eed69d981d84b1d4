/**
 * A slot beside all others, for accounts of which nothing runs: however long the runs of one account hold the other slots,
 * the first task of another begins. docs/decisions/fairness.md.
 */
import type { Client } from '@connectrpc/connect'
import type { LeaseService, Run } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { Clock } from '@millhand/runner'
import type { Log } from '@millhand/telemetry'

export interface NewcomerSlotOptions {
  readonly leases: Client<typeof LeaseService>
  readonly executorId: string
  readonly pool: string
  readonly clock: Clock
  readonly log: Log
  /** Whether runs of a group share a process, which has one at a time. */
  readonly sharesProcesses: boolean
  /** Ends what is asked. */
  readonly signal: AbortSignal
  /** Begins a run, whose leases began at `begunAt`; resolves once it is over. */
  readonly start: (run: Run, begunAt: number) => Promise<void>
}

export interface RunningGroup {
  readonly group: string
  /** By the monotonic clock. */
  readonly startedAt: number
}

/** Shorter runs make room by themselves before a further process would be of use. */
const longRunMs = 500
const claimWaitMs = 5_000
const pauseAfterFailureMs = 2_000

export class NewcomerSlot {
  readonly #options: NewcomerSlotOptions
  #isTaken = false
  #notBefore = Number.NEGATIVE_INFINITY

  constructor(options: NewcomerSlotOptions) {
    this.#options = options
  }

  /** To be called again and again: asks for work while a run has been on for long. Groups in short runs are left to the other slots. */
  check(running: readonly RunningGroup[]): void {
    const { clock, signal, log, sharesProcesses } = this.#options
    const now = clock.monotonic()
    const isLong = ({ startedAt }: RunningGroup) => now - startedAt >= longRunMs
    if (this.#isTaken || now < this.#notBefore || signal.aborted || !running.some(isLong)) return
    this.#isTaken = true
    const short = running.filter(run => sharesProcesses && !isLong(run)).map(({ group }) => group)
    this.#take([...new Set(short)])
      .catch(error => {
        this.#notBefore = clock.monotonic() + pauseAfterFailureMs
        if (!signal.aborted) log.warn('claim.failed', { error })
      })
      .finally(() => {
        this.#isTaken = false
      })
  }

  async #take(busyGroups: string[]): Promise<void> {
    const { leases, executorId, pool, clock, signal, start } = this.#options
    const askedAt = clock.monotonic()
    // The next claim of an executor ends the wait of the one before: so this one has a name of its own.
    const claimer = { executorId: `${executorId}_newcomers`, pool, waitMs: claimWaitMs }
    const { runs, waitedMs } = await leases.claim({ ...claimer, runs: 1, busyGroups, newcomersOnly: true }, { signal })
    await Promise.all(runs.map(run => start(run, askedAt + waitedMs)))
  }
}
