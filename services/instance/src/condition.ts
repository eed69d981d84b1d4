/** The status of an instance as it follows from what is desired and what was observed. */
import type { InstanceRecord, InstanceStatus, Slot } from './instance.ts'
import { messageOf } from './reasons.ts'

export interface Condition {
  readonly status: InstanceStatus
  readonly reason: string | undefined
  readonly message: string | undefined
  /** Whether as many replicas run as are desired, and no others are there. */
  readonly isMet: boolean
}

export function conditionOf(
  instance: Pick<InstanceRecord, 'ending' | 'slots' | 'desired' | 'work' | 'ready_at' | 'is_scaling'>,
): Condition {
  const { ending, slots, desired, work, ready_at, is_scaling } = instance
  if (ending !== undefined) {
    const { reason, isFailure } = ending
    const failed = slots.find(slot => slot.reason === reason)
    const ended = work === 'done' ? 'terminated' : 'terminating'
    return { status: isFailure ? 'failed' : ended, reason, message: failed?.message ?? messageOf(reason), isMet: false }
  }
  const isMet = slots.length === desired.replicas && slots.every(({ state }) => state === 'running')
  if (isMet && (desired.replicas > 0 || work === 'ongoing'))
    return { status: 'running', reason: undefined, message: undefined, isMet }
  const failing = slots.find(isFailing)
  const waiting = slots.find(({ state, reason }) => state !== 'stopping' && reason !== undefined)
  const because = failing ?? waiting
  const { reason, message } = because ?? {}
  return { status: statusOf(), reason, message, isMet: false }

  function statusOf(): InstanceStatus {
    if (failing !== undefined) return 'degraded'
    if (ready_at !== undefined) return is_scaling ? 'scaling' : 'degraded'
    return slots.some(({ state }) => state !== 'pending') ? 'provisioning' : 'pending'
  }
}

/** Whether it does not run for a reason of its own: one that waits for its turn has none. */
const isFailing = ({ state, reason, failures }: Slot): boolean =>
  state !== 'running' &&
  state !== 'stopping' &&
  reason !== undefined &&
  (state === 'exited' || state === 'unknown' || failures > 0 || reason === 'replica_lost' || reason === 'host_lost')
