/** Runs ONNX models, each in a child process of its own: the adapter of `ModelRunner` for ONNX Runtime. */
import type { ModelPackage } from '@millhand/model'
import type { Log } from '@millhand/telemetry'
import onnxruntime from 'onnxruntime-node/package.json' with { type: 'json' }
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
import { sweepFolders } from './child-folder.ts'
import { type ChildProcess, startChild } from './child-process.ts'
import { portions } from './portions.ts'
import type { FromChild, ItemFault } from './protocol.ts'

export interface OnnxRunnerOptions {
  /** Resident memory that a child may have, in bytes: the model, its runs and Node with ONNX Runtime (150 MB). */
  readonly memoryLimitBytes: number
  /** Processor threads of a run. */
  readonly threads: number
  /** How long loading may take, in milliseconds. */
  readonly loadTimeoutMs?: number
  /** Gets the last of what a child that ended by itself wrote to standard error, as `model.stderr`, and what is left. */
  readonly log: Log
}

const LOAD_TIMEOUT_MS = 60_000

type Done = Extract<FromChild, { kind: 'done' }>

/** Removes at once what children of processes left that were killed. */
export function onnxRunner(options: OnnxRunnerOptions): ModelRunner {
  sweepFolders(options.log)
  return {
    engine: { kind: 'onnx', name: `onnxruntime ${onnxruntime.version}`, provider: 'cpu' },
    load: (model, signal) => load(model, signal, options),
  }
}

async function load(model: ModelPackage, signal: AbortSignal, options: OnnxRunnerOptions): Promise<LoadedModel> {
  if (signal.aborted) throw stopped()
  const child = startChild(options)
  void child.gone.then(({ reason }) => {
    const text = child.stderr()
    if (reason !== 'killed' && text !== '') options.log.warn('model.stderr', { model: model.id, reason, text })
  })
  const stop = () => void child.kill()
  signal.addEventListener('abort', stop, { once: true })
  let late = false
  const limit = setTimeout(() => {
    late = true
    stop()
  }, options.loadTimeoutMs ?? LOAD_TIMEOUT_MS)
  try {
    const { processing, labels, batchable } = model.manifest
    child.send({ kind: 'load', files: model.files, processing, labels, batchable, threads: options.threads })
    const answer = await child.next()
    if (answer.kind === 'loaded') return new OnnxModel(child, answer.memoryBytes)
    throw new ModelLoadFailed('model_broken', answer.kind === 'refused' ? answer.message : 'it answered out of turn')
  } catch (error) {
    await child.kill()
    if (signal.aborted) throw stopped()
    if (late) throw new ModelLoadFailed('model_broken', 'the model took too long to load')
    if (error instanceof RunnerGone && error.reason === 'out_of_memory') {
      throw new ModelLoadFailed('out_of_memory', 'the model needs more memory than it may have')
    }
    throw error
  } finally {
    // The process outlives its loading: neither may end it in a later run.
    clearTimeout(limit)
    signal.removeEventListener('abort', stop)
  }
}

const stopped = () => new RunnerGone('killed', 'the loading of the model was stopped')

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
    const results: ItemResult[] = []
    let computeMs = 0
    for (const portion of portions(items)) {
      const before = results.length
      const done = await this.#runPortion(portion, ({ fraction, ...rest }) => {
        onProgress?.({ fraction: (before + fraction * portion.length) / items.length, ...rest })
      })
      results.push(...done.items.map(toResult))
      computeMs += done.computeMs
    }
    return { items: results, computeMs }
  }

  async #runPortion(items: readonly RunItem[], onProgress: (progress: Progress) => void): Promise<Done> {
    const inputs = items.map(({ input }) => input)
    const given = items.some(({ parameters }) => parameters !== undefined)
    this.#child.send({ kind: 'run', inputs, ...(given && { parameters: items.map(({ parameters }) => parameters) }) })
    for (;;) {
      const answer = await this.#child.next()
      if (answer.kind === 'done') {
        this.#memoryBytes = answer.memoryBytes
        return answer
      }
      if (answer.kind === 'progress') onProgress(toProgress(answer))
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
