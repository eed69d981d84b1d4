/** An instance as the service stores it. REST shows the part that `instance-message.ts` picks. */
import { fail, type Id, type KeyMode } from '@millhand/api'
import type { Collection, CollectionSpec, Document } from '@millhand/store'
import type { RestoredReplica } from './drivers/driver.ts'

export type InstanceStatus =
  | 'pending'
  | 'provisioning'
  | 'running'
  | 'scaling'
  | 'degraded'
  | 'terminating'
  | 'terminated'
  | 'failed'

/**
 * `pending` waits for capacity; `starting` was admitted, and the engine is asked for it; `exited` has ended and waits for
 * its restart; `unknown` ran on a host that does not answer; `stopping` is to go.
 */
type SlotState = 'pending' | 'starting' | 'running' | 'exited' | 'unknown' | 'stopping'

/** What was last observed of one replica. Times are milliseconds since 1970. */
export interface Slot {
  readonly index: number
  /** Of its latest start; 0 before the first. */
  readonly generation: number
  readonly state: SlotState
  /** When it came into its state. */
  readonly since: number
  /** When its latest start was asked for: its run did not begin before. */
  readonly asked_at?: number | undefined
  readonly host?: string | undefined
  readonly address?: string | undefined
  readonly ports?: readonly { readonly port: number; readonly hostPort?: number }[] | undefined
  /** When the run of this generation began; there from the first time that it was observed until the next start. */
  readonly started_at?: number | undefined
  /** Until when that run was metered; there until its end was, or as long as nobody knows whether it has ended. */
  readonly metered_until?: number | undefined
  /** Whether its run is on a host that does not answer; it is metered until it was last seen there. */
  readonly is_isolated?: true | undefined
  readonly exit_code?: number | undefined
  /** Why it does not run. */
  readonly reason?: string | undefined
  readonly message?: string | undefined
  /** Of `exited`: when it is started again. */
  readonly retry_at?: number | undefined
  /** Runs in a row that ended at once, and starts that the engine refused. */
  readonly failures: number
  /** How often it was started again. */
  readonly restarts: number
}

export interface HistoryEntry {
  readonly sequence: number
  readonly type: string
  readonly at: number
  readonly replica?: number | undefined
  readonly reason?: string | undefined
  readonly message?: string | undefined
  readonly exit_code?: number | undefined
}

/** Times are milliseconds since 1970. */
export interface InstanceRecord extends Document {
  readonly id: Id<'inst'>
  readonly account_id: string
  readonly mode: KeyMode
  /** The account's compute plan when it was made. */
  readonly plan: string
  readonly name?: string | undefined
  readonly gpu: string
  readonly image: string
  readonly command: readonly string[]
  readonly ports: readonly number[]
  readonly volume_gb?: number | undefined
  readonly max_lifetime_s?: number | undefined
  readonly metadata: Readonly<Record<string, string>>
  /** `Secrets`, sealed for the instance. */
  readonly secrets?: string | undefined
  readonly desired: { readonly replicas: number }
  /** Why it is to end, once it is. */
  readonly ending?: { readonly reason: string; readonly isFailure: boolean } | undefined
  /** When all replicas that were desired ran for the first time. */
  readonly ready_at?: number | undefined
  /** Whether the latest request to scale is not met yet. */
  readonly is_scaling: boolean
  readonly slots: readonly Slot[]
  /** Of the latest start of a replica: the next one's is higher. */
  readonly last_generation: number
  readonly status: InstanceStatus
  readonly reason?: string | undefined
  readonly message?: string | undefined
  /**
   * `requested`: a method has changed what is desired, and the reconciler has not seen it; `ongoing`: the reconciler has;
   * `done`: nothing of it is left in the engine, and nothing will be.
   */
  readonly work: 'requested' | 'ongoing' | 'done'
  /** The latest, oldest first. */
  readonly history: readonly HistoryEntry[]
  readonly created_at: number
  readonly updated_at: number
  readonly expires_at?: number | undefined
  readonly terminated_at?: number | undefined
  /** When it is removed; there once its work is done. */
  readonly due_at?: number | undefined
  readonly resource_version: number
  readonly request_id?: string | undefined
  /**
   * The trace of the latest request that has changed what is desired, until that is reached: W3C's `traceparent`. What
   * happens to an instance later, for months, is in no trace.
   */
  readonly traceparent?: string | undefined
  /** The operations that have scaled it, the latest, so that one counts once. */
  readonly operations: readonly string[]
}

/** What nobody is shown. */
export interface Secrets {
  readonly env: Readonly<Record<string, string>>
  readonly registry?: { readonly username: string; readonly password: string }
}

export const instancesSpec = {
  name: 'instances',
  indexes: {
    /** Those that the reconciler has something to do with, over all tenants. */
    open: { fields: ['tenant', 'id'], when: { field: 'work', in: ['requested', 'ongoing'] } },
    /** Those that it has not seen since they were changed. */
    requested: { fields: ['tenant', 'id'], when: { field: 'work', in: ['requested'] } },
    ended: { fields: ['due_at'], when: { field: 'work', in: ['done'] } },
  },
  refusedWhenFull: true,
} as const satisfies CollectionSpec

export type Instances = Collection<InstanceRecord, keyof typeof instancesSpec.indexes>

/** Fails with `not_found`. */
export async function requireInstance(instances: Instances, tenant: string, id: string): Promise<InstanceRecord> {
  const instance = await instances.get(tenant, id)
  if (instance === undefined) throw fail('not_found', `There is no instance \`${id.slice(0, 64)}\`.`)
  return instance
}

/** Whether it is over, or about to be. */
export const isEnding = ({ ending }: Pick<InstanceRecord, 'ending'>): boolean => ending !== undefined

/** The name of a replica in the engine. Each is used once: the generation counts up in the instance. */
export const replicaName = (instance: string, { index, generation }: Pick<Slot, 'index' | 'generation'>): string =>
  `${instance.replace('_', '-')}-${index}-${generation}`

/** What secrets are sealed for. */
export const sealedFor = ({ tenant, id }: Pick<InstanceRecord, 'tenant' | 'id'>): string => `${tenant}/${id}`

/** Its replicas that ran when they were last observed. */
export const restoredReplicas = ({ id, tenant, gpu, image, slots }: InstanceRecord): RestoredReplica[] =>
  slots.flatMap(slot => {
    const { index, generation, started_at: startedAt, metered_until, ports = [] } = slot
    if (startedAt === undefined || metered_until === undefined) return []
    return [{ name: replicaName(id, slot), tenant, instance: id, index, generation, gpu, image, ports, startedAt }]
  })
