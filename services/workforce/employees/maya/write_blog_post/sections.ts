/** Whether each section of a post says something of its own, and of the brief. */
import type { Check } from '../../src/answer.ts'
import { knowsWords } from '../../src/claims/unfounded.ts'
import { stemsOf } from '../../src/claims/words.ts'
import { isEnglishWord, rarity, stemOf, wordsOf } from '../../src/text/english.ts'
import { repetitions } from '../../src/text/repetitions.ts'
import { sentencesOf } from '../../src/text/sentences.ts'

export interface Section {
  readonly heading: string | null
  readonly text: string
}

/** What the brief says is in `from`. In another language than that of the brief the topic can't be compared. */
export function sectionChecks(sections: readonly Section[], from: readonly string[], language: string): Check[] {
  const texts = sections.map(({ text }) => text)
  const repeated = repetitions(texts.join('\n'))
  const copied = texts.filter((text, at) => texts.slice(0, at).some(before => isAlike(before, text))).length
  const empty = texts.filter(text => (text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) < FEWEST_WORDS).length
  const known = stemsOf(from.join('\n'))
  const isCompared = knowsWords(language)
  const strange = isCompared ? sections.filter(section => isOffTopic(section, known)) : []
  return [
    { id: 'no_sentence_twice', pass: repeated === 0, value: repeated, target: 0 },
    { id: 'no_section_twice', pass: copied === 0, value: copied, target: 0 },
    { id: 'no_empty_section', pass: empty === 0, value: empty, target: 0 },
    {
      id: 'sections_on_topic',
      pass: isCompared && strange.length === 0,
      value: isCompared ? sections.length - strange.length : `not checked: there are no rules for ${language}`,
      target: sections.length,
    },
  ]
}

const FEWEST_WORDS = 5

/** Most of the words of both are the same. */
function isAlike(one: string, other: string): boolean {
  const [a, b] = [new Set(wordsOf(one)), new Set(wordsOf(other))]
  const both = [...a].filter(word => b.has(word)).length
  return both > 0.75 * Math.max(a.size, b.size)
}

/** A section of some sentences of which hardly one has a telling word of the brief. */
function isOffTopic({ text }: Section, known: ReadonlySet<string>): boolean {
  const sentences = sentencesOf(text)
  const touching = sentences.filter(({ start, end }) =>
    wordsOf(text.slice(start, end)).some(word => tells(word) && known.has(stemOf(word))),
  ).length
  return sentences.length > 2 && touching <= FEWEST_TOUCHING * sentences.length
}

const FEWEST_TOUCHING = 0.25

const tells = (word: string): boolean => word.length > 3 && (!isEnglishWord(word) || rarity(stemOf(word)) > 0.3)
