/** A run of training within its process: examples and parameters in, a model and its card out. */
import { readFileSync } from 'node:fs'
import {
  checkParameters,
  ExamplesInvalid,
  ParametersInvalid,
  type Trainer,
  TrainingDiverged,
  TrainingRefused,
} from '@millhand/training'
import { type LoadedBase, openTrainer } from './open-trainer.ts'
import type { RunDeps } from './prepared-run.ts'
import type { FailedMessage, LoadMessage, TrainMessage } from './protocol.ts'
import { runSteps } from './run-steps.ts'

/** Reads the files of a model, and what is needed to read its inputs. */
export async function load({ path, tokenizer, preprocess, ...known }: LoadMessage): Promise<LoadedBase> {
  const bytes = readFileSync(path)
  if (known.model.base === undefined) return { ...known, bytes, read: undefined, tokenizer: undefined }
  if (tokenizer !== undefined) {
    const json = readFileSync(tokenizer, 'utf8')
    const { textReader } = await import('../processing/tokens.ts')
    const read = textReader(json, known.model.inputs)
    return { ...known, bytes, read: text => ({ tensors: read(text as string), base64: false }), tokenizer: json }
  }
  const { reader } = await import('../processing/read-input.ts')
  return { ...known, bytes, read: await reader(preprocess, known.model.inputs, path), tokenizer: undefined }
}

export async function train(
  loaded: LoadedBase,
  { parameters: asked, checkpointEveryMs, ...message }: TrainMessage,
  deps: RunDeps,
): ReturnType<Trainer['finish']> {
  const { provider: _, ...own } = asked // It has chosen the executor.
  const checked = checkParameters(own, loaded.model)
  if ('problems' in checked) throw new ParametersInvalid(checked.problems)
  const { parameters } = checked
  const trainer = await openTrainer(loaded, message, { parameters, hasBatchSize: own.batch_size !== undefined }, deps)
  try {
    await runSteps(trainer, { ...deps, checkpointEveryMs, saysBest: parameters.on_cancel === 'keep_best' })
    return await trainer.finish()
  } finally {
    // The process may have a further run.
    await trainer.close()
  }
}

/** What the owner of the task can mend. */
export function faultOf(error: unknown): FailedMessage['code'] | undefined {
  if (error instanceof ExamplesInvalid) return 'model_input_invalid'
  if (error instanceof TrainingRefused || error instanceof ParametersInvalid) return 'training_refused'
  return error instanceof TrainingDiverged ? 'training_diverged' : undefined
}
