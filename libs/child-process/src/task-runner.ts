/** What runs work: the port behind which the processes of models stand, and those of the kinds of work. */
import type { FileHandle } from 'node:fs/promises'
import type { Emission } from './emission.ts'

/** What is loaded into a process of its own: a model, a kind of work. */
export interface Loadable {
  readonly status: 'ready'
  /** What leases name it by: their group. */
  readonly id: string
  /** Of the same id, another one is another thing to load. */
  readonly version: string
  /** How many tasks may share a run; one where it is not said. */
  readonly manifest?: { readonly maxBatch: number }
}

/** What can be loaded, by id. */
export interface Loadables<L extends Loadable> {
  get(id: string): L | { readonly status: 'broken'; readonly problem: string } | undefined
}

export interface RunItem {
  /** As the task has it; the runner reads it as the model's `input_format` says. Hostile. */
  readonly input: string | InputFile
  readonly parameters: Readonly<Record<string, unknown>> | undefined
  /** What comes beside the input. Hostile. */
  readonly files?: readonly AttachedFile[]
  /** Told what the run has used so far, whenever that is more: it counts however the run ends. */
  readonly onUsage?: (used: ModelUsage) => void
  /** Told what the run waits for, in a sentence for its owner; undefined once it goes on. A run over its time ends with it. */
  readonly onWait?: (reason: string | undefined) => void
  /**
   * Has it noted that the run may have cost so much in all, in millionths of a dollar, once what is asked next is
   * answered: it counts where this machine is lost. Rejects where that can't be, or the run is to stop: then nothing is asked.
   */
  readonly reserveCost?: (costMicros: number) => Promise<void>
  /** Stores how far the run is: the next attempt gets it as the first of its `files`. Rejects where that can't be now. */
  readonly storeCheckpoint?: (checkpoint: Uint8Array) => Promise<void>
  /** Told the best result so far, whenever there is a better one, by a run that leaves it where its owner cancels it. */
  readonly keepBest?: (best: ItemResult) => void
}

/** A file that comes beside an input, whole. */
export interface AttachedFile {
  readonly name: string
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/** What language models did for a run. */
export interface ModelUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  /** Millionths of a dollar. */
  readonly costMicros: number
}

/** A file that a run made. */
export interface Artifact extends AttachedFile {
  /** Unique in its run. */
  readonly name: string
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
  /** JSON text in UTF-8, at most 256 KiB. */
  | { readonly ok: true; readonly output: Buffer }
  /** JSON text beyond that, of at most 64 MiB; a larger one is the fault `output_too_large`. */
  | { readonly ok: true; readonly file: OutputFile }
  /** An output that names files, which are stored first: JSON text of any length up to 64 MiB. */
  | {
      readonly ok: true
      readonly artifacts: readonly Artifact[]
      /** The output, given the ids of those files, in their order. */
      readonly outputOf: (files: readonly string[]) => string
    }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly retryable: boolean }

export interface RunResult {
  /** In the order of the items. */
  readonly items: readonly ItemResult[]
  /** Milliseconds of the whole run, by the clock of this process: reading the inputs, the model, writing the outputs. */
  readonly computeMs: number
}

/**
 * Takes what the item of this index emits, within the bounds of `bounded`. Resolves when there is room for the next:
 * who has more waits for that. Never rejects; what a run emits that is being stopped may be dropped.
 */
export type OnEmit = (item: number, emission: Emission) => Promise<void>

/** Something in a process of its own. */
export interface Loaded {
  /**
   * Runs the items together, in portions where their inputs are large. One run at a time: the caller waits for the one
   * before. What an item emits is given to `onEmit` before this resolves. Rejects with `RunnerGone` when the process
   * ends before it answers.
   */
  run(items: readonly RunItem[], onEmit?: OnEmit): Promise<RunResult>
  /** Leaves the processor to others from now on, where they want it. */
  lowerPriority?(): void
  /** Resident memory of the process, as the kernel counts it, in bytes; 0 when it is gone. */
  memoryBytes(): number
  /** Ends the process at once (SIGKILL), also in the middle of a run. Resolves when it is gone. Idempotent. */
  kill(): Promise<void>
  /** Resolves when the process is gone, however that came. */
  readonly gone: Promise<RunnerGone>
}

export interface Runner<L extends Loadable> {
  readonly engine: {
    readonly kind: string
    readonly name: string
    readonly provider: string
    /** What its usage counts as; the processor where it is not said. */
    readonly gpuType?: string
  }
  /** What it loads, in a word that the owners of tasks read: faults are `model_crashed` or `engine_crashed`. */
  readonly loads: 'model' | 'engine'
  /** Set where no run waits for another of the same: each has a process to itself while it is on. */
  readonly ownProcesses?: true
  /** About what a process holds that has loaded the thing, in bytes, where that can be told before. */
  estimateBytes?(thing: L): number
  /**
   * Starts a process and loads the thing in it. Rejects with `LoadFailed` when that is at fault; with
   * `RunnerGone('crashed')` when the process ended by itself and `RunnerGone('not_started')` when none could be had,
   * which another try may mend; with `RunnerGone('killed')` when the signal aborts. Leaves no process then. Once it has
   * resolved the signal does nothing more.
   */
  load(thing: L, signal: AbortSignal): Promise<Loaded>
}

/** The process ended without an answer. */
export class RunnerGone extends Error {
  /**
   * `out_of_memory`: over its memory limit. `processor_limit`: over the processor time that its run may use; the message
   * is for the owner of the work. `killed`: by `kill()`, or a load by its signal. `not_started`: there never
   * was one, for want of something that the machine should have; `cause` has it. `evicted`: for another run of the same
   * process, that had to be ended. `crashed`: anything else.
   */
  readonly reason: 'out_of_memory' | 'processor_limit' | 'killed' | 'not_started' | 'evicted' | 'crashed'
  /** Milliseconds that the run took, where those are not all between its begin and its end. */
  readonly computeMs?: number | undefined
  constructor(reason: RunnerGone['reason'], message: string, options?: ErrorOptions & { readonly computeMs?: number }) {
    super(message, options)
    this.name = 'RunnerGone'
    this.reason = reason
    this.computeMs = options?.computeMs
  }
}

/** It cannot be loaded: broken, unsupported, too slow or too large. Trying again will not help. */
export class LoadFailed extends Error {
  readonly code: 'model_broken' | 'engine_broken' | 'out_of_memory'
  constructor(code: LoadFailed['code'], message: string) {
    super(message)
    this.name = 'LoadFailed'
    this.code = code
  }
}
