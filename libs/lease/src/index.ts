export {
  atOwner,
  onlyReplica,
  ownerChanges,
  type Replicas,
  replicaStops,
  streamAtOwner,
  wasPassedOn,
} from './at-owner.ts'
export { backoffMs } from './backoff.ts'
export { leaseMs } from './deadlines.ts'
export {
  createOwnership,
  type EndReason,
  type Owner,
  type OwnerRecord,
  type Ownership,
  ownersSpec,
  soleOwnership,
} from './ownership.ts'
export {
  type Claimed,
  type ClaimRequest,
  Pool,
  type Verdict,
} from './pool.ts'
export type { PoolOptions } from './pool-options.ts'
export { type Cap, type Ready, ReadyQueue, type ReadyQueueOptions, type Share } from './ready-queue.ts'
export type { Lines } from './stored-work.ts'
export {
  countedByOwner,
  type Failure,
  type Held,
  isRefusal,
  type LeaseCause,
  type Machine,
  noDueTime,
  type Outcome,
  type Refusal,
  type RunReport,
  refuse,
  type Work,
  workIndexes,
} from './work.ts'
export { type Changed, createWorkStore, type WorkStore } from './work-store.ts'
