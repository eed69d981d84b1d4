/** What becomes of a slot by an observation of the engine. Pure. */
import type { FaultReason, ObservedReplica } from './drivers/driver.ts'
import type { HistoryEntry, Slot } from './instance.ts'
import { fullHours, type Slice, slices } from './metering.ts'
import { messageOf } from './reasons.ts'

/** An observation of the engine, and what is known of the one before. Times are of the owner's steady clock. */
export interface Sighting {
  /** When the engine was asked: what it says was so then or later. */
  readonly askedAt: number
  /** When it had answered. */
  readonly now: number
  /** When it was asked the last time before. */
  readonly before: number
  /** Whether the driver has just reported a change. */
  readonly isPrompt: boolean
  readonly lostHosts: ReadonlySet<string>
  /** When replicas ended that are not there any more, by name, where the engine remembers it. */
  readonly ends: ReadonlyMap<string, number>
  /** The names of replicas that are being created. */
  readonly creating: ReadonlySet<string>
}

/** What is noted in the history. */
export type Note = Omit<HistoryEntry, 'sequence' | 'at'>

export interface SlotStep {
  /** The slot after it; undefined where it is gone. */
  readonly slot: Slot | undefined
  readonly notes: readonly Note[]
  readonly slices: readonly Slice[]
}

/** A run that ends sooner counts as a failure to start. */
const SHORT_RUN_MS = 10_000
/** After so many failures in a row a replica is given up. */
export const MOST_FAILURES = 10
/** A busy engine may call a process running so long after its end. */
const ENGINE_DELAY_MS = 10_000
/** After so long on a host that does not answer a replica is replaced. */
const HOST_GRACE_MS = 300_000
const FIRST_RETRY_MS = 500
const MOST_RETRY_MS = 60_000
const CAPACITY_RETRY_MS = 2_000

/** The slot after an observation; `seen` is its replica of the current generation. */
export function observeSlot(slot: Slot, seen: ObservedReplica | undefined, sighting: Sighting, name: string): SlotStep {
  const isThere = seen !== undefined || sighting.creating.has(name) || mayBeOnLostHost(slot, sighting)
  switch (slot.state) {
    case 'pending':
    case 'exited':
      if (seen?.startedAt !== undefined && seen.state !== 'unknown' && mayRun(slot))
        return seenLate(slot, seen, sighting)
      if (slot.state === 'pending') return unchanged(slot)
      if (sighting.now < (slot.retry_at ?? 0)) return unchanged(slot)
      return step({ ...slot, state: 'pending', since: sighting.now, retry_at: undefined })
    case 'starting':
      if (seen?.state === 'running') return begin(slot, seen, sighting)
      // A start that has failed may be on its second try: what is seen is the first, and the call says what it came to.
      if (seen?.state === 'exited') return sighting.creating.has(name) ? unchanged(slot) : end(slot, seen, sighting)
      // An owner before this one may have started it where nobody can look: it starts elsewhere, under another name.
      if (seen === undefined && isThere && !sighting.creating.has(name)) return waitAgain(slot, sighting)
      return unchanged(slot)
    case 'running':
    case 'unknown':
      if (seen?.state === 'running') return goOn(slot, seen, sighting)
      if (seen?.state === 'exited') return end(slot, seen, sighting)
      return isThere ? isolate(slot, seen, sighting, name) : vanish(slot, sighting, name)
    case 'stopping':
      if (seen?.state === 'running' || (isThere && seen?.state !== 'exited')) return stillStopping(slot, seen, sighting)
      return stop(slot, { seen, isThere, name }, sighting)
  }
}

/** Whether its latest start may have come to a run that was not seen, or whose end was not. */
const mayRun = ({ generation, started_at, metered_until }: Slot): boolean =>
  generation > 0 && (started_at === undefined || metered_until !== undefined)

/** What a call started that counted as failed, or what ran on a host that counted as gone, unless another took its place. */
function seenLate(slot: Slot, seen: ObservedReplica, sighting: Sighting): SlotStep {
  if (seen.state === 'exited') return end(slot, seen, sighting)
  return slot.started_at === undefined ? begin(slot, seen, sighting) : goOn(slot, seen, sighting)
}

const waitAgain = (slot: Slot, { now }: Sighting): SlotStep =>
  (slot.retry_at ?? 0) > now ? unchanged(slot) : step({ ...slot, state: 'pending', since: now, retry_at: undefined })

/** Where a slot may be that is not observed: on a host that does not answer. */
const mayBeOnLostHost = ({ host, generation }: Slot, { lostHosts }: Sighting): boolean =>
  generation > 0 && (host === undefined ? lostHosts.size > 0 : lostHosts.has(host))

