export { type ChildMessage, MAX_HEAD_BYTES } from './child-message.ts'
export { type ChildOptions, type ChildProcess, startChild } from './child-process.ts'
export { type DeviceAccess, deviceAccess, driverLibrary, driverManifests } from './devices.ts'
export { bounded, type Emission, MAX_PIECE_BYTES, PieceTooLarge } from './emission.ts'
export { type LoadLimits, loadLimits, withinLoadLimits } from './load-limits.ts'
export type { Lock } from './node-permissions.ts'
export { chooseSandbox, detectSandbox, type SandboxMode, type SandboxPlan } from './os-sandbox.ts'
export {
  type Artifact,
  type AttachedFile,
  type InputFile,
  type ItemResult,
  type Loadable,
  type Loadables,
  type Loaded,
  LoadFailed,
  type ModelUsage,
  type OnEmit,
  type OutputFile,
  type RunItem,
  type Runner,
  RunnerGone,
  type RunResult,
} from './task-runner.ts'
export { ensureTempFolder, makeTempFolder, removeTempFolder, sweepTempFolders } from './temp-folder.ts'
