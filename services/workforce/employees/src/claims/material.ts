/** What a text may draw on, read once. */

import { addressesOf } from './addresses.ts'
import { type Calendar, calendarOf } from './calendar.ts'
import { countsOf, type GivenQuantities, headingsIn, type Quantity, quantitiesIn } from './quantities.ts'
import { bareOf, flat, stemsOf, wordsIn } from './words.ts'

export interface Material extends GivenQuantities {
  /** All of it in small letters, in one line. */
  readonly whole: string
  /** The same without its signs. */
  readonly bare: string
  /** What may be claimed, in small letters: its paragraphs. */
  readonly paragraphs: readonly Paragraph[]
  /** Stems and beginnings of the words of all of it. */
  readonly stems: ReadonlySet<string>
  /** First letters of all words in their order, in which “UK” stands where “United Kingdom” was given. */
  readonly initials: string
  readonly calendar: Calendar
  /** In the form in which addresses are compared. */
  readonly addresses: ReadonlySet<string>
}

interface Paragraph {
  readonly text: string
  readonly stems: ReadonlySet<string>
}

/** Columns name the units of a table, and its figures stand without them. */
export function materialOf(from: readonly string[], about: readonly string[], isOfTable: boolean): Material {
  const whole = [...from, ...about].join('\n')
  return {
    whole: flat(whole),
    bare: bareOf(whole),
    paragraphs: from.flatMap(text => text.split(/\n\s*\n/)).map(text => ({ text: flat(text), stems: stemsOf(text) })),
    words: new Set(wordsIn(whole)),
    stems: stemsOf(whole),
    initials: (whole.match(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu) ?? []).join('').toLowerCase(),
    quantities: different(quantitiesIn(whole)),
    counts: countsOf(whole),
    headings: new Set(isOfTable ? headingsIn(whole) : []),
    calendar: calendarOf(whole),
    addresses: addressesOf(whole),
  }
}

const different = (all: readonly Quantity[]): Quantity[] => [
  ...new Map(
    all.map(one => [`${one.value} ${one.plain} ${one.dimension} ${one.isId} ${one.headings.join(' ')}`, one]),
  ).values(),
]