function begin(slot: Slot, seen: ObservedReplica, sighting: Sighting): SlotStep {
  const startedAt = clamp(seen.startedAt ?? sighting.now, slot.asked_at ?? slot.since, sighting.now)
  const running: Slot = {
    ...slot,
    ...placeOf(seen),
    state: 'running',
    since: sighting.askedAt,
    started_at: startedAt,
    metered_until: startedAt,
    exit_code: undefined,
    reason: undefined,
    message: undefined,
    retry_at: undefined,
  }
  return { slot: running, notes: [note('replica.running', running)], slices: [] }
}

function goOn(slot: Slot, seen: ObservedReplica, sighting: Sighting): SlotStep {
  const due = fullHours(metered(slot), sighting.askedAt)
  const place = placeOf(seen)
  const isSame = slot.state === 'running' && slot.host === place.host && slot.address === place.address
  if (isSame && due.length === 0) return unchanged(slot)
  const after: Slot = {
    ...slot,
    ...place,
    ...(slot.state !== 'running' && { ...seenAgain, since: sighting.askedAt }),
    metered_until: due.at(-1)?.to ?? slot.metered_until,
  }
  const notes = slot.state !== 'running' ? [note('replica.running', after)] : []
  return { slot: after, notes, slices: due }
}

const seenAgain = {
  state: 'running',
  is_isolated: undefined,
  reason: undefined,
  message: undefined,
  retry_at: undefined,
} as const

/** Its process has ended. */
function end(slot: Slot, seen: ObservedReplica, sighting: Sighting): SlotStep {
  const run = slot.started_at === undefined && seen.startedAt !== undefined ? unseenRun(slot, seen, sighting) : slot
  const endedAt = endOf(run, seen.endedAt ?? sighting.now, sighting)
  const ranMs = run.started_at === undefined ? 0 : endedAt - run.started_at
  const failures = ranMs < SHORT_RUN_MS ? slot.failures + 1 : 1
  const reason = seen.reason ?? (failures > 1 ? 'crash_loop' : 'exited')
  const exited = leave(run, {
    ...placeOf(seen),
    state: 'exited',
    since: sighting.now,
    exit_code: seen.exitCode,
    reason,
    message: messageOf(reason, seen.exitCode),
    failures,
    retry_at: sighting.now + retryMs(failures),
  })
  return { slot: exited, notes: [note('replica.exited', exited)], slices: sliceTo(run, endedAt) }
}

/** Whether nobody can look whether it runs: its host does not answer, or the engine knows that a machine of its does not. */
const isOutOfSight = ({ host }: Slot, seen: ObservedReplica | undefined, { lostHosts }: Sighting): boolean =>
  seen?.state === 'unknown' || (host !== undefined && lostHosts.has(host))

/** The run of a replica that nobody saw running: it may have ended at any time since its start. */
const unseenRun = (slot: Slot, seen: ObservedReplica, sighting: Sighting): Slot => ({
  ...(begin(slot, seen, sighting).slot ?? slot),
  is_isolated: true,
})

/** Its host does not answer: it is metered until it was last seen, and is in an unknown state from now on. */
function isolate(slot: Slot, seen: ObservedReplica | undefined, sighting: Sighting, name: string): SlotStep {
  if (slot.state === 'unknown')
    return sighting.now - slot.since < HOST_GRACE_MS ? unchanged(slot) : vanish(slot, sighting, name)
  if (!isOutOfSight(slot, seen, sighting)) return unchanged(slot)
  const reason = 'host_lost'
  const told = { since: sighting.now, reason, message: messageOf(reason) }
  const unknown: Slot = { ...slot, ...told, ...isolatedAt(slot, sighting), state: 'unknown' }
  return { slot: unknown, notes: [note('replica.lost', unknown)], slices: sliceTo(slot, wasSeen(slot, sighting)) }
}

const isolatedAt = (slot: Slot, sighting: Sighting) => ({
  is_isolated: true as const,
  metered_until: wasSeen(slot, sighting),
})

/** It is not there any more. */
function vanish(slot: Slot, sighting: Sighting, name: string): SlotStep {
  const endedAt = lastSeen(slot, sighting, name)
  const reason = slot.state === 'unknown' ? 'host_lost' : 'replica_lost'
  const lost = leave(slot, {
    state: 'exited',
    since: sighting.now,
    reason,
    message: messageOf(reason),
    failures: 0,
    retry_at: sighting.now,
    // It may run on where nobody can look.
    ...(slot.state === 'unknown' && { metered_until: endedAt, is_isolated: true }),
  })
  return { slot: lost, notes: [note('replica.lost', lost)], slices: sliceTo(slot, endedAt) }
}

