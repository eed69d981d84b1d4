/** Which waiting replicas may start: max-min fairness among accounts, weighted by their plans. Pure. */

import type { InstanceRecord } from './instance.ts'

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

/** By instance. Each place goes to the tenant that holds the least for its weight; among equals to who waits longest. */
export function admit({ waiting, free, held, share }: AdmissionInput): Map<string, Admission> {
  const admitted = new Map<string, number[]>(waiting.map(({ instance }) => [instance, []]))
  const refused = new Map<string, 'no_capacity' | 'replica_limit'>()
  const left = new Map(free)
  const has = new Map(held)
  const queues = new Map<string, Waiting[]>()
  for (const each of waiting) {
    const queue = queues.get(each.tenant)
    if (queue) queue.push(each)
    else queues.set(each.tenant, [each])
  }
  const load = (tenant: string) => (has.get(tenant) ?? 0) / share(tenant).weight
  while (queues.size > 0) {
    const tenant = leastLoaded([...queues.keys()], load)
    const queue = queues.get(tenant) as Waiting[]
    const next = queue[0] as Waiting
    const taken = admitted.get(next.instance) as number[]
    const isLimited = (has.get(tenant) ?? 0) >= share(tenant).maxReplicas
    const places = left.get(next.gpu) ?? 0
    const index = next.indexes[taken.length]
    if (index === undefined || isLimited || places === 0) {
      if (index !== undefined) refused.set(next.instance, isLimited ? 'replica_limit' : 'no_capacity')
      queue.shift()
      if (queue.length === 0) queues.delete(tenant)
      continue
    }
    taken.push(index)
    left.set(next.gpu, places - 1)
    has.set(tenant, (has.get(tenant) ?? 0) + 1)
  }
  return new Map(
    waiting.map(({ instance }) => [
      instance,
      { indexes: admitted.get(instance) ?? [], refusal: refused.get(instance) },
    ]),
  )
}

function leastLoaded(tenants: readonly string[], load: (tenant: string) => number): string {
  let [best = ''] = tenants
  for (const tenant of tenants) if (load(tenant) < load(best)) best = tenant
  return best
}

/** The slots of an instance that wait for a place. */
export const waitingIndexes = ({ slots, ending }: InstanceRecord, now: number): number[] =>
  ending === undefined
    ? slots.filter(({ state, retry_at = 0 }) => state === 'pending' && retry_at <= now).map(({ index }) => index)
    : []
