export { Backlog } from './backlog.ts'
export { type Callback, callbackFaults, type TargetFault } from './callback.ts'
export { taskEvents } from './events.ts'
export { foundTask, unknownTask } from './found-task.ts'
export { heldTask } from './held-task.ts'
export { createInputs, fitsRecord } from './inputs.ts'
export { requireJson } from './json-text.ts'
export type { TaskKind } from './kind.ts'
export {
  callbackMessage,
  errorMessage,
  moneyMessage,
  progressMessage,
  statuses,
  timestamp,
} from './message-parts.ts'
export { removeExpired } from './retention.ts'
export { createStreamToken } from './rpc/create-stream-token.ts'
export { redeemStreamToken } from './rpc/redeem-stream-token.ts'
export { type Received, received } from './stream/emission.ts'
export { createEmissions, type EmissionsRecord } from './stream/emissions.ts'
export { emitted, isCounted } from './stream/emitted.ts'
export { placeOf } from './stream/place.ts'
export { readStream, type Told } from './stream/read-stream.ts'
export { createStreamTokens } from './stream-token.ts'
export { acceptedAt, hasEnded, modeOf, queueExpiresAt, runsBegun, type TaskLife } from './task.ts'
export type { TaskDeps } from './tasks.ts'
export { type LifeRules, type TaskCause, taskTransition } from './transition.ts'
export { TaskWatch } from './watch.ts'
