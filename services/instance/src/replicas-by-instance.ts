import type { ObservedReplica } from './drivers/driver.ts'

/** Replicas by their instance. */
export type ReplicasByInstance = ReadonlyMap<string, readonly ObservedReplica[]>

/** Groups replicas; the same map again where a driver gives the same objects, as in most passes, so that it is no garbage. */
export function createGrouping(): (replicas: readonly ObservedReplica[]) => ReplicasByInstance {
  let latest: readonly ObservedReplica[] = []
  let groups: ReplicasByInstance = new Map()
  return replicas => {
    if (replicas.length === latest.length && replicas.every((replica, at) => replica === latest[at])) return groups
    latest = replicas
    groups = Map.groupBy(replicas, ({ instance }) => instance)
    return groups
  }
}
