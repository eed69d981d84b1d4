import type { InstanceRecord } from './instance.ts'
import { desiredSlots } from './transition.ts'

/** The first state of an instance, and its event. */
export function newInstance(
  given: Omit<
    InstanceRecord,
    | 'version'
    | 'status'
    | 'slots'
    | 'history'
    | 'work'
    | 'resource_version'
    | 'last_generation'
    | 'is_scaling'
    | 'operations'
    | 'updated_at'
  >,
): Omit<InstanceRecord, 'version'> {
  const at = given.created_at
  return {
    ...given,
    status: 'pending',
    slots: [...desiredSlots([], given.desired.replicas, at)],
    last_generation: 0,
    is_scaling: false,
    operations: [],
    work: 'requested',
    history: [{ sequence: 1, type: 'instance.pending', at }],
    updated_at: at,
    resource_version: 1,
  }
}
