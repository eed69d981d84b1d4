/** The life of an instance as one pure function. docs/instances.md has the picture; `transition.test.ts` holds both together. */

import { waitingIndexes } from './admission.ts'
import { conditionOf } from './condition.ts'
import type { DriverFault, ObservedReplica, PullProgress } from './drivers/driver.ts'
import { type InstanceRecord, isEnding, replicaName, type Slot } from './instance.ts'
import type { Slice } from './metering.ts'
import { isPermanent, messageOf } from './reasons.ts'
import { MOST_FAILURES, type Note, note, observeSlot, refuseSlot, type Sighting } from './slot.ts'

/** What changes an instance. `now` is in milliseconds since 1970. */
export type Cause =
  /** Its owner asks for another number of replicas. An `operation` counts once. */
  | {
      readonly kind: 'scale'
      readonly replicas: number
      readonly operation?: string | undefined
      /** Whether more replicas than are desired are refused. */
      readonly isLimited?: boolean
      /** The trace of the request. */
      readonly traceparent?: string | undefined
      readonly now: number
    }
  /** Its owner asks for its end. */
  | { readonly kind: 'delete'; readonly traceparent?: string | undefined; readonly now: number }
  /** The engine was asked for its replicas. */
  | { readonly kind: 'observe'; readonly seen: readonly ObservedReplica[]; readonly sighting: Sighting }
  /** There is room for these of its waiting replicas; for the others there is none, for a reason. */
  | {
      readonly kind: 'admit'
      readonly indexes: readonly number[]
      readonly refusal?: string | undefined
      readonly now: number
    }
  /** The engine pulls the image of a replica. */
  | { readonly kind: 'pull'; readonly generation: number; readonly progress: PullProgress; readonly now: number }
  /** The engine could not start a replica. */
  | {
      readonly kind: 'refuse'
      readonly generation: number
      readonly fault: Pick<DriverFault, 'reason' | 'message'>
      readonly now: number
    }

export interface Transition {
  /** The same object where nothing changes. */
  readonly instance: InstanceRecord
  /** What ran. */
  readonly slices: readonly Slice[]
  /** The types of the events of it, in their order. */
  readonly events: readonly string[]
}

const KEPT_HISTORY = 50
const KEPT_OPERATIONS = 16

/** The instance after `cause`. Where `cause` has nothing to say to it any more, it is unchanged. */
export function transition(before: InstanceRecord, cause: Cause, retentionMs: number): Transition {
  const now = cause.kind === 'observe' ? cause.sighting.now : cause.now
  const changed = apply(before, cause, now)
  if (changed === undefined) return { instance: before, slices: [], events: [] }
  return settle(before, changed, { now, retentionMs })
}

interface Changed {
  readonly instance: InstanceRecord
  readonly notes: readonly Note[]
  readonly slices: readonly Slice[]
}

function apply(before: InstanceRecord, cause: Cause, now: number): Changed | undefined {
  switch (cause.kind) {
    case 'scale':
      return scale(before, cause)
    case 'delete':
      return before.ending?.isFailure === false ? undefined : endFor(inTrace(before, cause), 'deleted', false)
    case 'observe':
      return observe(before, cause.seen, cause.sighting)
    case 'admit':
      return admit(before, cause.indexes, cause.refusal, now)
    case 'pull': {
      const notes = before.slots.filter(isOf(cause.generation)).map(({ index }) => pulling(index, cause.progress))
      return notes.length === 0 ? undefined : { instance: before, notes, slices: [] }
    }
    case 'refuse':
      return refuse(before, cause.generation, cause.fault, now)
  }
}

const isOf = (generation: number) => (slot: Slot) => slot.generation === generation && slot.state === 'starting'

const pulling = (replica: number, { doneBytes, totalBytes }: PullProgress): Note => ({
  ...{ type: 'replica.pulling', replica },
  message: `${Math.floor(doneBytes / 1e6)} of ${Math.ceil(totalBytes / 1e6)} MB of the image are there.`,
})

