/** Runs ONNX models, each in a child process of its own: the adapter of `Runner` for ONNX Runtime. */

import { fileURLToPath } from 'node:url'
import {
  deviceAccess,
  type Loaded,
  LoadFailed,
  MAX_HEAD_BYTES,
  type Runner,
  startChild,
  sweepTempFolders,
} from '@millhand/child-process'
import type { ModelPackage } from '@millhand/model'
import type { SessionOptions } from '@millhand/onnxruntime'
import onnxruntime from 'onnxruntime-node/package.json' with { type: 'json' }
import { mostInline } from '../result-limit.ts'
import { readFromChild } from './child-messages.ts'
import { MOST_ON_THEIR_WAY } from './emit-window.ts'
import { type LoadOptions, loadIntoChild, stopped } from './load-into-child.ts'
import { type FromChild, MOST_SENT, OnnxModel } from './onnx-model.ts'
import { MAX_OUTPUT_BYTES, MOST_FILES_BYTES } from './output-limit.ts'
import { processBytes } from './process-bytes.ts'
import type { ToChild } from './protocol.ts'

export interface OnnxRunnerOptions extends SessionOptions, LoadOptions {
  /** Resident memory that a child may have, in bytes: the model, its runs and Node with ONNX Runtime (150 MB). */
  readonly memoryLimitBytes: number
  /** What its usage counts as, where it runs on a GPU. */
  readonly gpuType?: string
  /** What the outputs of a run that are in files may have together, in bytes. Default 1 GiB. */
  readonly outputFilesBytes?: number
}

/** In a run V8 has threads of its own. */
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
  const { memoryLimitBytes, log, threads, provider, onlyProvider } = options
  const { processing, labels, maxBatch } = model.manifest
  if (processing.kind === 'text_generation')
    throw new LoadFailed('model_broken', 'the model is of another form than ONNX')
  const inlineBytes = mostInline(maxBatch)
  const child = startChild<ToChild, FromChild>({
    script: CHILD,
    lock: { code: CODE, readable: model.isCopy ? [] : Object.values(model.files), native: true },
    read: readFromChild,
    ahead: MOST_ON_THEIR_WAY + MOST_SENT, // And that these are done.
    messageBytes: MAX_HEAD_BYTES + inlineBytes,
    memoryLimitBytes,
    ...((provider ?? 'cpu') !== 'cpu' && { devices: deviceAccess() }),
    fileBytes: FILE_BYTES,
    log,
  })
  return await loadIntoChild(child, model, signal, options, {
    // An account's own model is not trusted to keep to its threads, nor to rest between its runs.
    ...(model.isCopy && { cores: threads + HELPER_CORES }),
    async ask(files) {
      const session = { threads, ...(provider && { provider }), ...(onlyProvider && { onlyProvider }) }
      child.send({ kind: 'load', files, processing, labels, maxBatch, ...session })
      return await child.next()
    },
    made: () => new OnnxModel(child, { log, inlineBytes, filesBytes: options.outputFilesBytes ?? MOST_FILES_BYTES }),
  })
}
