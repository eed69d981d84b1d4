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
  return [
    { id: 'no_sentence_twice', pass: repeated === 0, value: repeated, target: 0 },
    { id: 'no_section_twice', pass: copied === 0, value: copied, target: 0 },
    { id: 'no_empty_section', pass: empty === 0, value: empty, target: 0 },
    topicCheck(texts, from, language),
  ]
}

const FEWEST_WORDS = 5

/** One that could not be made has not passed. */
function topicCheck(texts: readonly string[], from: readonly string[], language: string): Check {
  const known = stemsOf(from.join('\n'))
  const judged = texts.filter(text => sentencesOf(text).length >= FEWEST_SENTENCES)
  const strange = judged.filter(text => isOffTopic(text, known)).length
  const isCompared = knowsWords(language)
  const left = texts.length - judged.length
  const told = `${judged.length - strange} of ${judged.length}${left === 0 ? '' : `, and ${left} too short to judge`}`
  const unjudged = isCompared ? `no section has ${FEWEST_SENTENCES} sentences` : `there are no rules for ${language}`
  const isChecked = isCompared && judged.length > 0
  return {
    id: 'sections_on_topic',
    pass: isChecked && strange === 0,
    value: isChecked ? told : `${NOT_CHECKED}: ${unjudged}`,
    target: `all of ${FEWEST_SENTENCES} sentences and more`,
  }
}

/** The faults among these checks: a language model can't mend what could not be checked. */
export const sectionFaults = (...asked: Parameters<typeof sectionChecks>): string[] =>
  sectionChecks(...asked)
    .filter(({ pass, value }) => !pass && !String(value).startsWith(NOT_CHECKED))
    .map(({ id, value }) => `${id.replaceAll('_', ' ')}: not so, ${value}`)

const NOT_CHECKED = 'not checked'
/** Of fewer, none may have a word of the brief in an honest section. */
const FEWEST_SENTENCES = 3

/** Most of the words of both are the same. */
function isAlike(one: string, other: string): boolean {
  const [a, b] = [new Set(wordsOf(one)), new Set(wordsOf(other))]
  const both = [...a].filter(word => b.has(word)).length
  return both > 0.75 * Math.max(a.size, b.size)
}

/** Hardly a sentence of the section has a telling word of the brief. */
function isOffTopic(text: string, known: ReadonlySet<string>): boolean {
  const sentences = sentencesOf(text)
  const touching = sentences.filter(({ start, end }) =>
    wordsOf(text.slice(start, end)).some(word => tells(word) && known.has(stemOf(word))),
  ).length
  return touching <= FEWEST_TOUCHING * sentences.length
}

const FEWEST_TOUCHING = 0.25

const tells = (word: string): boolean => word.length > 3 && (!isEnglishWord(word) || rarity(stemOf(word)) > 0.3)
