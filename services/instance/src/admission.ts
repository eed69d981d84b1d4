/** Which waiting replicas may start: max-min fairness among accounts, weighted by their plans. Pure. */

import type { Capacity } from './drivers/driver.ts'
import type { InstanceRecord } from './instance.ts'
import type { ReplicasByInstance } from './replicas-by-instance.ts'

/** Of one instance. */
export interface Waiting {
  readonly tenant: string
  readonly instance: string
  readonly gpu: string
  /** Of its slots that wait, in the order in which they start. */
  readonly indexes: readonly number[]
}

export interface Share {
  readonly weight: number
  /** The most replicas at once. */
  readonly maxReplicas: number
}

export interface AdmissionInput {
  /** The oldest first. */
  readonly waiting: readonly Waiting[]
  /** Free places by GPU type, without what has been admitted already. */
  readonly free: ReadonlyMap<string, number>
  /** Replicas that were admitted and have not stopped, by tenant. */
  readonly held: ReadonlyMap<string, number>
  readonly share: (tenant: string) => Share
}

export interface Admission {
  readonly indexes: readonly number[]
  /** Why the other indexes were not admitted. */
  readonly refusal: 'no_capacity' | 'replica_limit' | undefined
}

/**
 * By instance. Each place goes to the tenant that holds the least for its weight; among equals to who waits longest. First those
 * that get places, in the order in which they do, for not all may be admitted at once.
 */
export function admit({ waiting, free, held, share }: AdmissionInput): Map<string, Admission> {
  const admitted = new Map<string, number[]>()
  const refused = new Map<string, 'no_capacity' | 'replica_limit'>()
  const left = new Map(free)
  const has = new Map(held)
  const queues = new Map<string, Waiting[]>()
  for (const each of waiting) {
    const queue = queues.get(each.tenant)
    if (queue) queue.push(each)
    else queues.set(each.tenant, [each])
  }
  const turns = createTurns()
  const queueUp = (tenant: string, order: number) =>
    turns.add({ tenant, order, load: (has.get(tenant) ?? 0) / share(tenant).weight })
  for (const [order, tenant] of [...queues.keys()].entries()) queueUp(tenant, order)
  for (let turn = turns.take(); turn !== undefined; turn = turns.take()) {
    const { tenant, order } = turn
    const queue = queues.get(tenant) as Waiting[]
    const next = queue[0] as Waiting
    const taken = admitted.get(next.instance) ?? []
    const isLimited = (has.get(tenant) ?? 0) >= share(tenant).maxReplicas
    const places = left.get(next.gpu) ?? 0
    const index = next.indexes[taken.length]
    if (index === undefined || isLimited || places === 0) {
      if (index !== undefined) refused.set(next.instance, isLimited ? 'replica_limit' : 'no_capacity')
      queue.shift()
    } else {
      taken.push(index)
      admitted.set(next.instance, taken)
      left.set(next.gpu, places - 1)
      has.set(tenant, (has.get(tenant) ?? 0) + 1)
    }
    if (queue.length > 0) queueUp(tenant, order)
  }
  for (const { instance } of waiting) if (!admitted.has(instance)) admitted.set(instance, [])
  return new Map([...admitted].map(([instance, indexes]) => [instance, { indexes, refusal: refused.get(instance) }]))
}

/** A tenant that waits. `order` is how long: the lowest waits longest. */
interface Turn {
  readonly tenant: string
  readonly load: number
  readonly order: number
}

/** A binary heap: thousands of tenants may wait for thousands of places. */
function createTurns() {
  const heap: Turn[] = []
  const isBefore = (a: number, b: number): boolean => {
    const [one, other] = [heap[a], heap[b]]
    if (one === undefined || other === undefined) return one !== undefined
    return one.load < other.load || (one.load === other.load && one.order < other.order)
  }
  const swap = (a: number, b: number) => {
    ;[heap[a], heap[b]] = [heap[b] as Turn, heap[a] as Turn]
  }
  return {
    add(turn: Turn): void {
      heap.push(turn)
      for (let at = heap.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1
        if (!isBefore(at, parent)) return
        swap(at, parent)
        at = parent
      }
    },
    /** The one with the least load; among equals the one that waits longest. */
    take(): Turn | undefined {
      if (heap.length === 0) return undefined
      swap(0, heap.length - 1)
      const taken = heap.pop()
      for (let at = 0; ; ) {
        const child = isBefore(2 * at + 2, 2 * at + 1) ? 2 * at + 2 : 2 * at + 1
        if (!isBefore(child, at)) return taken
        swap(child, at)
        at = child
      }
    },
  }
}

/** The slots of an instance that wait for a place. */
export const waitingIndexes = ({ slots, ending }: InstanceRecord, now: number): number[] =>
  ending === undefined
    ? slots.filter(({ state, retry_at = 0 }) => state === 'pending' && retry_at <= now).map(({ index }) => index)
    : []

/** What is free and what is held: of what the engine calls free, without what was admitted and is not there yet. */
export function occupancy(
  capacity: readonly Capacity[],
  instances: Iterable<InstanceRecord>,
  seen: ReplicasByInstance,
): Pick<AdmissionInput, 'free' | 'held'> {
  const free = new Map(capacity.map(({ gpu, free }) => [gpu, free]))
  const held = new Map<string, number>()
  for (const { id, tenant, gpu, slots } of instances)
    for (const { state, generation } of slots) {
      if (state === 'pending' || state === 'exited') continue
      held.set(tenant, (held.get(tenant) ?? 0) + 1)
      const isThere = state !== 'starting' || seen.get(id)?.some(replica => replica.generation === generation)
      if (!isThere) free.set(gpu, Math.max(0, (free.get(gpu) ?? 0) - 1))
    }
  return { free, held }
}
