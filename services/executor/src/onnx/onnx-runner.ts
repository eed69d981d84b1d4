/** Runs ONNX models, each in a child process of its own: the adapter of `Runner` for ONNX Runtime. */

import { fileURLToPath } from 'node:url'
import {
  deviceAccess,
  type Loaded,
  LoadFailed,
  MAX_HEAD_BYTES,
  type Runner,
  RunnerGone,
  startChild,
  sweepTempFolders,
} from '@millhand/child-process'
import type { ModelPackage } from '@millhand/model'
import type { SessionOptions } from '@millhand/onnxruntime'
import type { Log } from '@millhand/telemetry'
import onnxruntime from 'onnxruntime-node/package.json' with { type: 'json' }
import { mostInline } from '../result-limit.ts'
import { readFromChild } from './child-messages.ts'
import { MOST_ON_THEIR_WAY } from './emit-window.ts'
import { type LoadLimits, loadLimits, withinLoadLimits } from './load-limits.ts'
import { withModelFiles } from './model-files.ts'
import { type FromChild, MOST_SENT, type OnnxChild, OnnxModel } from './onnx-model.ts'
import { MAX_OUTPUT_BYTES, MOST_FILES_BYTES } from './output-limit.ts'
import { processBytes } from './process-bytes.ts'
import type { ToChild } from './protocol.ts'

export interface OnnxRunnerOptions extends SessionOptions {
  /** Resident memory that a child may have, in bytes: the model, its runs and Node with ONNX Runtime (150 MB). */
  readonly memoryLimitBytes: number
  /** What its usage counts as, where it runs on a GPU. */
  readonly gpuType?: string
  /** What loading may take, where not what it usually may. */
  readonly loadLimits?: LoadLimits
  /** What the outputs of a run that are in files may have together, in bytes. Default 1 GiB. */
  readonly outputFilesBytes?: number
  /** Gets the last of what a child that ended by itself wrote to standard error, as `model.stderr`, and what is left. */
  readonly log: Log
}

/** Of an own model's process: while it rests its watchdog takes 0.2 % of a core; in a run V8 has threads of its own. */
const CORES_AT_REST = 0.1
const HELPER_CORES = 1
const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url))

const CODE = {
  'services/executor': ['onnxruntime-node', 'sharp'],
  'libs/onnxruntime': ['onnxruntime-node'],
  'libs/embedding': ['@huggingface/tokenizers'],
  'libs/model': [],
  'libs/child-process': [],
  'libs/telemetry': [],
}

/** An output, or a picture of the most pixels that libvips puts aside as samples of 16 bits. */
const FILE_BYTES = MAX_OUTPUT_BYTES + 256 * 2 ** 20

/** Removes at once what children of processes left that were killed. */
export function onnxRunner(options: OnnxRunnerOptions): Runner<ModelPackage> {
  sweepTempFolders(options.log)
  const { provider = 'cpu', gpuType } = options
  return {
    engine: { kind: 'onnx', name: `onnxruntime ${onnxruntime.version}`, provider, ...(gpuType && { gpuType }) },
    loads: 'model',
    estimateBytes: ({ files }) => processBytes(Object.values(files)),
    load: (model, signal) => load(model, signal, options),
  }
}

async function load(model: ModelPackage, signal: AbortSignal, options: OnnxRunnerOptions): Promise<Loaded> {
  if (signal.aborted) throw stopped()
  const { memoryLimitBytes, log } = options
  const child = startChild<ToChild, FromChild>({
    script: CHILD,
    lock: { code: CODE, readable: model.isCopy ? [] : Object.values(model.files), native: true },
    read: readFromChild,
    ahead: MOST_ON_THEIR_WAY + MOST_SENT, // And that these are done.
    messageBytes: MAX_HEAD_BYTES + mostInline(model.manifest.maxBatch),
    memoryLimitBytes,
    ...((options.provider ?? 'cpu') !== 'cpu' && { devices: deviceAccess() }),
    fileBytes: FILE_BYTES,
    log,
  })
  void child.gone.then(({ reason }) => {
    const text = child.stderr()
    if (reason !== 'killed' && text !== '') options.log.warn('model.stderr', { model: model.id, reason, text })
  })
  let loaded: OnnxModel | undefined
  // An account's own model is not trusted to keep to its threads, nor to rest between its runs.
  if (model.isCopy)
    child.limitCores(() => (loaded?.isRunning === false ? CORES_AT_REST : options.threads + HELPER_CORES))
  const stop = () => void child.kill()
  signal.addEventListener('abort', stop, { once: true })
  try {
    const limits = options.loadLimits ?? loadLimits
    const answer = await withModelFiles(child, model, files =>
      withinLoadLimits(child, limits, () => ask(child, model, files, options)),
    )
    if (answer.kind === 'loaded') {
      loaded = new OnnxModel(child, {
        log,
        inlineBytes: mostInline(model.manifest.maxBatch),
        filesBytes: options.outputFilesBytes ?? MOST_FILES_BYTES,
      })
      return loaded
    }
    throw new LoadFailed('model_broken', answer.kind === 'refused' ? answer.message : 'it answered out of turn')
  } catch (error) {
    await child.kill()
    if (signal.aborted) throw stopped()
    if (error instanceof RunnerGone && error.reason === 'out_of_memory') {
      throw new LoadFailed('out_of_memory', 'the model needs more memory than it may have')
    }
    throw error
  } finally {
    // The process outlives its loading, and may be in a later run.
    signal.removeEventListener('abort', stop)
  }
}

async function ask(
  child: OnnxChild,
  { manifest: { processing, labels, maxBatch } }: ModelPackage,
  files: ModelPackage['files'],
  { threads, provider, onlyProvider }: OnnxRunnerOptions,
): Promise<FromChild> {
  if (processing.kind === 'text_generation')
    throw new LoadFailed('model_broken', 'the model is of another form than ONNX')
  const session = { threads, ...(provider && { provider }), ...(onlyProvider && { onlyProvider }) }
  child.send({ kind: 'load', files, processing, labels, maxBatch, ...session })
  return await child.next()
}

const stopped = () => new RunnerGone('killed', 'the loading of the model was stopped')
