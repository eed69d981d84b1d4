/** What runs models: the port behind which the ONNX Runtime child process stands. */
import type { ModelPackage } from '@millhand/model'

export interface RunItem {
  /** As the task has it; the runner reads it as the model's `input_format` says. Hostile. */
  readonly input: string
  readonly parameters: Readonly<Record<string, unknown>> | undefined
}

export type ItemResult =
  /** `output` is JSON text of at most 256 KiB of UTF-8; a larger one is the fault `output_too_large`. */
  | { readonly ok: true; readonly output: string }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly retryable: boolean }

export interface RunResult {
  /** In the order of the items. */
  readonly items: readonly ItemResult[]
  /** Milliseconds of the whole run: reading the inputs, the model, writing the outputs. */
  readonly computeMs: number
}

export interface Progress {
  /** From 0 to 1. */
  readonly fraction: number
  readonly message?: string
}

/** A model in a process of its own. */
export interface LoadedModel {
  /**
   * Runs the items together, in portions where their inputs are large. One run at a time: the caller waits for the one
   * before. Rejects with `RunnerGone` when the process ends before it answers.
   */
  run(items: readonly RunItem[], onProgress?: (progress: Progress) => void): Promise<RunResult>
  /** Resident memory of the process, in bytes; 0 when it is gone. */
  memoryBytes(): number
  /** Ends the process at once (SIGKILL), also in the middle of a run. Resolves when it is gone. Idempotent. */
  kill(): Promise<void>
  /** Resolves when the process is gone, however that came. */
  readonly gone: Promise<RunnerGone>
}

export interface ModelRunner {
  readonly engine: { readonly kind: string; readonly name: string; readonly provider: string }
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
