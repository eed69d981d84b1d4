/** Examples that were read: tensors whose first axis counts them. */
import type { Tensor } from '@millhand/model'

export interface ExampleSet {
  readonly count: number
  /** By the names of the model's inputs. */
  readonly inputs: ReadonlyMap<string, Tensor>
  /** Classes as int64, other targets as float32; the first axis counts the examples. */
  readonly targets: Tensor
  /** The line of each example, counted from 1; of Parquet the row. */
  readonly lines: Uint32Array
  /** The column with the targets: `label` or `target`. */
  readonly column: string
  /** Of the file as it came, in hexadecimal. */
  readonly sha256: string
  readonly bytes: number
}

interface ProblemDetails {
  readonly line?: number
  readonly column?: string
  readonly needsMore?: boolean
}

/** Examples that cannot be trained on. The message is for the owner of the task, and begins with line and column. */
export class ExamplesInvalid extends Error {
  /** Counted from 1; of Parquet the row. Undefined where the whole file is meant. */
  readonly line: number | undefined
  /** The field of the line, or the column. */
  readonly column: string | undefined
  /** Set where the same examples might be valid with more behind them: the beginning of a valid file can be refused so. */
  readonly needsMore: boolean

  constructor(problem: string, { line, column, needsMore = false }: ProblemDetails = {}) {
    const where = [line === undefined ? [] : `line ${line}`, column === undefined ? [] : `column \`${column}\``].flat()
    super(where.length === 0 ? problem : `${where.join(', ')}: ${problem}`)
    this.name = 'ExamplesInvalid'
    this.line = line
    this.column = column
    this.needsMore = needsMore
  }
}
