/** Whether an instance is at rest: as almost all are in almost every pass. Pure, and in loops, which allocate nothing. */
import type { ObservedReplica } from './drivers/driver.ts'
import type { InstanceRecord, Slot } from './instance.ts'
import { nextHour } from './metering.ts'
import type { Sighting } from './slot.ts'

/** Whether all of its replicas run as its record has it, and there are no others: then no observation changes it. */
export function isAtRest(
  instance: InstanceRecord,
  seen: readonly ObservedReplica[],
  sighting: Pick<Sighting, 'now' | 'askedAt'>,
): boolean {
  const { work, ending, expires_at, desired, slots } = instance
  if (work !== 'ongoing' || ending !== undefined) return false
  if (expires_at !== undefined && sighting.now >= expires_at) return false
  if (slots.length !== desired.replicas || seen.length !== slots.length) return false
  let index = 0
  for (const slot of slots) if (slot.index !== index++ || !runs(slot, seen, sighting.askedAt)) return false
  return true
}

function runs(slot: Slot, seen: readonly ObservedReplica[], askedAt: number): boolean {
  const { state, generation, metered_until } = slot
  if (state !== 'running' || metered_until === undefined || nextHour(metered_until) <= askedAt) return false
  for (const replica of seen)
    if (replica.generation === generation)
      return replica.state === 'running' && replica.host === slot.host && replica.address === slot.address
  return false
}
