/** What trains a loaded model: all of it on its inputs as they are, or a new head, on features or on adapted layers. */
import { TOKENIZER } from '@millhand/model'
import { CheckpointInvalid, createTrainer, openFrozenBase, type Trainer, type TrainerOptions } from '@millhand/training'
import type { Read } from '../processing/read-input.ts'
import { prepareHead } from './prepare-head.ts'
import { prepareLayers } from './prepare-layers.ts'
import { type GivenParameters, openOnOneThread, type PreparedRun, type RunDeps, readSet } from './prepared-run.ts'
import type { LoadMessage, TrainMessage } from './protocol.ts'

/** A model, and what its inference reads text or pictures with. */
export interface LoadedBase extends Pick<LoadMessage, 'model' | 'parent' | 'versions'> {
  readonly bytes: Uint8Array
  readonly read: Read | undefined
  /** The tokenizer beside a sentence encoder. */
  readonly tokenizer: string | undefined
}

/** Reads the examples, and goes on from the checkpoint where there is one. */
export async function openTrainer(
  loaded: LoadedBase,
  { examples, checkpoint }: Pick<TrainMessage, 'examples' | 'checkpoint'>,
  parameters: GivenParameters,
  deps: RunDeps,
): Promise<Trainer> {
  const { parent, versions } = loaded
  const { labels, keep, ...trained } = await prepare(loaded, examples, parameters, deps)
  const trainer = await resume({ ...trained, parent, versions, hasBatchSize: parameters.hasBatchSize }, checkpoint)
  return {
    ...trainer,
    async finish() {
      const { model, card } = await trainer.finish()
      // After the last step nothing is run any more: the whole model is written in the memory that sessions held.
      if (trainer.progress().done) await trainer.close()
      return { model: keep(model), card: labels ? { ...card, labels } : card }
    },
  }
}

async function prepare(
  { bytes, model, read, tokenizer }: LoadedBase,
  examples: TrainMessage['examples'],
  { parameters, hasBatchSize }: GivenParameters,
  deps: RunDeps,
): Promise<PreparedRun> {
  if (read === undefined) {
    const set = await readSet(examples, { model, parameters })
    return { bytes, model, examples: set, parameters, open: openOnOneThread, keep: trained => trained }
  }
  const base = openFrozenBase(bytes, {
    isEncoder: tokenizer !== undefined,
    metadata: new Map(tokenizer === undefined ? [] : [[TOKENIZER, tokenizer]]),
  })
  const baseBytes = bytes.length + Buffer.byteLength(tokenizer ?? '')
  const options = { base, baseBytes, model, read, examples, parameters }
  return await (parameters.train === 'lora'
    ? prepareLayers({ ...options, hasBatchSize }, deps)
    : prepareHead(options, deps))
}

/** A checkpoint that can't be read is none: the run begins anew, and makes the same. */
async function resume(options: TrainerOptions, checkpoint: Uint8Array | undefined): Promise<Trainer> {
  try {
    return await createTrainer({ ...options, ...(checkpoint && { restore: checkpoint }) })
  } catch (error) {
    if (error instanceof CheckpointInvalid) return await createTrainer(options)
    throw error
  }
}
