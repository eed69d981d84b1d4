/** What is common to columns of numbers and of times: what they leave out, and what they say of it. */
import { shown } from './foreign-text.ts'

export interface Reading {
  /** Not a number where it is missing. */
  readonly values: Float64Array
  /** Cells that were not understood. */
  readonly strange: readonly Strange[]
  /** What a person should know of how it was read. */
  readonly said: readonly string[]
}

export interface Strange {
  readonly text: string
  /** From 1, below the header. */
  readonly row: number
}

export function strangeSaid(name: string, what: string, strange: readonly Strange[]): string[] {
  const [first] = strange
  if (first === undefined) return []
  const [cells, is] = strange.length === 1 ? ['One cell', 'is'] : [`${strange.length} cells`, 'are']
  return [
    `${cells} of ${shown(name)} ${is} not a ${what} and counted as missing, for example ${shown(first.text)} in row ${first.row}.`,
  ]
}

const NOTHING = new Set('|na|n/a|nan|null|#n/a|#nv|\\n|n.a.|n. a.|k.a.|k. a.|n.v.|n. v.|(null)|<na>'.split('|'))

/** Looked at first, as there may be millions of cells. */
const INITIALS = new Set(
  [...NOTHING, ' ', '\t', '\n', '\r', '\u00A0'].flatMap(text => [text, text.toUpperCase()].map(at => at.charCodeAt(0))),
)

/** Whether it is what is written where there is no value. */
export const isNothing = (text: string) =>
  text === '' || (text.length <= 6 && INITIALS.has(text.charCodeAt(0)) && NOTHING.has(text.trim().toLowerCase()))

const SAMPLE = 200

/** The first that say something: of a column that is something else no more is looked at. */
export function firstOf(texts: Iterable<string>): readonly string[] {
  const first: string[] = []
  for (const text of texts) {
    if (isNothing(text)) continue
    first.push(text)
    if (first.length === SAMPLE) break
  }
  return first
}
