/** A run of training within its process: examples and parameters in, a model and its card out. */
import { createReadStream } from 'node:fs'
import { openSessionOf } from '@millhand/onnxruntime'
import {
  CheckpointInvalid,
  checkParameters,
  createTrainer,
  type ExampleSet,
  ExamplesInvalid,
  exampleFormatOf,
  ParametersInvalid,
  readExamples,
  type Trainer,
  type TrainerOptions,
  TrainingDiverged,
  type TrainingParameters,
  TrainingRefused,
} from '@millhand/training'
import type { FailedMessage, LoadMessage, TrainMessage } from './protocol.ts'
import { runSteps, type StepsDeps } from './run-steps.ts'

/** `bytes`: the model that it begins with. */
export async function train(
  { model, parent, versions, bytes }: Omit<LoadMessage, 'kind' | 'path'> & { readonly bytes: Uint8Array },
  { examples, parameters: asked, checkpoint, checkpointEveryMs }: TrainMessage,
  deps: Pick<StepsDeps, 'now' | 'say'>,
): ReturnType<Trainer['finish']> {
  const { provider: _, ...own } = asked // It has chosen the executor.
  const checked = checkParameters(own, model)
  if ('problems' in checked) throw new ParametersInvalid(checked.problems)
  const { parameters } = checked
  const set = await read(examples, model, parameters)
  const trainer = await resume({ bytes, model, examples: set, parameters, parent, versions, open }, checkpoint)
  await runSteps(trainer, { ...deps, checkpointEveryMs, saysBest: parameters.on_cancel === 'keep_best' })
  return await trainer.finish()
}

/** What the owner of the task can mend. */
export function faultOf(error: unknown): FailedMessage['code'] | undefined {
  if (error instanceof ExamplesInvalid) return 'model_input_invalid'
  if (error instanceof TrainingRefused || error instanceof ParametersInvalid) return 'training_refused'
  return error instanceof TrainingDiverged ? 'training_diverged' : undefined
}

/** One thread: sums of several may be taken in another order, and runs are to be equal bit for bit. */
const open = (model: Uint8Array) => openSessionOf(model, { threads: 1 })

async function read(
  examples: TrainMessage['examples'],
  model: LoadMessage['model'],
  parameters: TrainingParameters,
): Promise<ExampleSet> {
  if (typeof examples === 'string')
    return await readExamples(Buffer.from(examples), { format: 'jsonl', model, parameters })
  const head: Buffer[] = await createReadStream(examples.path, { end: HEAD_BYTES - 1 }).toArray()
  const format = exampleFormatOf(Buffer.concat(head))
  return await readExamples(createReadStream(examples.path), { format, model, parameters })
}

const HEAD_BYTES = 65_536

/** A checkpoint that can't be read is none: the run begins anew, and makes the same. */
async function resume(options: TrainerOptions, checkpoint: Uint8Array | undefined): Promise<Trainer> {
  try {
    return await createTrainer({ ...options, ...(checkpoint && { restore: checkpoint }) })
  } catch (error) {
    if (error instanceof CheckpointInvalid) return await createTrainer(options)
    throw error
  }
}
