/** Predictions for held-out examples, and their scores. */
import type { Tensor } from '@millhand/model'
import { evaluationModel } from '../evaluation-model.ts'
import { takeExamples } from '../examples.ts'
import type { TrainingGraph } from '../training-graph.ts'
import type { ExampleSet } from './example-set.ts'
import { openScorer, type Scores } from './metrics.ts'
import type { TrainingParameters } from './training-parameters.ts'

export interface Evaluation {
  readonly scores: Scores
  readonly confusion: readonly (readonly number[])[] | undefined
}

interface Options {
  /** What the training graph was built from. */
  readonly bytes: Uint8Array
  readonly training: TrainingGraph
  readonly examples: ExampleSet
  readonly parameters: TrainingParameters
  open(model: Uint8Array): Promise<{ run(inputs: ReadonlyMap<string, Tensor>): Promise<ReadonlyMap<string, Tensor>> }>
}

/** With these weights and statistics, by the inputs of the training graph, on these examples. */
export type Evaluate = (vectors: ReadonlyMap<string, Float32Array>, chosen: Uint32Array) => Promise<Evaluation>

export async function openEvaluation({ bytes, training, examples, parameters, open }: Options): Promise<Evaluate> {
  const { batch_size: size, loss, metrics } = parameters
  const { prediction, inputs, weights, statistics } = training
  const session = await open(evaluationModel(bytes, training))
  const carried = [weights, statistics].filter(({ length }) => length > 0)
  return async (vectors, chosen) => {
    const scorer = openScorer(loss, prediction.shape.at(-1) ?? 1)
    const given = carried.map(({ input, length }): [string, Tensor] => {
      const data = vectors.get(input)
      if (!data) throw new Error(`there is no "${input}"`)
      return [input, { dtype: 'float32', shape: [length], data }]
    })
    for (let first = 0; first < chosen.length; first += size) {
      const own = chosen.subarray(first, first + size)
      // A model may take whole batches alone: the last example fills up the last of them.
      const whole = Uint32Array.from({ length: size }, (_, at) => own[Math.min(at, own.length - 1)] as number)
      const feeds = inputs.map((name): [string, Tensor] => [
        name,
        takeExamples(examples.inputs.get(name) as Tensor, whole),
      ])
      const predicted = (await session.run(new Map([...feeds, ...given]))).get(prediction.name)
      const scores = predicted?.data as Float32Array
      const each = scores.length / size
      scorer.add(scores.subarray(0, own.length * each), takeExamples(examples.targets, own).data as Float32Array)
    }
    return { scores: scorer.scores(metrics), confusion: scorer.confusion() }
  }
}
