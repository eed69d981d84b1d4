export {
  forwardStreamToOwner,
  forwardToOwner,
  isForwarded,
  ownerUnavailable,
  type Replicas,
  replicaStopping,
  singleReplica,
} from './forward-to-owner.ts'
export { leaseMs } from './lease-timers.ts'
export {
  createOwnership,
  type EndReason,
  type Owner,
  type OwnerRecord,
  type Ownership,
  ownersSpec,
} from './owner-election.ts'
export type { Urgency } from './pending-writes.ts'
export {
  type ClaimedRun,
  type ClaimRequest,
  Pool,
  type RenewResult,
} from './pool.ts'
export type { PoolOptions } from './pool-options.ts'
export { type Cap, type Ready, ReadyQueue, type ReadyQueueOptions, type Share } from './ready-queue.ts'
export { backoffMs } from './retry-backoff.ts'
export type { FlowIndex } from './stored-work.ts'
export {
  countedByOwner,
  type Failure,
  type FencingToken,
  isRefusal,
  type LeaseCause,
  noDueTime,
  type Outcome,
  type Refusal,
  type RunReport,
  refuse,
  type StateMachine,
  type Work,
  workIndexes,
} from './work.ts'
export { type ChangeResult, createWorkStore, type WorkStore } from './work-store.ts'
