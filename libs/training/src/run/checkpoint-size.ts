/** How large the checkpoints of a run are, and how large they and its model may be. */
import { TrainingRefused } from '../training-refused.ts'
import type { ParameterProblem, TrainingParameters } from './training-parameters.ts'

const MIB = 2 ** 20
/** What is stored, and what passes from the process of a run to its executor. */
export const MOST_CHECKPOINT_BYTES = 64 * MIB
/** Of a model that a run has made. */
export const MOST_MODEL_BYTES = 128 * MIB
/** The curves of 1,000 epochs, and names. */
const HEAD_BYTES = MIB

/**
 * Problems of a run that trains all weights of a file of so many bytes: of those are the weights, their states and the best
 * weights so far. What a head or adapters need is known once the run begins.
 */
export function checkpointProblems(
  fileBytes: number,
  { train, optimizer, validation_split }: Pick<TrainingParameters, 'train' | 'optimizer' | 'validation_split'>,
): readonly ParameterProblem[] {
  const states = optimizer === 'sgd' ? 0 : 2
  const bytes = fileBytes * (1 + states + (validation_split > 0 ? 1 : 0)) + HEAD_BYTES
  if (train !== 'all' || bytes <= MOST_CHECKPOINT_BYTES) return []
  const message = `makes checkpoints of up to ${mib(bytes)} MiB of this model, and they may have ${mib(MOST_CHECKPOINT_BYTES)}: sgd needs less, and so does \`train\` head or lora`
  return [{ path: 'parameters.optimizer', message }]
}

/** Throws `TrainingRefused` for a checkpoint that can't be stored. */
export function requireStorable({ length }: Uint8Array): void {
  if (length <= MOST_CHECKPOINT_BYTES) return
  throw new TrainingRefused(
    `a checkpoint of the run has ${mib(length)} MiB, and may have ${mib(MOST_CHECKPOINT_BYTES)}: sgd needs less than adam, and \`train\` head or lora less than all`,
  )
}

const mib = (bytes: number): number => Math.ceil(bytes / MIB)
