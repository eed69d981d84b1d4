/** What a run has found so far: its curves and its best weights. A checkpoint has all of it. */
import { createHash } from 'node:crypto'
import { CheckpointInvalid, readCheckpoint, writeCheckpoint } from '../checkpoint.ts'
import type { TrainingState } from '../training-steps.ts'
import type { ExampleSet } from './example-set.ts'
import type { Scores } from './metrics.ts'
import type { EpochRecord } from './training-card.ts'
import type { TrainingParameters } from './training-parameters.ts'

type Vectors = ReadonlyMap<string, Float32Array>

export interface RunRecord {
  /** Of the last step. */
  lastLoss(): number | undefined
  curves(): readonly EpochRecord[]
  addStep(loss: number): void
  /** `vectors`: the state after it. */
  addEpoch(epoch: EpochEnd, vectors: Vectors): void
  /** Whether early stopping ended the run. */
  isStopped(): boolean
  /** Undefined before the first validation, and without a held-out part. */
  best(): { readonly epoch: number; readonly vectors: Vectors } | undefined
  /** A checkpoint of the run. */
  write(state: TrainingState): Uint8Array
}

interface EpochEnd {
  readonly step: number
  readonly learning_rate: number
  readonly validation: Scores | null
  /** Steps of an epoch. */
  readonly perEpoch: number
}

/** The inputs of a run, of which none may be another where it goes on. */
export interface RunInputs {
  readonly bytes: Uint8Array
  readonly examples: Pick<ExampleSet, 'sha256' | 'count'>
  readonly parameters: TrainingParameters
}

/** Goes on from a checkpoint, or begins. Throws `CheckpointInvalid` where it is damaged or of another run. */
export function openRunRecord(
  inputs: RunInputs,
  /** The vectors that are kept of the best epoch. */
  kept: readonly string[],
  restore?: Uint8Array,
): { readonly record: RunRecord; readonly from: TrainingState | undefined } {
  const fingerprint = fingerprintOf(inputs)
  const checkpoint = restore && readCheckpoint(restore)
  const notes = checkpoint ? (checkpoint.run as Notes | null) : begin(fingerprint)
  if (notes?.fingerprint !== fingerprint) {
    throw new CheckpointInvalid('the checkpoint is of a run with another model, other examples or other parameters')
  }
  const bestVectors = new Map(
    kept.flatMap(name => {
      const vector = checkpoint?.vectors.get(BEST + name)
      return vector ? [[name, vector] as const] : []
    }),
  )
  const own = [...(checkpoint?.vectors ?? [])].filter(([name]) => !name.startsWith(BEST))
  const from = checkpoint && { step: checkpoint.step, vectors: new Map(own) }
  return { from, record: recordOf(notes, { bestVectors, kept, stopping: inputs.parameters.early_stopping }) }
}

const BEST = 'best/'

interface Notes {
  readonly fingerprint: string
  readonly curves: EpochRecord[]
  /** Of the steps of an epoch that has not ended. */
  lossSum: number
  lastLoss: number | null
  best: { readonly epoch: number; readonly loss: number } | null
}

const begin = (fingerprint: string): Notes => ({ fingerprint, curves: [], lossSum: 0, lastLoss: null, best: null })

function recordOf(
  notes: Notes,
  parts: {
    readonly bestVectors: Map<string, Float32Array>
    readonly kept: readonly string[]
    readonly stopping: TrainingParameters['early_stopping']
  },
): RunRecord {
  const { bestVectors, kept, stopping } = parts
  return {
    lastLoss: () => notes.lastLoss ?? undefined,
    curves: () => notes.curves,
    addStep(loss) {
      notes.lastLoss = loss
      notes.lossSum += loss
    },
    addEpoch({ step, learning_rate, validation, perEpoch }, vectors) {
      const epoch = notes.curves.length + 1
      notes.curves.push({ epoch, step, learning_rate, loss: notes.lossSum / perEpoch, validation })
      notes.lossSum = 0
      if (!validation) return
      if (notes.best && !(validation.loss < notes.best.loss - (stopping?.min_delta ?? 0))) return
      notes.best = { epoch, loss: validation.loss }
      for (const name of kept) bestVectors.set(name, vectors.get(name) as Float32Array)
    },
    isStopped: () =>
      stopping !== null && notes.best !== null && notes.curves.length - notes.best.epoch >= stopping.patience,
    best: () => (notes.best ? { epoch: notes.best.epoch, vectors: bestVectors } : undefined),
    write({ step, vectors }) {
      const best = [...bestVectors].map(([name, vector]) => [BEST + name, vector] as const)
      return writeCheckpoint({ step, vectors: new Map([...vectors, ...best]) }, notes)
    },
  }
}

function fingerprintOf({ bytes, examples, parameters }: RunInputs): string {
  const model = createHash('sha256').update(bytes).digest('hex')
  const parts = [model, examples.sha256, examples.count, parameters]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