function scale(before: InstanceRecord, cause: Extract<Cause, { kind: 'scale' }>): Changed | undefined {
  const { replicas, operation, isLimited } = cause
  if (isEnding(before) || (operation !== undefined && before.operations.includes(operation))) return undefined
  if (isLimited && replicas > before.desired.replicas) return undefined
  const operations =
    operation === undefined ? before.operations : [...before.operations, operation].slice(-KEPT_OPERATIONS)
  const isOther = replicas !== before.desired.replicas
  if (!isOther && operation === undefined) return undefined
  return {
    instance: {
      ...inTrace(before, cause),
      operations,
      desired: { replicas },
      is_scaling: before.is_scaling || isOther,
      ...(isOther && { work: 'requested' }),
    },
    notes: [],
    slices: [],
  }
}

const inTrace = (
  before: InstanceRecord,
  { traceparent }: { readonly traceparent?: string | undefined },
): InstanceRecord => (traceparent === undefined ? before : { ...before, traceparent })

const endFor = (before: InstanceRecord, reason: string, isFailure: boolean): Changed => ({
  instance: { ...before, ending: { reason, isFailure }, work: 'requested', due_at: undefined },
  notes: [],
  slices: [],
})

function observe(before: InstanceRecord, seen: readonly ObservedReplica[], sighting: Sighting): Changed | undefined {
  if (before.work === 'done') return undefined
  const notes: Note[] = []
  const slices: Slice[] = []
  const slots: Slot[] = []
  let isSame = true
  for (const slot of before.slots) {
    const own = slot.generation === 0 ? undefined : seen.find(({ generation }) => generation === slot.generation)
    const after = observeSlot(slot, own, sighting, replicaName(before.id, slot))
    notes.push(...after.notes)
    slices.push(...after.slices)
    if (after.slot) slots.push(after.slot)
    if (after.slot !== slot) isSame = false
  }
  const isExpired = !isEnding(before) && before.expires_at !== undefined && sighting.now >= before.expires_at
  const ending = isExpired ? { reason: 'max_lifetime', isFailure: false } : before.ending
  const isOver = ending !== undefined && slots.length === 0 && seen.length === 0
  const reached = desiredSlots(slots, ending === undefined ? before.desired.replicas : 0, sighting.now)
  // One that waits is acknowledged as it is admitted or refused: so that is one write.
  const isAcknowledged = !isOver && (before.work === 'ongoing' || waitingIndexes(before, sighting.now).length > 0)
  if (isSame && reached === slots && ending === before.ending && isAcknowledged) return undefined
  const instance: InstanceRecord = { ...before, ending, slots: reached, work: isOver ? 'done' : 'ongoing' }
  return { instance: giveUp(instance), notes, slices }
}

/** The slots with those that are missing, and with those that are too many on their way out. */
export function desiredSlots(slots: Slot[], replicas: number, now: number): readonly Slot[] {
  // As most are in most passes.
  if (slots.length === replicas && slots.every(({ index }, at) => index === at)) return slots
  const isTooMany = (slot: Slot) => slot.index >= replicas && slot.state !== 'stopping'
  const missing = Array.from({ length: replicas }, (_, index) => index).filter(
    index => !slots.some(slot => slot.index === index),
  )
  if (missing.length === 0 && !slots.some(isTooMany)) return slots
  const kept = slots
    .filter(slot => !isTooMany(slot) || slot.generation > 0)
    .map((slot): Slot => (isTooMany(slot) ? { ...slot, state: 'stopping', since: now } : slot))
  const added = missing.map(
    (index): Slot => ({
      ...{ index, generation: 0, state: 'pending', since: now, failures: 0, restarts: 0 },
    }),
  )
  return [...kept, ...added].sort((a, b) => a.index - b.index)
}

