/** What runs models: the port behind which the ONNX Runtime child process stands. */
import type { FileHandle } from 'node:fs/promises'
import type { ModelPackage } from '@millhand/model'
import type { Emission } from './emission.ts'

export interface RunItem {
  /** As the task has it; the runner reads it as the model's `input_format` says. Hostile. */
  readonly input: string | InputFile
  readonly parameters: Readonly<Record<string, unknown>> | undefined
}

/** An input in a file. */
export interface InputFile {
  readonly path: string
  readonly bytes: number
}

/** An output in a file that nobody else knows of and that goes once it is closed. Whoever gets it closes it. */
export interface OutputFile {
  readonly bytes: number
  readonly handle: FileHandle
}

export type ItemResult =
  /** JSON text of at most 256 KiB of UTF-8. */
  | { readonly ok: true; readonly output: string }
  /** JSON text beyond that, of at most 64 MiB; a larger one is the fault `output_too_large`. */
  | { readonly ok: true; readonly file: OutputFile }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly retryable: boolean }

export interface RunResult {
  /** In the order of the items. */
  readonly items: readonly ItemResult[]
  /** Milliseconds of the whole run: reading the inputs, the model, writing the outputs. */
  readonly computeMs: number
}

/**
 * Takes what the item of this index emits, within the bounds of `bounded`. Resolves when there is room for the next:
 * who has more waits for that. Never rejects; what a run emits that is being stopped may be dropped.
 */
export type OnEmit = (item: number, emission: Emission) => Promise<void>

/** A model in a process of its own. */
export interface LoadedModel {
  /**
   * Runs the items together, in portions where their inputs are large. One run at a time: the caller waits for the one
   * before. What an item emits is given to `onEmit` before this resolves. Rejects with `RunnerGone` when the process
   * ends before it answers.
   */
  run(items: readonly RunItem[], onEmit?: OnEmit): Promise<RunResult>
  /** Resident memory of the process, in bytes; 0 when it is gone. */
  memoryBytes(): number
  /** Ends the process at once (SIGKILL), also in the middle of a run. Resolves when it is gone. Idempotent. */
  kill(): Promise<void>
  /** Resolves when the process is gone, however that came. */
  readonly gone: Promise<RunnerGone>
}

export interface ModelRunner {
  readonly engine: { readonly kind: string; readonly name: string; readonly provider: string }
  /** Set where loading costs nothing: then a model is loaded for each run, and no run waits for another of its model. */
  readonly loadsEachRun?: true
  /**
   * Starts a process and loads the model in it. Rejects with `ModelLoadFailed` when the model is at fault; with
   * `RunnerGone('crashed')` when the process ended by itself and `RunnerGone('not_started')` when none could be had,
   * which another try may mend; with `RunnerGone('killed')` when the signal aborts. Leaves no process then. Once it has
   * resolved the signal does nothing more.
   */
  load(model: ModelPackage, signal: AbortSignal): Promise<LoadedModel>
}

/** The process ended without an answer. */
export class RunnerGone extends Error {
  /**
   * `out_of_memory`: over its memory limit. `killed`: by `kill()`, or a load by its signal. `not_started`: there never
   * was one, for want of something that the machine should have; `cause` has it. `crashed`: anything else.
   */
  readonly reason: 'out_of_memory' | 'killed' | 'not_started' | 'crashed'
  constructor(reason: RunnerGone['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'RunnerGone'
    this.reason = reason
  }
}

/** The model cannot be loaded: broken, unsupported, too slow or too large. Trying again will not help. */
export class ModelLoadFailed extends Error {
  readonly code: 'model_broken' | 'out_of_memory'
  constructor(code: ModelLoadFailed['code'], message: string) {
    super(message)
    this.name = 'ModelLoadFailed'
    this.code = code
  }
}
