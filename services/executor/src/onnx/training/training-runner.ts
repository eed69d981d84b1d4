/** Trains ONNX models, each run in a child process of its own. docs/decisions/training.md */
import { fileURLToPath } from 'node:url'
import { LoadFailed, MAX_HEAD_BYTES, type Runner, startChild, sweepTempFolders } from '@millhand/child-process'
import type { ModelPackage, Preprocess } from '@millhand/model'
import type { Log } from '@millhand/telemetry'
import { trainableModelOf } from '@millhand/training'
import onnxruntime from 'onnxruntime-node/package.json' with { type: 'json' }
import { loadIntoChild, stopped } from '../load-into-child.ts'
import { processBytes } from '../process-bytes.ts'
import { type FromChild, readFromChild, type ToChild } from './protocol.ts'
import { TrainingProcess } from './training-process.ts'

export { runSteps } from './run-steps.ts'

export interface TrainingRunnerOptions {
  /** Resident memory that a child may have, in bytes: the model, its states, the examples and Node with ONNX Runtime. */
  readonly memoryLimitBytes: number
  readonly log: Log
  /** At least, between two checkpoints. Default 5 s. */
  readonly checkpointEveryMs?: number
}

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url))
const MIB = 2 ** 20
const CHECKPOINT_EVERY_MS = 5_000
/** One thread for the steps, and what V8 has beside it. */
const CORES = 2
/** A checkpoint, or a model, beside its head. */
const MOST_MESSAGE_BYTES = 129 * MIB

const CODE = {
  'services/executor': ['onnxruntime-node', 'sharp'],
  'libs/onnxruntime': ['onnxruntime-node'],
  'libs/embedding': ['@huggingface/tokenizers'],
  'libs/training': ['@bufbuild/protobuf', 'csv-parse', 'hyparquet'],
  'libs/api': ['@bufbuild/protobuf'],
  'libs/model': [],
  'libs/child-process': [],
  'libs/telemetry': [],
}

/** Removes at once what children of processes left that were killed. */
export function trainingRunner(options: TrainingRunnerOptions): Runner<ModelPackage> {
  const { memoryLimitBytes, log, checkpointEveryMs = CHECKPOINT_EVERY_MS } = options
  sweepTempFolders(log)
  return {
    engine: { kind: 'onnx', name: `onnxruntime ${onnxruntime.version}`, provider: 'cpu' },
    loads: 'model',
    estimateBytes: ({ files }) => processBytes(Object.values(files)),
    async load(model, signal) {
      if (signal.aborted) throw stopped()
      const child = startChild<ToChild, FromChild>({
        script: CHILD,
        lock: { code: CODE, readable: model.isCopy ? [] : Object.values(model.files), native: true },
        read: readFromChild,
        ahead: 1,
        messageBytes: MAX_HEAD_BYTES + MOST_MESSAGE_BYTES,
        memoryLimitBytes,
        fileBytes: 0,
        log,
      })
      return await loadIntoChild(
        child,
        model,
        signal,
        { log },
        {
          cores: CORES,
          async ask({ model: path, tokenizer }) {
            if (path === undefined) throw new LoadFailed('model_broken', 'The model is of several files.')
            child.send({ kind: 'load', path, ...(tokenizer !== undefined && { tokenizer }), ...descriptionOf(model) })
            return (await child.next()).said
          },
          made: () => new TrainingProcess(child, { log, checkpointEveryMs }),
        },
      )
    },
  }
}

const descriptionOf = (model: ModelPackage) => ({
  model: trainableModelOf(model),
  preprocess: preprocessOf(model),
  parent: { model: model.id, digest: model.version },
  versions: { onnxruntime: onnxruntime.version, node: process.versions.node },
})

const preprocessOf = ({ manifest: { processing } }: ModelPackage): Preprocess =>
  processing.kind === 'single' ? processing.preprocess : { name: 'tensors' }
