/** How people would rate a sentence, by its embedding and the score of its words: ridge regressions that `train.fixture.ts` makes. */
import type { Accuracy } from '../result.ts'

export interface Weights {
  /** One for each number of a vector, then those of the compound score and of 1. */
  readonly rating: readonly number[]
  /** One for each number of a vector, then that of 1. */
  readonly opinion: readonly number[]
}

export interface Classifier {
  /** The embedding model that its weights are for. */
  readonly model: string
  /** By it the embedding model is recognised: the first numbers of the vector of a text. */
  readonly probe: { readonly text: string; readonly vector: readonly number[] }
  readonly accuracy: { readonly embeddings: readonly Accuracy[]; readonly words: readonly Accuracy[] }
  readonly weights: Weights
}

export interface Estimate {
  /** The mean of what people would say, from about -4 to 4. */
  readonly rating: number
  /** About 1 for an opinion, -1 for a statement of fact. */
  readonly opinion: number
}

export const estimateOf = ({ rating, opinion }: Weights, vector: Float32Array, compound: number): Estimate => ({
  rating: product(rating, vector) + (rating.at(-2) as number) * compound + (rating.at(-1) as number),
  opinion: product(opinion, vector) + (opinion.at(-1) as number),
})

function product(weights: readonly number[], vector: Float32Array): number {
  let sum = 0
  for (const [at, value] of vector.entries()) sum += value * (weights[at] as number)
  return sum
}

/** Whether the vector of the probe is that of the model that the weights are for. */
export const isModelOf = ({ weights, probe }: Classifier, vector: Float32Array): boolean =>
  vector.length === weights.opinion.length - 1 &&
  probe.vector.every((value, at) => Math.abs(value - (vector[at] as number)) < SAME)

/** Machines differ in the last digits; models in the first. */
const SAME = 0.005
