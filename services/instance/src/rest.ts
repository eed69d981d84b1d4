/** Whether an instance is at rest: as almost all are in almost every pass, so nothing is allocated for it. Pure. */
import type { ObservedReplica } from './drivers/driver.ts'
import type { InstanceRecord, Slot } from './instance.ts'
import { nextHour } from './metering.ts'
import type { Sighting } from './slot.ts'

/** Whether all of its replicas run as its record has it, and there are no others: then no observation changes it. */
export function isAtRest(
  { work, ending, expires_at, desired, slots }: InstanceRecord,
  seen: readonly ObservedReplica[],
  { now, askedAt }: Pick<Sighting, 'now' | 'askedAt'>,
): boolean {
  return (
    work === 'ongoing' &&
    ending === undefined &&
    (expires_at === undefined || now < expires_at) &&
    slots.length === desired.replicas &&
    seen.length === slots.length &&
    slots.every((slot, at) => slot.index === at && runs(slot, seen, askedAt))
  )
}

function runs(slot: Slot, seen: readonly ObservedReplica[], askedAt: number): boolean {
  const { state, generation, host, address, metered_until } = slot
  if (state !== 'running' || metered_until === undefined || nextHour(metered_until) <= askedAt) return false
  const own = seen.find(replica => replica.generation === generation)
  return own?.state === 'running' && own.host === host && own.address === address
}
