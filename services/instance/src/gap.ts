/** What has to be done in the engine for what runs to be what is desired. Pure. */
import type { ObservedReplica } from './drivers/driver.ts'
import { type InstanceRecord, replicaName, type Slot } from './instance.ts'

export interface Gap {
  /** Slots whose replica is to be started. */
  readonly create: readonly Slot[]
  /** Slots whose replica is not wanted any more, and may be about to be started. */
  readonly cancel: readonly Slot[]
  /** Replicas that are to go. */
  readonly remove: readonly ObservedReplica[]
}

/**
 * `seen` are all replicas of the instance. A replica that was created and not started, by an owner that died, is created
 * again, which starts it; `hasCreated` knows those that this owner has created.
 */
export function gapOf(
  instance: InstanceRecord,
  seen: readonly ObservedReplica[],
  hasCreated: (name: string) => boolean,
  now: number,
): Gap {
  const create = instance.slots.filter(slot => {
    if (slot.state !== 'starting' || (slot.retry_at ?? 0) > now) return false
    const own = seen.find(({ generation }) => generation === slot.generation)
    return own === undefined || (own.state === 'creating' && !hasCreated(replicaName(instance.id, slot)))
  })
  const remove = seen.filter(({ generation }) => {
    const slot = instance.slots.find(each => each.generation === generation)
    return slot === undefined || slot.state === 'stopping'
  })
  const cancel = instance.slots.filter(({ state }) => state === 'stopping')
  return { create, cancel, remove }
}

/** When a slot is to be looked at again, where nothing happens. */
export const retryAt = ({ state, retry_at }: Slot): number =>
  retry_at === undefined || (state !== 'exited' && state !== 'pending' && state !== 'starting')
    ? Number.POSITIVE_INFINITY
    : retry_at