/** What can't get better is given up: nothing of it runs, and what failed is permanent, or has failed often enough. */
function giveUp(instance: InstanceRecord): InstanceRecord {
  const { slots, ready_at } = instance
  if (isEnding(instance) || slots.some(({ state }) => state === 'running' || state === 'unknown')) return instance
  const hopeless = slots.find(
    ({ state, reason, failures }) =>
      state === 'exited' && (failures >= MOST_FAILURES || (ready_at === undefined && isPermanent(reason))),
  )
  if (hopeless === undefined) return instance
  return { ...instance, ending: { reason: hopeless.reason ?? 'exited', isFailure: true } }
}

function admit(
  before: InstanceRecord,
  indexes: readonly number[],
  refusal: string | undefined,
  now: number,
): Changed | undefined {
  if (isEnding(before)) return undefined
  let generation = before.last_generation
  const notes: Note[] = []
  let isSame = before.work === 'ongoing'
  const slots = before.slots.map((slot): Slot => {
    if (slot.state !== 'pending') return slot
    if (!indexes.includes(slot.index)) {
      if (refusal === undefined || slot.reason === refusal) return slot
      isSame = false
      return { ...slot, reason: refusal, message: messageOf(refusal) }
    }
    isSame = false
    generation++
    const starting: Slot = {
      ...slot,
      generation,
      state: 'starting',
      since: now,
      asked_at: now,
      restarts: slot.started_at === undefined ? slot.restarts : slot.restarts + 1,
      host: undefined,
      started_at: undefined,
      metered_until: undefined,
      is_isolated: undefined,
      retry_at: undefined,
      ...(isWait(slot.reason) && { reason: undefined, message: undefined }),
    }
    notes.push({ type: 'replica.starting', replica: slot.index })
    return starting
  })
  if (isSame) return undefined
  return { instance: { ...before, slots, last_generation: generation, work: 'ongoing' }, notes, slices: [] }
}

/** A reason that is over once a replica is admitted. */
const isWait = (reason: string | undefined): boolean => reason === 'no_capacity' || reason === 'replica_limit'

function refuse(
  before: InstanceRecord,
  generation: number,
  fault: Pick<DriverFault, 'reason' | 'message'>,
  now: number,
): Changed | undefined {
  const slot = before.slots.find(isOf(generation))
  if (slot === undefined) return undefined
  const refused = refuseSlot(slot, fault, now)
  const slots = before.slots.map(each => (each === slot ? refused : each))
  return { instance: giveUp({ ...before, slots }), notes: [note('replica.refused', refused)], slices: [] }
}

/** What follows from a change: the status, the history and the events. */
function settle(
  before: InstanceRecord,
  { instance: changed, notes, slices }: Changed,
  { now, retentionMs }: { readonly now: number; readonly retentionMs: number },
): Transition {
  const ended = changed.ending !== undefined && before.ending === undefined
  const slots = ended ? desiredSlots([...changed.slots], 0, now) : changed.slots
  const { status, reason, message, isMet } = conditionOf({ ...changed, slots })
  const hasScaled = changed.is_scaling && isMet
  const isDone = changed.work === 'done'
  const isNews = status !== before.status
  const events = [...(hasScaled ? ['instance.scaled'] : []), ...(isNews ? [`instance.${status}`] : [])]
  const told = [...notes, ...events.map((type): Note => ({ type, reason, message }))].map((each, at) => ({
    ...each,
    sequence: lastSequence(before) + 1 + at,
    at: now,
  }))
  const instance: InstanceRecord = {
    ...changed,
    slots,
    status,
    reason,
    message,
    is_scaling: changed.is_scaling && !isMet,
    traceparent: isMet || isDone ? undefined : changed.traceparent,
    ready_at: changed.ready_at ?? (isMet ? now : undefined),
    history: told.length === 0 ? before.history : [...before.history, ...told].slice(-KEPT_HISTORY),
    updated_at: now,
    resource_version: before.resource_version + events.length,
    ...(isDone && { due_at: now + retentionMs, secrets: undefined }),
    ...(status === 'terminated' && { terminated_at: before.terminated_at ?? now }),
  }
  return { instance, slices, events }
}

const lastSequence = ({ history }: InstanceRecord): number => history.at(-1)?.sequence ?? 0
