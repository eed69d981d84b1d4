import type { TableInput } from '../sources.ts'

export interface Case {
  readonly what: string
  /** The file, or else `input` has the table. */
  readonly file?: string | Uint8Array
  readonly name?: string
  readonly input?: TableInput
  /** Each column as `name type: values`, of the first four rows. */
  readonly columns: readonly string[]
  /** One for each warning. */
  readonly warned?: readonly RegExp[]
}

/** Lines below a header, from what is in each. */
export const lines = (header: string, rows: readonly string[], newline = '\r\n') => [header, ...rows, ''].join(newline)
