/**
 * Elects one of several replicas of a service: a lease on one document, renewed while its holder lives. No clock is
 * compared between machines. A replica that waits takes the lease once it has seen the same version for a whole lease
 * time by its own monotonic clock, and the holder stops earlier than that by its own. Time in which a replica gets no
 * answer from the store counts for nothing: after a stall the holder has as long as ever to renew.
 *
 * Two owners for a moment are possible all the same, when a process stands still and wakes. So whatever an owner does
 * is fenced where it lands: by the version of the document that it writes.
 */
import type { Clock } from '@millhand/process'
import type { Collection } from '@millhand/store'
import { ObservedOwner, type OwnerRecord, type Seen } from './observed-owner.ts'

export { type OwnerRecord, ownersSpec } from './observed-owner.ts'

/** Where the owner is: in this process, at an address, or nowhere (known). */
export type Owner = 'here' | { readonly address: string } | undefined

/**
 * Why a process is no longer the owner: it stops, it could not renew in time, another process holds the lease, or the
 * owner's work has failed.
 */
export type EndReason = 'stopped' | 'expired' | 'taken' | 'failed'

export interface Ownership {
  /** As far as this process knows. */
  owner(): Owner
  /** Whether nobody renews the lease at present, as far as this process knows: there is no owner that gets work done. */
  isVacant(): boolean
  /**
   * Does `work` whenever this process is the owner, until the signal ends; then it gives the lease up. The work's
   * signal ends when the lease is lost, or may be. Rejects when the work does, and when another replica lives at our
   * address.
   */
  run(signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void>
}

export interface OwnershipOptions {
  readonly owners: Collection<OwnerRecord>
  /** What is owned, for example `compute`. */
  readonly name: string
  /** Where other replicas reach this one, and no other. */
  readonly address: string
  /** How long the owner may be silent before another replica takes over, in milliseconds. The same for all replicas. */
  readonly leaseMs: number
  readonly clock: Clock
  /** Hears when the store can't be asked, once until it has answered again. */
  readonly onError: (error: unknown) => void
  /** Hears each time this process is no longer the owner, and for how long it was, in milliseconds. */
  readonly onEnded?: (reason: EndReason, heldMs: number) => void
}

export function createOwnership(options: OwnershipOptions): Ownership {
  return new ElectedOwnership(options)
}

class ElectedOwnership implements Ownership {
  readonly #options: OwnershipOptions
  readonly #times: ReturnType<typeof timesOf>
  readonly #observed: ObservedOwner
  /** By the monotonic clock; in the past while this process owns nothing. */
  #heldUntil = Number.NEGATIVE_INFINITY
  /** Counts how often the lease was lost: a renewal of before extends nothing. */
  #term = 0
  #hasWritten = false
  #isGivenUp = false

  constructor(options: OwnershipOptions) {
    this.#options = options
    this.#times = timesOf(options.leaseMs)
    this.#observed = new ObservedOwner(options, this.#times.maxBetweenMs)
  }

