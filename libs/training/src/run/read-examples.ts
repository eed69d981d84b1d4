/** Examples from a file or a text. */
import type { ExampleSet } from './example-set.ts'
import type { TrainableModel } from './trainable-model.ts'
import type { TrainingParameters } from './training-parameters.ts'

export type ExampleFormat = 'jsonl' | 'csv' | 'parquet'

/** How a file is read: by its type, else by its first bytes. */
export function exampleFormatOf(_head: Uint8Array, _mediaType?: string): ExampleFormat {
  throw new Error('not there yet')
}

/**
 * Reads examples one after another and stops at the first that is wrong, so that a file of any length is bounded.
 * JSON Lines: `{"input": as the model takes it, "label": …}`, or `target`. A table: a column `label` or `target`, and
 * either a column `input` with JSON or one column for each number of the model's input. Throws `ExamplesInvalid`.
 */
export async function readExamples(
  _file: Uint8Array | AsyncIterable<Uint8Array>,
  _options: {
    readonly format: ExampleFormat
    readonly model: TrainableModel
    readonly parameters: TrainingParameters
  },
): Promise<ExampleSet> {
  throw new Error('not there yet')
}
