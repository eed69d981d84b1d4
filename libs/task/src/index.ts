export { type Callback, callbackFaults, type TargetFault } from './callback.ts'
export { createdRange } from './created-range.ts'
export { taskEvents } from './events.ts'
export { unknownTask } from './found-task.ts'
export { heldTask } from './held-task.ts'
export type { TaskKind } from './kind.ts'
export {
  callbackMessage,
  errorMessage,
  moneyMessage,
  progressMessage,
  statuses,
  timestamp,
} from './message-parts.ts'
export { addTask, madeBefore, newLife } from './new-task.ts'
export { type OutputFiles, type OutputFilesDeps, outputFiles, type UnsettledFiles } from './output-files.ts'
export { cancelTask } from './rpc/cancel-task.ts'
export { createStreamToken } from './rpc/create-stream-token.ts'
export { deleteTaskData } from './rpc/delete-task-data.ts'
export { getTask } from './rpc/get-task.ts'
export { leaseMethods } from './rpc/leases.ts'
export { leaseOf, leaseWithInput } from './rpc/lend.ts'
export { redeemStreamToken } from './rpc/redeem-stream-token.ts'
export { ring } from './rpc/ring.ts'
export { waitTask } from './rpc/wait-task.ts'
export { watchTask } from './rpc/watch-task.ts'
export { refuseAsAsked } from './sandbox.ts'
export type { EmissionsRecord } from './stream/emissions.ts'
export type { Told } from './stream/read-stream.ts'
export { acceptedAt, hasEnded, modeOf, queueExpiresAt, runsBegun, type TaskLife } from './task.ts'
export type { TaskDeps } from './task-deps.ts'
export { createTasks } from './tasks.ts'
export { type LifeRules, type TaskCause, taskTransition } from './transition.ts'
