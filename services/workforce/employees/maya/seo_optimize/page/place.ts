/** Places in a text, as people and as programs name them. */
import { visibleText } from '../../../src/text/visible-text.ts'

export interface Place {
  readonly source: string
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 code units. */
  readonly column: number
  /** From 0, in UTF-16 code units, of the source as it was given. */
  readonly offset: number
  readonly length: number
  /** What stands there, without what nobody sees; the beginning where it is long. */
  readonly quote: string
}

/** The longest quote. */
const LONGEST = 240

/** Names places of one text. */
export function createPlaces(source: string, raw: string): (start: number, end: number) => Place {
  const lines = [0]
  for (let at = raw.indexOf('\n'); at !== -1; at = raw.indexOf('\n', at + 1)) lines.push(at + 1)
  return (start, end) => {
    const line = lineAt(lines, start)
    return {
      source,
      line: line + 1,
      column: start - (lines[line] ?? 0) + 1,
      offset: start,
      length: end - start,
      quote: quoteOf(raw, start, end),
    }
  }
}

/** What stands at a place. */
export const quoteOf = (raw: string, offset: number, end: number): string =>
  visibleText(raw.slice(offset, Math.min(end, offset + LONGEST))).trim()

/** The last line that begins at an offset or before it. */
function lineAt(lines: readonly number[], offset: number): number {
  let low = 0
  let high = lines.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((lines[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}