  owner(): Owner {
    if (this.#isHeld()) return 'here'
    const record = this.#observed.seen?.record
    if (!record || record.holder === '' || record.address === this.#options.address) return undefined
    return { address: record.address }
  }

  isVacant(): boolean {
    const { seen } = this.#observed
    return !this.#isHeld() && seen !== undefined && (!seen.record?.holder || seen.unchangedMs >= this.#times.silentMs)
  }

  async run(signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { name, address, clock } = this.#options
    while (!signal.aborted) {
      await this.#attemptInTime(signal)
      if (this.#observed.namesakeRenewed > LAST_WORDS) {
        throw new Error(`another living replica of ${name} advertises ${address} too: give each an address of its own`)
      }
      if (this.#isHeld()) await this.#hold(signal, work)
      else await clock.sleep(this.#times.renewEveryMs, signal).catch(() => {})
    }
    if (this.#hasWritten) await this.#giveUp().catch(error => this.#observed.failed(error))
  }

  #isHeld(): boolean {
    return !this.#isGivenUp && this.#options.clock.monotonic() < this.#heldUntil
  }

  /** One that hangs, as on a connection that died silently, goes on by itself and holds nobody up. */
  async #attemptInTime(signal: AbortSignal): Promise<void> {
    const answered = new AbortController()
    const over = AbortSignal.any([signal, answered.signal])
    const attempting = this.#attempt()
      .catch(error => this.#observed.failed(error))
      .finally(() => answered.abort())
    await Promise.race([attempting, this.#options.clock.sleep(this.#times.attemptMs, over).catch(() => {})])
  }

  /** Renews the lease or takes it, where it may be taken. */
  async #attempt(): Promise<void> {
    const begunIn = this.#term
    const now = await this.#observed.look()
    if (now === undefined || this.#isGivenUp) return
    if (!this.#mayTake(now)) {
      this.#heldUntil = Number.NEGATIVE_INFINITY
      return
    }
    this.#hasWritten = true
    const isWritten = await this.#observed.write(now.record, this.#observed.holder)
    if (isWritten && begunIn === this.#term) {
      this.#heldUntil = Math.max(this.#heldUntil, now.askedAt + this.#times.stopMs)
    }
  }

  #mayTake({ record, unchangedMs }: Seen): boolean {
    return !record || record.holder === '' || this.#observed.isOurs(record) || unchangedMs >= this.#times.leaseMs
  }

  /** Until the signal ends or the lease is lost, and the work has ended: until then it is not taken again. */
  async #hold(signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { name, clock, onEnded = () => {} } = this.#options
    const { renewEveryMs } = this.#times
    const beganAt = clock.monotonic()
    const losing = new AbortController()
    const over = AbortSignal.any([signal, losing.signal])
    let reason: EndReason | undefined
    const lose = (why: EndReason) => {
      if (over.aborted) return
      reason = why
      this.#term += 1
      this.#heldUntil = Number.NEGATIVE_INFINITY
      losing.abort(new Error(`the ownership of ${name} has ended: ${reason}`))
    }
    const loseUnlessHeld = () => {
      if (!this.#isHeld()) lose(this.#observed.isOurs(this.#observed.seen?.record) ? 'expired' : 'taken')
    }
    const ended = new AbortController()
    const working = work(over).finally(() => {
      lose('failed')
      ended.abort()
    })
    working.catch(() => {}) // It is thrown below, once nothing is under way.
    const expire = () => {
      loseUnlessHeld()
      if (!over.aborted) timer = clock.timer(this.#heldUntil - clock.monotonic(), expire)
    }
    let timer = clock.timer(this.#heldUntil - beganAt, expire)
    while (!over.aborted) {
      await clock.sleep(renewEveryMs, over).catch(() => {})
      if (over.aborted) break
      await this.#attemptInTime(over)
      loseUnlessHeld()
    }
    timer.cancel()
    while (!ended.signal.aborted) {
      await clock.sleep(renewEveryMs, ended.signal).catch(() => {})
      // Callers are told who has it now.
      if (!ended.signal.aborted) await this.#observed.look().catch(error => this.#observed.failed(error))
    }
    onEnded(reason ?? 'stopped', clock.monotonic() - beganAt)
    await working
  }

  /** Another replica takes over at once. Where the store can't be asked, it does so after the lease time. */
  async #giveUp(): Promise<void> {
    this.#isGivenUp = true
    // A renewal that is still under way may come between.
    for (let tries = 0; tries < 3; tries++) {
      const record = await this.#observed.read()
      if (!record || !this.#observed.isOurs(record) || (await this.#observed.write(record, ''))) return
    }
  }
}

/** All in milliseconds. */
function timesOf(leaseMs: number) {
  const renewEveryMs = Math.min(500, leaseMs / 5)
  return {
    leaseMs,
    /** When a holder that could not renew stops, counted from when it sent its last renewal. */
    stopMs: leaseMs * 0.8,
    renewEveryMs,
    /** After so long without an answer another attempt is sent beside the one that hangs. */
    attemptMs: leaseMs / 4,
    /** A replica that waits counts at most so much between two answers of the store. */
    maxBetweenMs: Math.max(2 * renewEveryMs, leaseMs / 5),
    /** A holder that has not renewed for so long gets nothing done. */
    silentMs: leaseMs * 0.3,
  }
}

/** A life that has ended may have sent one renewal that lands after its end. */
const LAST_WORDS = 1
