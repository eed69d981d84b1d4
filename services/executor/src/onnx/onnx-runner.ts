/** Runs ONNX models, each in a child process of its own: the adapter of `ModelRunner` for ONNX Runtime. */
import type { ModelPackage } from '@millhand/model'
import {
  type ItemResult,
  type LoadedModel,
  ModelLoadFailed,
  type ModelRunner,
  type Progress,
  type RunItem,
  RunnerGone,
  type RunResult,
} from '../model-runner.ts'
import { type ChildProcess, startChild } from './child-process.ts'
import type { FromChild, ItemFault } from './protocol.ts'

export interface OnnxRunnerOptions {
  /** Resident memory that a child may have, in bytes: the model, its runs and Node with ONNX Runtime (150 MB). */
  readonly memoryLimitBytes: number
  /** Processor threads of a run. */
  readonly threads: number
  /** How long loading may take, in milliseconds. */
  readonly loadTimeoutMs?: number
  /** Gets the last of what a child that ended by itself wrote to standard error. For the log, never for callers. */
  readonly onStderr?: (modelId: string, text: string) => void
}

const LOAD_TIMEOUT_MS = 60_000

export function onnxRunner(options: OnnxRunnerOptions): ModelRunner {
  return {
    engine: { kind: 'onnx', name: 'onnxruntime', provider: 'cpu' },
    load: (model, signal) => load(model, signal, options),
  }
}

async function load(model: ModelPackage, signal: AbortSignal, options: OnnxRunnerOptions): Promise<LoadedModel> {
  signal.throwIfAborted()
  const child = startChild(options)
  void child.gone.then(gone => {
    if (gone.reason !== 'killed' && child.stderr() !== '') options.onStderr?.(model.id, child.stderr())
  })
  const { processing, labels, batchable } = model.manifest
  const limit = AbortSignal.timeout(options.loadTimeoutMs ?? LOAD_TIMEOUT_MS)
  try {
    child.send({ kind: 'load', files: model.files, processing, labels, batchable, threads: options.threads })
    const answer = await child.next(AbortSignal.any([signal, limit]))
    if (answer.kind === 'loaded') return new OnnxModel(child, answer.memoryBytes)
    throw new ModelLoadFailed('model_broken', answer.kind === 'refused' ? answer.message : 'it answered out of turn')
  } catch (error) {
    await child.kill()
    signal.throwIfAborted()
    if (limit.aborted) throw new ModelLoadFailed('model_broken', 'the model took too long to load')
    throw error instanceof RunnerGone ? loadFailed(error) : error
  }
}

function loadFailed({ reason }: RunnerGone): ModelLoadFailed {
  return reason === 'out_of_memory'
    ? new ModelLoadFailed('out_of_memory', 'the model needs more memory than it may have')
    : new ModelLoadFailed('model_broken', 'the process of the model ended while it loaded')
}

class OnnxModel implements LoadedModel {
  readonly gone: Promise<RunnerGone>
  readonly #child: ChildProcess
  #memoryBytes: number

  constructor(child: ChildProcess, memoryBytes: number) {
    this.#child = child
    this.#memoryBytes = memoryBytes
    this.gone = child.gone.then(gone => {
      this.#memoryBytes = 0
      return gone
    })
  }

  async run(items: readonly RunItem[], onProgress?: (progress: Progress) => void): Promise<RunResult> {
    const inputs = items.map(({ input }) => input)
    const given = items.some(({ parameters }) => parameters !== undefined)
    this.#child.send({ kind: 'run', inputs, ...(given && { parameters: items.map(({ parameters }) => parameters) }) })
    for (;;) {
      const answer = await this.#child.next()
      if (answer.kind === 'done') {
        this.#memoryBytes = answer.memoryBytes
        return { items: answer.items.map(toResult), computeMs: answer.computeMs }
      }
      if (answer.kind === 'progress') onProgress?.(toProgress(answer))
    }
  }

  memoryBytes(): number {
    return this.#memoryBytes
  }

  kill(): Promise<void> {
    return this.#child.kill()
  }
}

const toResult = (item: string | ItemFault): ItemResult =>
  typeof item === 'string' ? { ok: true, output: item } : { ok: false, retryable: false, ...item }

const toProgress = ({ fraction, message }: Extract<FromChild, { kind: 'progress' }>): Progress =>
  message === undefined ? { fraction } : { fraction, message }
