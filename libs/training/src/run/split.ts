/** The examples that are held out. */
import { SPLIT, shuffled } from '../examples.ts'
import type { ExampleSet } from './example-set.ts'
import type { TrainingParameters } from './training-parameters.ts'

export interface Split {
  readonly learned: Uint32Array
  readonly heldOut: Uint32Array
}

/**
 * By seed. Of each class the same share is held out, and never all: no class is in the held-out part alone. Where a
 * share is asked for at least one example is held out, as long as two are there.
 */
export function splitExamples(
  { count, targets }: Pick<ExampleSet, 'count' | 'targets'>,
  { seed, loss, validation_split: share }: Pick<TrainingParameters, 'seed' | 'loss' | 'validation_split'>,
): Split {
  const order = shuffled(count, { seed, stream: SPLIT, epoch: 0 })
  const hasClasses = loss !== 'mean_squared' && targets.shape[1] === 1
  const groups = Map.groupBy(order, example => (hasClasses ? Number(targets.data[example]) : 0))
  const heldOut = [...groups.values()].flatMap(group =>
    group.slice(0, Math.min(group.length - 1, Math.round(group.length * share))),
  )
  const [largest = []] = [...groups.values()].toSorted((a, b) => b.length - a.length)
  if (share > 0 && heldOut.length === 0 && largest.length > 1) heldOut.push(largest[0] as number)
  const isHeldOut = new Set(heldOut)
  return {
    learned: Uint32Array.from(order.filter(example => !isHeldOut.has(example))),
    heldOut: Uint32Array.from(heldOut),
  }
}
