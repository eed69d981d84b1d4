/** What a text may draw on, read once. */
import { type Calendar, calendarOf } from './calendar.ts'
import { countsOf, type Quantity, quantitiesIn } from './quantities.ts'
import { bareOf, flat, stemsOf, wordsIn } from './words.ts'

export interface Material {
  /** All of it in small letters, in one line. */
  readonly whole: string
  /** The same without its signs. */
  readonly bare: string
  /** What may be claimed, in small letters: its paragraphs. */
  readonly paragraphs: readonly Paragraph[]
  readonly words: ReadonlySet<string>
  /** Stems and beginnings of the words of all of it. */
  readonly stems: ReadonlySet<string>
  /** First letters of all words in their order, in which “UK” stands where “United Kingdom” was given. */
  readonly initials: string
  readonly quantities: readonly Quantity[]
  /** How many there are of what stands in a list. */
  readonly counts: ReadonlySet<number>
  readonly calendar: Calendar
}

interface Paragraph {
  readonly text: string
  readonly stems: ReadonlySet<string>
}

export function materialOf(from: readonly string[], about: readonly string[]): Material {
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
    calendar: calendarOf(whole),
  }
}

const different = (all: readonly Quantity[]): Quantity[] => [
  ...new Map(all.map(one => [`${one.value} ${one.plain} ${one.dimension}`, one])).values(),
]
