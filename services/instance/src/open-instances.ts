/** The instances that the reconciler has something to do with, as they were last read or written. */
import type { ObservedReplica } from './drivers/driver.ts'
import type { InstanceRecord } from './instance.ts'

export class OpenInstances {
  readonly #byId = new Map<string, InstanceRecord>()
  /** The newest of each account, for it has the latest plan. */
  readonly #newest = new Map<string, Pick<InstanceRecord, 'id' | 'plan'>>()
  /** Those that were taken up since the last observation was asked for: it may be older than they are. */
  readonly #changed = new Set<string>()

  get size(): number {
    return this.#byId.size
  }

  get(id: string): InstanceRecord | undefined {
    return this.#byId.get(id)
  }

  values(): Iterable<InstanceRecord> {
    return this.#byId.values()
  }

  /** Takes up an instance; false where this version of it, or a later one, is known. */
  keep(instance: InstanceRecord): boolean {
    const { id, tenant, plan, version } = instance
    const known = this.#byId.get(id)
    if (known !== undefined && known.version >= version) return false
    this.#byId.set(id, instance)
    this.#changed.add(id)
    if ((this.#newest.get(tenant)?.id ?? '') <= id) this.#newest.set(tenant, { id, plan })
    return true
  }

  /** Whether all of these replicas are known to the record; another owner may have started more. */
  hasStarted(id: string, replicas: readonly ObservedReplica[]): boolean {
    const known = this.#byId.get(id)
    if (known === undefined) return false
    for (const { generation } of replicas) if (generation > known.last_generation) return false
    return true
  }

  forget(id: string): void {
    this.#byId.delete(id)
  }

  /** The compute plan of an account. */
  planOf(tenant: string): string {
    return this.#newest.get(tenant)?.plan ?? ''
  }

  /** From now on `hasChanged` tells what is taken up. */
  beginObservation(): void {
    this.#changed.clear()
  }

  hasChanged(id: string): boolean {
    return this.#changed.has(id)
  }
}
