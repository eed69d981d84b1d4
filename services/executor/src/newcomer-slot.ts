/**
 * Room for one run more than there are slots, for accounts of which nothing runs: however long the runs of one account
 * hold the slots, the first task of another begins. docs/decisions/fairness.md.
 */
import type { Client } from '@connectrpc/connect'
import type { Run } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import type { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { Clock } from '@millhand/process'
import type { Log } from '@millhand/telemetry'

export interface NewcomerSlotOptions {
  readonly leases: Client<typeof LeaseService>
  readonly executorId: string
  readonly pool: string
  readonly slots: number
  readonly clock: Clock
  readonly log: Log
  /** Whether runs of a group share a process, which has one at a time. */
  readonly sharesProcesses: boolean
  /** Ends claims that are not answered. */
  readonly signal: AbortSignal
  /** Begins a run, whose leases began at `begunAt`. */
  readonly start: (run: Run, begunAt: number) => void
}

export interface RunningGroup {
  readonly group: string
  /** The account and mode whose run it is; of several, one of them. */
  readonly tenant: string
  /** By the monotonic clock. */
  readonly startedAt: number
}

/** Shorter runs make room by themselves before a further process would be of use. */
const longRunMs = 500
const claimWaitMs = 5_000
const pauseAfterFailureMs = 2_000

export class NewcomerSlot {
  readonly #options: NewcomerSlotOptions
  #isAsking = false
  #isClosed = false
  /** The latest claim: over once what it was given has begun. */
  #claimed: Promise<void> | undefined
  /** Whether the claim that waits was told to end. */
  #endsWait = false
  #notBefore = Number.NEGATIVE_INFINITY

  constructor(options: NewcomerSlotOptions) {
    this.#options = options
  }

  /**
   * To be called again and again, and when a run ends: asks for work while a run has been on for long and no more accounts
   * have runs than there are slots: one that has all slots leaves room for as many others. Groups in short runs are left to the slots. A claim that waits is ended with the need for it: else the
   * account whose runs have just ended could take this room with the slots.
   */
  check(running: readonly RunningGroup[]): void {
    const { clock, signal, log, sharesProcesses, slots } = this.#options
    const now = clock.monotonic()
    const isLong = ({ startedAt }: RunningGroup) => now - startedAt >= longRunMs
    const accounts = new Set(running.map(({ tenant }) => tenant)).size
    const isWanted = accounts <= slots && running.length < 2 * slots && running.some(isLong)
    if (this.#isAsking && !isWanted) this.#endWait()
    if (this.#isAsking || now < this.#notBefore || this.#isClosed || !isWanted) return
    this.#isAsking = true
    this.#endsWait = false
    const short = running.filter(run => sharesProcesses && !isLong(run)).map(({ group }) => group)
    this.#claimed = this.#take([...new Set(short)])
      .catch(error => {
        this.#notBefore = clock.monotonic() + pauseAfterFailureMs
        if (!signal.aborted) log.warn('claim.failed', { error })
      })
      .finally(() => {
        this.#isAsking = false
      })
  }

  /** Asks for nothing any more; resolves once what it asked for is answered, and has begun. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#isAsking) this.#endWait()
    await this.#claimed
  }

  async #take(busyGroups: string[]): Promise<void> {
    const { leases, clock, signal, start } = this.#options
    const askedAt = clock.monotonic()
    const request = { ...this.#claimer, waitMs: claimWaitMs, runs: 1, busyGroups, newcomersOnly: true }
    const { runs, waitedMs } = await leases.claim(request, { signal })
    for (const run of runs) start(run, askedAt + waitedMs)
  }

  #endWait(): void {
    if (this.#endsWait) return
    this.#endsWait = true
    const { leases, signal } = this.#options
    leases.claim({ ...this.#claimer, runs: 0, newcomersOnly: true }, { signal }).catch(() => {}) // That claim then ends by its own time.
  }

  /** The next claim of an executor ends the wait of the one before: so this one has a name of its own. */
  get #claimer() {
    const { executorId, pool } = this.#options
    return { executorId: `${executorId}_newcomers`, pool }
  }
}
