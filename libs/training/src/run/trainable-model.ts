/** What a run has to know of a model beside its bytes. */
import type { ModelPackage, NumbersPreprocess, Processing, TensorSpec } from '@millhand/model'
import type { TrainablePart } from './training-parameters.ts'

export interface TrainableModel {
  /** As the model's record lists them; the first output is the one that is trained. */
  readonly inputs: readonly TensorSpec[]
  readonly outputs: readonly TensorSpec[]
  /** Names of its classes, where it has some: a label may then be such a name. */
  readonly labels?: readonly string[]
  /** How its inputs become tensors where they are lists of numbers; else an input is named tensors. */
  readonly numbers?: NumbersPreprocess
  /** What its inputs are where it takes no numbers: a new head is trained then, on features that stay as they are or with adapters below it. */
  readonly base?: FrozenInput
}

type FrozenInput = 'text' | 'picture'

/** What of a model may be trained, for `parameters.train`; the default first. */
export const partsOf = ({ base }: Pick<TrainableModel, 'base'>): readonly [TrainablePart, ...TrainablePart[]] =>
  base === undefined ? ['all', 'head', 'lora'] : base === 'text' ? ['head', 'lora'] : ['head']

export function trainableModelOf({ manifest, inputs, outputs }: Described): TrainableModel {
  const { labels, processing } = manifest
  const numbers = processing.kind === 'single' && processing.preprocess.name === 'numbers' && processing.preprocess
  const base = frozenInputOf(processing)
  return { inputs, outputs, ...(labels && { labels }), ...(numbers && { numbers }), ...(base && { base }) }
}

function frozenInputOf(processing: Processing): FrozenInput | undefined {
  if (processing.kind === 'embedding') return 'text'
  if (processing.kind !== 'single') return undefined
  const { name } = processing.preprocess
  return name === 'tokens' ? 'text' : name === 'image' ? 'picture' : undefined
}

type Described = Pick<ModelPackage, 'manifest' | 'inputs' | 'outputs'>

/** The length of the last axis of the output that is trained: the number of classes; undefined where it is not fixed. */
export function outputWidth({ outputs }: TrainableModel): number | undefined {
  const shape = outputs[0]?.shape ?? []
  const width = shape.length === 1 ? 1 : shape.at(-1)
  return width === undefined || width < 0 ? undefined : width
}
