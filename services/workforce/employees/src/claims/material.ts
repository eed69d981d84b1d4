/** What a text may draw on, read once. */

import { sentencesOf } from '../text/sentences.ts'
import { addressesOf } from './addresses.ts'
import { type Calendar, calendarOf } from './calendar.ts'
import { countsOf, type GivenQuantities } from './known-quantities.ts'
import { type Quantity, quantitiesIn } from './quantities.ts'
import { headingsIn } from './units.ts'
import { bareOf, flat, stemsOf, wordsIn } from './words.ts'

export interface Material extends GivenQuantities {
  /** All of it in small letters, in one line. */
  readonly whole: string
  /** The same without its signs. */
  readonly bare: string
  /** And without spaces, in which “#SingleOrigin” is found. */
  readonly letters: string
  /** What may be claimed, in small letters: its paragraphs. */
  readonly paragraphs: readonly Paragraph[]
  readonly sentences: readonly Paragraph[]
  /** Stems and beginnings of the words of all of it. */
  readonly stems: ReadonlySet<string>
  /** First letters of all words in their order, in which “UK” stands where “United Kingdom” was given. */
  readonly initials: string
  readonly calendar: Calendar
  /** What was given, by paragraph: from figures of one others can be reckoned. */
  readonly figures: readonly (readonly Quantity[])[]
  /** In the form in which addresses are compared. */
  readonly addresses: ReadonlySet<string>
}

export interface Paragraph {
  readonly text: string
  readonly stems: ReadonlySet<string>
}

/** Columns name the units of a table, and its figures stand without them. */
export function materialOf(from: readonly string[], about: readonly string[], isOfTable: boolean): Material {
  const whole = [...from, ...about].join('\n')
  const paragraphs = from.flatMap(text => text.split(/\n\s*\n/))
  const figures = paragraphs.map(text => different(quantitiesIn(text)))
  const quantities = different([...figures.flat(), ...quantitiesIn(about.join('\n'))])
  return {
    whole: flat(whole),
    bare: bareOf(whole),
    paragraphs: paragraphs.map(text => ({ text: flat(text), stems: stemsOf(text) })),
    sentences: from
      .flatMap(text => sentencesOf(text).map(({ start, end }) => text.slice(start, end)))
      .map(text => ({ text: flat(text), stems: stemsOf(text) })),
    letters: bareOf(whole).replaceAll(' ', ''),
    words: new Set(wordsIn(whole)),
    stems: stemsOf(whole),
    initials: (whole.match(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu) ?? []).join('').toLowerCase(),
    quantities,
    figures,
    counts: countsOf(whole),
    headings: new Set(isOfTable ? headingsIn(whole) : []),
    calendar: calendarOf(whole, daysOf(quantities), monthsOf(quantities), about.join('\n')),
    addresses: addressesOf(whole),
  }
}

/** Spans of whole days, and from the first to the last of “six Saturdays”. */
const daysOf = (quantities: readonly Quantity[]): number[] =>
  quantities.flatMap(({ dimension, value, plain, isOfDays }) =>
    isOfDays
      ? [(plain - 1) * 7]
      : dimension === 'workday' && value <= 2
        ? [value, value + 2]
        : dimension === 'time' && value % 1_440 === 0
          ? [value / 1_440]
          : [],
  )

const monthsOf = (quantities: readonly Quantity[]): number[] =>
  quantities.flatMap(({ dimension, value }) => (dimension === 'month' && value < 12 ? [value] : []))

const different = (all: readonly Quantity[]): Quantity[] => [
  ...new Map(
    all.map(one => [
      `${one.value} ${one.plain} ${one.dimension} ${one.isId} ${one.isOfDays} ${one.headings.join(' ')}`,
      one,
    ]),
  ).values(),
]
