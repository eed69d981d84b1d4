/** What a pool is of, and what may be claimed of it. */
import type { Clock } from '@millhand/process'
import type { Cap, Ready, Share } from './ready-queue.ts'
import type { FlowIndex } from './stored-work.ts'
import type { LeaseCause, Work } from './work.ts'
import type { WorkStore } from './work-store.ts'

/** What pools ask and tell each other whose leases count under the same caps. */
export interface CapSibling {
  /** How many leases of it there are under the key of a cap. */
  running(key: string): number
  mayRunMore(key: string): void
  mayRunAll(): void
}

export interface PoolOptions<T extends Work, C> {
  readonly name: string
  readonly work: WorkStore<T, C | LeaseCause>
  readonly clock: Clock
  readonly newLeaseId: () => string
  /** Who takes turns; tenants, where it is left out. */
  readonly flows?: FlowIndex<T>
  /** What its flow may have, as it was when the work was made: its latest work tells what holds. */
  readonly share: (work: T) => Share
  /** What bounds it instead, asked at each turn; whoever raises one says so by `mayRunMore`. One of each key. */
  readonly caps?: (next: Ready) => readonly Cap[]
  /** Pools whose leases count under the same caps, beside this one. Asked once, when there is work. */
  readonly siblings?: () => readonly CapSibling[]
  /** How much of a group shares a run at most; where it is left out a claim's runs are of one piece each, of any groups. */
  readonly maxBatch?: (group: string) => number
  /**
   * Whether the owner claims for itself. Then leases need no renewing: each lasts until it is settled, and ends with its
   * owner, so that the next one takes the work up at once. What can be claimed is looked for in the store again and again,
   * for what nobody told of. Else executors hold leases, which last for `leaseMs`.
   */
  readonly ownerClaims?: true
  /** How many pieces of one flow and rank the ready queue holds; the store has the others. */
  readonly window?: number
  /** Hears of work that was in doubt, as it is in the store. */
  readonly onReread?: (work: T) => void
  /** More was in doubt than is read one by one: each change may have been missed. The store answers again. */
  readonly onManyInDoubt?: () => void
  /** Hears why a sweep failed, and on which work where that is one piece. */
  readonly onError: (error: unknown, work?: Pick<Work, 'id' | 'traceparent'>) => void
}
