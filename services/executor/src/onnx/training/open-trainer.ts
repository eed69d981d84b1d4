/** What trains a loaded model: all of it on its inputs as they are, or a new head on its features. */
import { createReadStream } from 'node:fs'
import { TOKENIZER } from '@millhand/model'
import { openSessionOf } from '@millhand/onnxruntime'
import {
  CheckpointInvalid,
  createTrainer,
  type ExampleSet,
  exampleFormatOf,
  FEATURES,
  MOST_MODEL_BYTES,
  newHead,
  openFrozenBase,
  openNewClasses,
  type ReadOptions,
  readExamples,
  type Trainer,
  type TrainerOptions,
  type TrainingParameters,
} from '@millhand/training'
import type { Read } from '../processing/read-input.ts'
import { featureReader } from './feature-reader.ts'
import type { LoadMessage, TrainMessage } from './protocol.ts'
import { REPORT_EVERY_MS, type StepsDeps } from './run-steps.ts'

/** A model, and what its inference reads text or pictures with. */
export interface LoadedBase extends Pick<LoadMessage, 'model' | 'parent' | 'versions'> {
  readonly bytes: Uint8Array
  readonly read: Read | undefined
  /** The tokenizer beside a sentence encoder. */
  readonly tokenizer: string | undefined
}

export type TrainerDeps = Pick<StepsDeps, 'now' | 'say'>

/** Reads the examples, and goes on from the checkpoint where there is one. */
export async function openTrainer(
  loaded: LoadedBase,
  { examples, checkpoint }: Pick<TrainMessage, 'examples' | 'checkpoint'>,
  parameters: TrainingParameters,
  deps: TrainerDeps,
): Promise<Trainer> {
  const { bytes, model, parent, versions, read } = loaded
  if (read !== undefined) return await openHeadTrainer({ ...loaded, read }, { examples, checkpoint }, parameters, deps)
  const set = await readSet(examples, { model, parameters })
  return await resume({ bytes, model, examples: set, parameters, parent, versions, open }, checkpoint)
}

/** The model that it makes is the base with the head. An attempt that goes on computes the features again, and they are the same. */
async function openHeadTrainer(
  { bytes, model, parent, versions, read, tokenizer }: LoadedBase & { readonly read: Read },
  { examples, checkpoint }: Pick<TrainMessage, 'examples' | 'checkpoint'>,
  parameters: TrainingParameters,
  { now, say }: TrainerDeps,
): Promise<Trainer> {
  const base = openFrozenBase(bytes, {
    isEncoder: tokenizer !== undefined,
    metadata: new Map(tokenizer === undefined ? [] : [[TOKENIZER, tokenizer]]),
  })
  let reportAt = now()
  const inputs = featureReader({
    session: await open(base.bytes),
    features: base.features,
    name: FEATURES,
    read,
    async onExample(count) {
      if (now() < reportAt) return
      await say({
        kind: 'progress',
        fraction: 0,
        message: `features of ${count} examples`,
        metrics: { examples: count },
      })
      reportAt = now() + REPORT_EVERY_MS
    },
  })
  const targets = openNewClasses()
  const set = await readSet(examples, { model, parameters, inputs, targets })
  const labels = targets.labels()
  const room = MOST_MODEL_BYTES - base.bytes.length - Buffer.byteLength(tokenizer ?? '')
  const head = newHead(inputs.width(), labels, room)
  const trainer = await resume({ ...head, examples: set, parameters, parent, versions, open }, checkpoint)
  return {
    ...trainer,
    async finish() {
      const { model, card } = await trainer.finish()
      return { model: base.withHead(model), card: { ...card, labels } }
    },
  }
}

/** One thread: sums of several may be taken in another order, and runs are to be equal bit for bit. */
const open = (model: Uint8Array) => openSessionOf(model, { threads: 1 })

async function readSet(examples: TrainMessage['examples'], options: Omit<ReadOptions, 'format'>): Promise<ExampleSet> {
  if (typeof examples === 'string') return await readExamples(Buffer.from(examples), { ...options, format: 'jsonl' })
  const head: Buffer[] = await createReadStream(examples.path, { end: HEAD_BYTES - 1 }).toArray()
  const format = exampleFormatOf(Buffer.concat(head))
  return await readExamples(createReadStream(examples.path), { ...options, format })
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