function stillStopping(slot: Slot, seen: ObservedReplica | undefined, sighting: Sighting): SlotStep {
  if (seen?.state !== 'running') {
    const { metered_until, is_isolated } = slot
    if (metered_until === undefined || is_isolated || !isOutOfSight(slot, seen, sighting)) return unchanged(slot)
    const isolated = { ...slot, ...isolatedAt(slot, sighting) }
    return { slot: isolated, notes: [], slices: sliceTo(slot, wasSeen(slot, sighting)) }
  }
  if (slot.metered_until === undefined) {
    if (slot.started_at !== undefined) return unchanged(slot)
    const begun = begin(slot, seen, sighting).slot ?? slot
    return step({ ...begun, state: 'stopping' })
  }
  const due = fullHours(metered(slot), sighting.askedAt)
  if (due.length === 0 && !slot.is_isolated) return unchanged(slot)
  const metered_until = due.at(-1)?.to ?? slot.metered_until
  return { slot: { ...slot, metered_until, is_isolated: undefined }, notes: [], slices: due }
}

/** What is left of a replica that is to go. */
interface Remains {
  readonly seen: ObservedReplica | undefined
  readonly isThere: boolean
  readonly name: string
}

function stop(slot: Slot, { seen, isThere, name }: Remains, sighting: Sighting): SlotStep {
  const isUnmetered = slot.started_at === undefined && seen?.startedAt !== undefined
  const run = isUnmetered ? unseenRun(slot, seen, sighting) : slot
  const endedAt = seen?.endedAt === undefined ? lastSeen(slot, sighting, name) : endOf(run, seen.endedAt, sighting)
  const due = sliceTo(run, endedAt)
  if (!isThere) return { slot: undefined, notes: [note('replica.stopped', slot)], slices: due }
  if (run.metered_until === undefined) return unchanged(slot)
  return { slot: leave({ ...run, state: 'stopping', since: slot.since }, {}), notes: [], slices: due }
}

/** The slot after its run, which is metered: `started_at` stays until the next start, so that it isn't metered again. */
const leave = (slot: Slot, changes: Partial<Slot>): Slot => ({
  ...slot,
  metered_until: undefined,
  is_isolated: undefined,
  address: undefined,
  ports: undefined,
  ...changes,
})

/** When a run ended, by the engine; not before it was last seen but for the engine's own delay, and not later than now. */
function endOf(slot: Slot, endedAt: number, sighting: Sighting): number {
  const seenAt = wasSeen(slot, sighting)
  const least = seenAt - endedAt <= ENGINE_DELAY_MS ? (slot.metered_until ?? seenAt) : seenAt
  return clamp(endedAt, least, sighting.now)
}

/** When a run ended that is not there any more: else when it was last seen; where the driver has just reported that, now. */
function lastSeen(slot: Slot, sighting: Sighting, name: string): number {
  const { ends, now, isPrompt } = sighting
  const endedAt = ends.get(name)
  if (endedAt !== undefined) return clamp(endedAt, slot.metered_until ?? 0, now)
  return isPrompt && !slot.is_isolated ? now : wasSeen(slot, sighting)
}

/** Until when a run was seen: what was metered of it, and at the last observation, unless nobody could look there. */
function wasSeen({ metered_until, is_isolated }: Slot, { before, now }: Sighting): number {
  if (metered_until === undefined) return now
  return is_isolated ? metered_until : Math.max(metered_until, Math.min(before, now))
}

const sliceTo = (slot: Slot, to: number): Slice[] => (slot.metered_until === undefined ? [] : slices(metered(slot), to))

const metered = ({ index, generation, metered_until = 0 }: Slot) => ({ index, generation, metered_until })

const placeOf = ({ host, address, ports }: ObservedReplica) => ({ host, address, ports })

/** The slot after the engine has refused to start its replica. */
export function refuseSlot(
  slot: Slot,
  fault: { readonly reason: FaultReason; readonly message: string },
  now: number,
): Slot {
  const { reason, message } = fault
  const told = { reason, message, since: now }
  // Nothing is wrong with it: it waits.
  if (reason === 'no_capacity') return { ...slot, ...told, state: 'pending', retry_at: now + CAPACITY_RETRY_MS }
  if (reason === 'unavailable') return { ...slot, reason, message, retry_at: now + CAPACITY_RETRY_MS }
  const failures = slot.failures + 1
  return { ...slot, ...told, state: 'exited', failures, retry_at: now + retryMs(failures) }
}

const retryMs = (failures: number): number => Math.min(MOST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 20))

export const note = (type: string, { index, reason, message, exit_code }: Slot): Note => ({
  type,
  replica: index,
  reason,
  message,
  exit_code,
})

const unchanged = (slot: Slot): SlotStep => ({ slot, notes: [], slices: [] })
const step = (slot: Slot): SlotStep => ({ slot, notes: [], slices: [] })

const clamp = (value: number, least: number, most: number): number => Math.max(least, Math.min(value, most))
