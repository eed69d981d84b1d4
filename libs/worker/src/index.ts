export { type ChildOptions, type ChildProcess, startChild } from './child-process.ts'
export { bounded, type Emission, MAX_PIECE_BYTES, PieceTooLarge } from './emission.ts'
export type { Lock } from './node-lock.ts'
export { chooseSandbox, detectSandbox, type SandboxMode, type SandboxPlan } from './os-sandbox.ts'
export { makeFolder, removeFolder, sweepFolders } from './own-folder.ts'
export {
  type Artifact,
  type GivenFile,
  type InputFile,
  type ItemResult,
  type Loadable,
  type Loadables,
  type Loaded,
  LoadFailed,
  type OnEmit,
  type OutputFile,
  type RunItem,
  type Runner,
  RunnerGone,
  type RunResult,
  type Used,
} from './runner.ts'
export { MOST_HEAD_BYTES, type Said } from './said.ts'
