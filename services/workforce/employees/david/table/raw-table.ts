/** A table as it was read, before anybody looked at what its columns hold. */
import { Refusal } from '../../src/brief.ts'
import { oneLine } from './foreign-text.ts'

export interface RawTable {
  /** One for each column: not empty, and different also where capitals do not count. */
  readonly names: readonly string[]
  readonly columns: readonly (readonly Value[])[]
  readonly rows: number
  readonly warnings: readonly string[]
  /** What is between the cells of a text: where it is a semicolon, commas are for decimals. */
  readonly separator?: string
}

/** Null where there is none. */
export type Value = string | number | boolean | Date | null

/** What is more is refused, so that memory and time are bounded. */
export const MOST = {
  /** Of a text or a file: 64 MiB. */
  bytes: 64 * 1024 * 1024,
  rows: 1_000_000,
  columns: 1_000,
  cells: 5_000_000,
  /** Of one cell, in characters. */
  characters: 100_000,
} as const

/** Throws where the table is larger than what is read. `param` is where in the brief it stands. */
export function boundedSize(rows: number, columns: number, param: string): void {
  const over = (count: number, most: number, what: string, help: string) => {
    if (count > most)
      throw new Refusal(param, `The table has more than ${most.toLocaleString('en-US')} ${what}. ${help}`)
  }
  over(columns, MOST.columns, 'columns', 'Send those that matter.')
  over(rows, MOST.rows, 'rows', 'Send a sample of them, or sum them up.')
  over(rows * columns, MOST.cells, 'cells', 'Send fewer columns, or a sample of the rows.')
}

export function boundedCell(text: string, param: string): string {
  if (text.length <= MOST.characters) return text
  throw new Refusal(
    param,
    `A cell has more than ${MOST.characters.toLocaleString('en-US')} characters. Shorten it, or leave its column out.`,
  )
}

/** Names that a person can tell apart, and a database too. */
export function distinctNames(given: readonly string[]): string[] {
  const taken = new Set<string>()
  return given.map((text, i) => {
    // By whole characters: halves of them would be one name to the database.
    const name = [...oneLine(text)].slice(0, 100).join('').trim() || `column ${i + 1}`
    for (let copy = 1; ; copy++) {
      const candidate = copy === 1 ? name : `${name} (${copy})`
      const folded = candidate.toLowerCase()
      if (taken.has(folded)) continue
      taken.add(folded)
      return candidate
    }
  })
}
