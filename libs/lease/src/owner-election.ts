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
import { type Collection, type CollectionSpec, type Document, noAccount } from '@millhand/store'

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

export interface OwnerRecord extends Document {
  /** The process; empty when it has given the place up. */
  readonly holder: string
  /** Where it is reached by other replicas. */
  readonly address: string
}

export const ownersSpec = { name: 'owners', indexes: {} } as const satisfies CollectionSpec

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

/** Where there is one process, it is the owner. */
export const soleOwnership: Ownership = {
  owner: () => 'here',
  isVacant: () => false,
  run: (signal, work) => work(signal),
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
  const { owners, name, address, clock, onEnded = () => {} } = options
  const times = timesOf(options.leaseMs)
  /** Of this life of the process: another life is another holder, also at the same address. */
  const holder = crypto.randomUUID()
  let seen: Seen | undefined
  /** By the monotonic clock; in the past while this process owns nothing. */
  let heldUntil = Number.NEGATIVE_INFINITY
  /** Counts how often the lease was lost: a renewal of before extends nothing. */
  let term = 0
  let hasWritten = false
  let isGivenUp = false
  /** How often another life at our address was seen to renew. */
  let namesakeRenewed = 0

  let hasFailed = false
  const onError = (error: unknown) => {
    if (!hasFailed) options.onError(error)
    hasFailed = true
  }

  const isHeld = () => !isGivenUp && clock.monotonic() < heldUntil

  const write = async (record: OwnerRecord | undefined, by: string): Promise<boolean> => {
    const document = { tenant: noAccount, id: name, holder: by, address }
    const change = record
      ? ({ kind: 'replace', version: record.version, document, events: [] } as const)
      : ({ kind: 'insert', document, events: [] } as const)
    return (await owners.write(change)).kind === 'written'
  }

  /** Reads who has the lease. Undefined where an attempt that began later was answered before. */
  const look = async (): Promise<Seen | undefined> => {
    const askedAt = clock.monotonic()
    const record = await owners.get(noAccount, name)
    hasFailed = false
    if (seen && seen.askedAt > askedAt) return undefined
    const at = clock.monotonic()
    const isUnchanged = seen !== undefined && seen.record?.version === record?.version
    if (!isUnchanged) {
      namesakeRenewed = isNamesake(record) && seen?.record?.holder === record?.holder ? namesakeRenewed + 1 : 0
    }
    // A renewal may have been under way for as long as no answer came, so that time does not count.
    const unchangedMs = seen && isUnchanged ? seen.unchangedMs + Math.min(at - seen.at, times.maxBetweenMs) : 0
    seen = { record, askedAt, at, unchangedMs }
    return seen
  }

  /** Renews the lease or takes it, where it may be taken. */
  const attempt = async () => {
    const begunIn = term
    const now = await look()
    if (now === undefined || isGivenUp) return
    if (!mayTake(now)) {
      heldUntil = Number.NEGATIVE_INFINITY
      return
    }
    hasWritten = true
    const isWritten = await write(now.record, holder)
    if (isWritten && begunIn === term) heldUntil = Math.max(heldUntil, now.askedAt + times.stopMs)
  }

  /** One that hangs, as on a connection that died silently, goes on by itself and holds nobody up. */
  const attemptInTime = async (signal: AbortSignal) => {
    const answered = new AbortController()
    const over = AbortSignal.any([signal, answered.signal])
    const attempting = attempt()
      .catch(onError)
      .finally(() => answered.abort())
    await Promise.race([attempting, clock.sleep(times.attemptMs, over).catch(() => {})])
  }

  /** Another life at our address: an earlier one of this process, or a process that advertises it too. */
  const isNamesake = (record: OwnerRecord | undefined) =>
    record !== undefined && record.address === address && record.holder !== '' && record.holder !== holder

  const isOurs = (record: OwnerRecord | undefined) => record?.holder === holder

  const mayTake = ({ record, unchangedMs }: Seen) =>
    !record || record.holder === '' || isOurs(record) || unchangedMs >= times.leaseMs

  /** Until the signal ends or the lease is lost, and the work has ended: until then it is not taken again. */
  const hold = async (signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>) => {
    const beganAt = clock.monotonic()
    const losing = new AbortController()
    const over = AbortSignal.any([signal, losing.signal])
    let reason: EndReason | undefined
    const lose = (why: EndReason) => {
      if (over.aborted) return
      reason = why
      term += 1
      heldUntil = Number.NEGATIVE_INFINITY
      losing.abort(new Error(`the ownership of ${name} has ended: ${reason}`))
    }
    const loseUnlessHeld = () => {
      if (!isHeld()) lose(isOurs(seen?.record) ? 'expired' : 'taken')
    }
    const ended = new AbortController()
    const working = work(over).finally(() => {
      lose('failed')
      ended.abort()
    })
    working.catch(() => {}) // It is thrown below, once nothing is under way.
    const expire = () => {
      loseUnlessHeld()
      if (!over.aborted) timer = clock.timer(heldUntil - clock.monotonic(), expire)
    }
    let timer = clock.timer(heldUntil - beganAt, expire)
    while (!over.aborted) {
      await clock.sleep(times.renewEveryMs, over).catch(() => {})
      if (over.aborted) break
      await attemptInTime(over)
      loseUnlessHeld()
    }
    timer.cancel()
    while (!ended.signal.aborted) {
      await clock.sleep(times.renewEveryMs, ended.signal).catch(() => {})
      if (!ended.signal.aborted) await look().catch(onError) // Callers are told who has it now.
    }
    onEnded(reason ?? 'stopped', clock.monotonic() - beganAt)
    await working
  }

  /** Another replica takes over at once. Where the store can't be asked, it does so after the lease time. */
  const giveUp = async () => {
    isGivenUp = true
    // A renewal that is still under way may come between.
    for (let tries = 0; tries < 3; tries++) {
      const record = await owners.get(noAccount, name)
      if (!record || !isOurs(record) || (await write(record, ''))) return
    }
  }

  return {
    owner() {
      if (isHeld()) return 'here'
      const record = seen?.record
      if (!record || record.holder === '' || record.address === address) return undefined
      return { address: record.address }
    },

    isVacant: () => !isHeld() && seen !== undefined && (!seen.record?.holder || seen.unchangedMs >= times.silentMs),

    async run(signal, work) {
      while (!signal.aborted) {
        await attemptInTime(signal)
        if (namesakeRenewed > LAST_WORDS) {
          throw new Error(
            `another living replica of ${name} advertises ${address} too: give each an address of its own`,
          )
        }
        if (isHeld()) await hold(signal, work)
        else await clock.sleep(times.renewEveryMs, signal).catch(() => {})
      }
      if (hasWritten) await giveUp().catch(onError)
    },
  }
}

/** What a look at the record has shown. Times are by the monotonic clock. */
interface Seen {
  readonly record: OwnerRecord | undefined
  readonly askedAt: number
  readonly at: number
  /** For how long it has been the same, as far as the store has answered. */
  readonly unchangedMs: number
}

/** A life that has ended may have sent one renewal that lands after its end. */
const LAST_WORDS = 1
