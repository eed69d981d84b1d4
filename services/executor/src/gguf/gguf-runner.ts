/** Runs language models of the form GGUF: the adapter of `Runner` for llama.cpp. docs/decisions/text-generation.md */
import {
  type Loaded,
  LoadFailed,
  type OnEmit,
  type RunItem,
  type Runner,
  RunnerGone,
  type RunResult,
} from '@millhand/child-process'
import type { DeclaredUse, GgufProcesses, SharedGguf } from '@millhand/gguf/processes'
import type { ModelPackage } from '@millhand/model'
import { generateText } from './generate-text.ts'
import { SharedTime } from './shared-time.ts'

export interface GgufRunnerOptions {
  /** All that it can load. */
  readonly models: readonly ModelPackage[]
  /** Whose processes it uses: nothing of the models' files has been acquired of it yet. */
  readonly processes: Pick<GgufProcesses, 'declare'>
  /** How many runs of a model may be on at once, in its process. */
  readonly sequences: number
  /** Resident memory that a process may have beside its file for runs, in bytes. */
  readonly memoryLimitBytes: number
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number
}

/** A stopped run is over by then, also where its process has to be killed: contract, section 4, "States". */
const STOP_MS = 1_500

export function ggufRunner(options: GgufRunnerOptions): Runner<ModelPackage> {
  const { models, now = () => performance.now() } = options
  const uses = new Map(models.map(model => [model.id, useOf(model, options)]))
  const idle = new IdleRuns(options.sequences)
  /** Of each process, by its end. */
  const times = new WeakMap<SharedGguf['gone'], SharedTime>()
  return {
    engine: { kind: 'gguf', name: 'node-llama-cpp', provider: 'cpu' },
    loads: 'model',
    // No run waits for another: each is a sequence in the process of its model.
    ownProcesses: true,
    async load(model, signal) {
      const user = {}
      const shared = await acquire(uses.get(model.id), user, signal)
      const time = times.get(shared.gone) ?? new SharedTime(now)
      times.set(shared.gone, time)
      return new GgufRun({ model, user, shared, time, now, idle })
    },
  }
}

/** Undefined for a model that does not generate text. */
function useOf({ id, manifest, files }: ModelPackage, { processes, sequences, memoryLimitBytes }: GgufRunnerOptions) {
  if (manifest.processing.kind !== 'text_generation') return undefined
  const { contextTokens } = manifest.processing
  // What an account has asked is not kept for another's question.
  const context = { sequences, contextTokens, keepsPrefix: false, stopMs: STOP_MS }
  return processes.declare({ name: id, file: files.model ?? '', context, memoryBytes: memoryLimitBytes })
}

async function acquire(use: DeclaredUse | undefined, user: object, signal: AbortSignal): Promise<SharedGguf> {
  if (use === undefined) throw new LoadFailed('model_broken', 'the model does not generate text')
  try {
    return await use.acquire(user, signal)
  } catch (error) {
    if (!(error instanceof RunnerGone && error.reason === 'out_of_memory')) throw error
    throw new LoadFailed('out_of_memory', 'the model needs more memory than it may have')
  }
}

interface GgufRunDeps {
  readonly model: ModelPackage
  /** By which the process knows that it is in use. */
  readonly user: object
  readonly shared: SharedGguf
  readonly time: SharedTime
  readonly now: () => number
  readonly idle: IdleRuns
}

/** A run of a model, and the next of the same account: what is killed is the run, and not the process that it shares. */
class GgufRun implements Loaded {
  readonly gone: Promise<RunnerGone>
  readonly #deps: GgufRunDeps
  readonly #killed = new AbortController()
  readonly #onKilled: () => void
  #running: Promise<unknown> = Promise.resolve()

  constructor(deps: GgufRunDeps) {
    this.#deps = deps
    const { promise, resolve } = Promise.withResolvers<RunnerGone>()
    this.#onKilled = () => resolve(stopped())
    this.gone = Promise.race([promise, deps.shared.gone])
  }

  async run(items: readonly RunItem[], onEmit: OnEmit = async () => {}): Promise<RunResult> {
    if (this.#killed.signal.aborted) throw stopped()
    const { shared, user, idle } = this.#deps
    idle.delete(this)
    shared.hold(user)
    const running = this.#generate(items, onEmit).finally(() => {
      shared.release(user)
      idle.add(this)
    })
    this.#running = running.catch(() => {})
    return await running
  }

  /** Each item is a sequence of its own. */
  async #generate(items: readonly RunItem[], onEmit: OnEmit): Promise<RunResult> {
    const { shared, time, model, user, now } = this.#deps
    const { signal } = this.#killed
    time.begin(user)
    const runs = items.map((item, at) =>
      generateText({ process: shared, model, emit: emission => onEmit(at, emission), signal, now }, item),
    )
    const ended = await Promise.allSettled(runs)
    const computeMs = time.end(user)
    const results = ended.map(one => {
      if (one.status === 'rejected') throw withTime(one.reason, computeMs)
      return one.value
    })
    return { items: results, computeMs }
  }

  /** What the process holds is all runs' together, and counts where it is shared. */
  memoryBytes(): number {
    return 0
  }

  async kill(): Promise<void> {
    const { shared, user, idle } = this.#deps
    this.#killed.abort(stopped())
    await this.#running
    idle.delete(this)
    shared.release(user)
    this.#onKilled()
  }
}

const stopped = () => new RunnerGone('killed', 'the run was stopped')

/** Also a run that was stopped had only its share of the time. */
const withTime = (error: unknown, computeMs: number): unknown =>
  error instanceof RunnerGone ? new RunnerGone(error.reason, error.message, { cause: error, computeMs }) : error

/** Runs that are over, for the next of the same account. They hold nothing, and there are no more than can be on at once. */
class IdleRuns {
  readonly #runs = new Set<GgufRun>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  add(run: GgufRun): void {
    this.#runs.add(run)
    const [oldest] = this.#runs
    if (this.#runs.size <= this.#most || oldest === undefined) return
    this.#runs.delete(oldest)
    void oldest.kill()
  }

  delete(run: GgufRun): void {
    this.#runs.delete(run)
  }
}
