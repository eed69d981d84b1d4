/** Examples from a file or a text. */
import { createHash } from 'node:crypto'
import { excerpt } from '@millhand/model'
import { type ExampleSet, ExamplesInvalid } from './example-set.ts'
import { type InputReader, openInputs } from './input-elements.ts'
import { csvRows } from './records/csv.ts'
import { jsonLines } from './records/json-lines.ts'
import { parquetRows } from './records/parquet.ts'
import type { ExampleRecord } from './records/record.ts'
import { openTargets, type TargetReader } from './target-elements.ts'
import type { TrainableModel } from './trainable-model.ts'
import type { TrainingParameters } from './training-parameters.ts'

export type ExampleFormat = 'jsonl' | 'csv' | 'parquet'

export interface ReadOptions {
  readonly format: ExampleFormat
  readonly model: TrainableModel
  readonly parameters: TrainingParameters
  /** Default 1,000,000. */
  readonly mostExamples?: number
  /** What reads inputs, and targets; default what reads them as the model takes them. */
  readonly inputs?: InputReader
  readonly targets?: TargetReader
}

const MOST_EXAMPLES = 1_000_000

/**
 * Reads examples one after another and stops at the first that is wrong, so that a file of any length is bounded.
 * JSON Lines: `{"input": as the model takes it, "label": …}`, or `target`. A table: a column `label` or `target`, and
 * either a column `input` with JSON or one column for each number of the model's input. Throws `ExamplesInvalid`.
 */
export async function readExamples(
  file: Uint8Array | AsyncIterable<Uint8Array>,
  options: ReadOptions,
): Promise<ExampleSet> {
  const { format, model, parameters, mostExamples = MOST_EXAMPLES } = options
  const { inputs = openInputs(model), targets = openTargets(model, parameters.loss) } = options
  const hash = createHash('sha256')
  let bytes = 0
  async function* chunks() {
    for await (const chunk of file instanceof Uint8Array ? [file] : file) {
      hash.update(chunk)
      bytes += chunk.byteLength
      yield chunk
    }
  }
  const lines: number[] = []
  let column: TargetColumn | undefined
  for await (const record of recordsOf[format](chunks(), { mostRows: mostExamples })) {
    const { line, fields } = record
    if (lines.length === mostExamples)
      throw new ExamplesInvalid(`there are more than ${mostExamples} examples`, { line })
    column ??= targetColumnOf(record)
    const { [column]: target, ...rest } = fields
    if (target === undefined || target === null) throw new ExamplesInvalid('is missing', { line, column })
    targets.add(target, { line, column })
    const reading = inputs.add(rest, { line, isTable: format !== 'jsonl' })
    if (reading) await reading
    lines.push(line)
  }
  if (column === undefined) throw new ExamplesInvalid('there are no examples', { line: 1, needsMore: true })
  targets.requireVariety({ first: lines[0] as number, line: lines.at(-1) as number, column })
  return {
    count: lines.length,
    inputs: inputs.tensors(lines.length),
    targets: targets.tensor(lines.length),
    lines: Uint32Array.from(lines),
    column,
    sha256: hash.digest('hex'),
    bytes,
  }
}

type Records = (
  chunks: AsyncIterable<Uint8Array>,
  bounds: { readonly mostRows: number },
) => AsyncGenerator<ExampleRecord>

const recordsOf: Readonly<Record<ExampleFormat, Records>> = { jsonl: jsonLines, csv: csvRows, parquet: parquetRows }

type TargetColumn = 'label' | 'target'

/** The first example tells for all. */
function targetColumnOf({ line, fields }: ExampleRecord): TargetColumn {
  const found = (['label', 'target'] as const).filter(name => Object.hasOwn(fields, name))
  if (found.length === 2) {
    throw new ExamplesInvalid('there is `target` beside it: an example has one of both', { line, column: 'label' })
  }
  if (found[0]) return found[0]
  const names = excerpt(Object.keys(fields).join(', '), 128)
  throw new ExamplesInvalid(`is missing, and so is \`target\`; there are: ${names}`, { line, column: 'label' })
}

/** How a file is read: by its first bytes where they tell, else by its media type. */
export function exampleFormatOf(head: Uint8Array, mediaType = ''): ExampleFormat {
  const text = Buffer.from(head.subarray(0, 1024)).toString('latin1')
  if (text.startsWith('PAR1')) return 'parquet'
  if (/^\s*text\/csv\b/i.test(mediaType)) return 'csv'
  // One list of all examples is no JSON Lines, but the error for it is.
  return /^(\xef\xbb\xbf)?\s*[{[]/.test(text) ? 'jsonl' : 'csv'
}
