/** One line of a file of examples, or one row of a table. */
export interface ExampleRecord {
  /** Counted from 1; of Parquet the row. */
  readonly line: number
  readonly fields: Readonly<Record<string, unknown>>
}

/** Bytes of one line, however long the file is. */
export const MOST_LINE_BYTES = 16 * 2 ** 20
