/**
 * Which of several replicas does what only one may do at a time: a lease on one document, renewed while its holder
 * lives. No clock is compared between machines: who waits for the place takes it once it has seen the same version for
 * a whole lease by its own clock, and the holder stops earlier than that by its own.
 *
 * Two owners for a moment are possible all the same, when a process stands still and wakes. So whatever an owner does
 * is fenced where it lands: by the version of the document that it writes.
 */
import type { Clock } from '@millhand/runner'
import { type Collection, type CollectionSpec, type Document, noAccount } from '@millhand/store'

const ownershipTimes = {
  /** How long the owner is still waited for after its last sign of life. */
  ttlMs: 2_000,
  /** When an owner that could not renew stops, counted from when it last asked. */
  stopMs: 1_500,
  renewEveryMs: 400,
} as const

export interface OwnerRecord extends Document {
  /** The process; empty when it has given the place up. */
  readonly holder: string
  /** Where it is reached by other replicas. */
  readonly address: string
}

export const ownersSpec = { name: 'owners', indexes: {} } as const satisfies CollectionSpec

/** Where the owner is: in this process, at an address, or nowhere (known). */
export type Owner = 'here' | { readonly address: string } | undefined

export interface Ownership {
  /** As far as this process knows. */
  owner(): Owner
  /**
   * Does `work` whenever this process is the owner, until the signal ends; then it gives the place up. The work's
   * signal ends when the place is lost, or may be. Rejects when the work does, and when another replica lives at our
   * address.
   */
  run(signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void>
}

/** Where there is one process, it is the owner. */
export const soleOwnership: Ownership = {
  owner: () => 'here',
  run: (signal, work) => work(signal),
}

export interface OwnershipOptions {
  readonly owners: Collection<OwnerRecord>
  /** What is owned, for example `compute`. */
  readonly name: string
  /** Where other replicas reach this one, and no other. */
  readonly address: string
  readonly clock: Clock
  /** Hears each time the store could not be asked. */
  readonly onError: (error: unknown) => void
}

export function createOwnership(options: OwnershipOptions): Ownership {
  const { owners, name, address, clock, onError } = options
  /** Of this life of the process: another life is another holder, also at the same address. */
  const holder = crypto.randomUUID()
  let seen: { readonly record: OwnerRecord | undefined; readonly since: number } | undefined
  /** By the monotonic clock; in the past while this process owns nothing. */
  let heldUntil = Number.NEGATIVE_INFINITY
  /** How often another life at our address was seen to renew. */
  let namesakeRenewed = 0

  const isHeld = () => clock.monotonic() < heldUntil

  const write = async (record: OwnerRecord | undefined, by: string): Promise<boolean> => {
    const document = { tenant: noAccount, id: name, holder: by, address }
    const change = record
      ? ({ kind: 'replace', version: record.version, document, events: [] } as const)
      : ({ kind: 'insert', document, events: [] } as const)
    return (await owners.write(change)).kind === 'written'
  }

  /** Sees who has the place, and since when unchanged: from the answer on, which may be of any moment before it. */
  const look = async () => {
    const record = await owners.get(noAccount, name)
    const now = clock.monotonic()
    if (!seen || seen.record?.version !== record?.version) {
      namesakeRenewed = isNamesake(record) && seen?.record?.holder === record?.holder ? namesakeRenewed + 1 : 0
      seen = { record, since: now }
    }
    return { record, unchangedMs: now - seen.since }
  }

  /** Renews the place or takes it, where it may be taken. */
  const step = async () => {
    const askedAt = clock.monotonic()
    const { record, unchangedMs } = await look()
    if (!mayTake(record, unchangedMs)) {
      heldUntil = Number.NEGATIVE_INFINITY
      return
    }
    if (await write(record, holder)) heldUntil = askedAt + ownershipTimes.stopMs
  }

  /** Another life at our address: an earlier one of this process, or a process that advertises it too. */
  const isNamesake = (record: OwnerRecord | undefined) =>
    record !== undefined && record.address === address && record.holder !== '' && record.holder !== holder

  const mayTake = (record: OwnerRecord | undefined, unchangedMs: number) =>
    !record || record.holder === '' || record.holder === holder || unchangedMs >= ownershipTimes.ttlMs

  /** Until the signal ends or the place is lost, and the work has ended: until then it is not taken again. */
  const hold = async (signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>) => {
    const losing = new AbortController()
    const lose = () => losing.abort(new Error(`the ownership of ${name} is over`))
    const over = AbortSignal.any([signal, losing.signal])
    const ended = new AbortController()
    const working = work(over).finally(() => {
      lose()
      ended.abort()
    })
    working.catch(() => {}) // It is thrown below, once nothing is under way.
    let timer = clock.timer(heldUntil - clock.monotonic(), lose)
    while (!over.aborted) {
      await clock.sleep(ownershipTimes.renewEveryMs, over).catch(() => {})
      if (over.aborted) break
      await step().catch(onError)
      timer.cancel()
      timer = clock.timer(heldUntil - clock.monotonic(), lose)
      if (!isHeld()) lose()
    }
    timer.cancel()
    while (!ended.signal.aborted) {
      await clock.sleep(ownershipTimes.renewEveryMs, ended.signal).catch(() => {})
      if (!ended.signal.aborted) await look().catch(onError) // Callers are told who has it now.
    }
    await working
  }

  return {
    owner() {
      if (isHeld()) return 'here'
      const record = seen?.record
      if (!record || record.holder === '' || record.address === address) return undefined
      return { address: record.address }
    },

    async run(signal, work) {
      while (!signal.aborted) {
        await step().catch(onError)
        if (namesakeRenewed > LAST_WORDS) {
          throw new Error(
            `another living replica of ${name} advertises ${address} too: give each an address of its own`,
          )
        }
        if (isHeld()) await hold(signal, work)
        else await clock.sleep(ownershipTimes.renewEveryMs, signal).catch(() => {})
      }
      if (!isHeld()) return
      heldUntil = Number.NEGATIVE_INFINITY
      const record = await owners.get(noAccount, name).catch(onError)
      if (record?.holder === holder) await write(record, '').catch(onError)
    },
  }
}

/** A life that has ended may have sent one renewal that lands after its end. */
const LAST_WORDS = 1
