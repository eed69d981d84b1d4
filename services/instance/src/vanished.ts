/** When replicas have ended that are not there any more: their engine may remember it, also of the time without an owner. */
import type { Driver } from './drivers/driver.ts'
import type { InstanceRecord } from './instance.ts'
import type { ReplicasByInstance } from './replicas-by-instance.ts'

/** By name. Without those of hosts that do not answer. */
export async function endsOfVanished(
  driver: Driver,
  instances: readonly InstanceRecord[],
  seen: ReplicasByInstance,
  lostHosts: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const hosts = new Set<string>()
  for (const { id, slots } of instances)
    for (const { generation, host, metered_until } of slots) {
      const isThere = seen.get(id)?.some(replica => replica.generation === generation)
      if (!isThere && host !== undefined && metered_until !== undefined && !lostHosts.has(host)) hosts.add(host)
    }
  const found = await Promise.all([...hosts].map(host => driver.ends(host, signal).catch(() => new Map())))
  return new Map(found.flatMap(ends => [...ends]))
}
