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
export const sectionChecks = (...asked: Parameters<typeof measured>): Check[] =>
  measured(...asked).map(({ check }) => check)

/** The faults among these checks: a language model can't mend what could not be checked. */
export const sectionFaults = (...asked: Parameters<typeof measured>): string[] =>
  measured(...asked)
    .filter(({ check, isChecked }) => isChecked && !check.pass)
    .map(({ check: { id, value } }) => `${id.replaceAll('_', ' ')}: not so, ${value}`)

interface Measured {
  readonly check: Check
  /** One that could not be made has not passed. */
  readonly isChecked: boolean
}

function measured(sections: readonly Section[], from: readonly string[], language: string): Measured[] {
  const texts = sections.map(({ text }) => text)
  const repeated = repetitions(texts.join('\n'))
  const copied = texts.filter((text, at) => texts.slice(0, at).some(before => isAlike(before, text))).length
  const empty = texts.filter(text => (text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) < FEWEST_WORDS).length
  const none = (id: string, value: number): Measured => ({
    check: { id, pass: value === 0, value, target: 0 },
    isChecked: true,
  })
  return [
    none('no_sentence_twice', repeated),
    none('no_section_twice', copied),
    none('no_empty_section', empty),
    topicCheck(texts, from, language),
  ]
}

const FEWEST_WORDS = 5

function topicCheck(texts: readonly string[], from: readonly string[], language: string): Measured {
  const known = stemsOf(from.join('\n'))
  const judged = texts.filter(text => sentencesOf(text).length >= FEWEST_SENTENCES)
  const strange = judged.filter(text => isOffTopic(text, known)).length
  const isCompared = knowsWords(language)
  const left = texts.length - judged.length
  const told = `${judged.length - strange} of ${judged.length} sections${left === 0 ? '' : `, ${left} too short to judge`}`
  const unjudged = isCompared ? `no section has ${FEWEST_SENTENCES} sentences` : `there are no rules for ${language}`
  const isChecked = isCompared && judged.length > 0
  const check = {
    id: 'sections_on_topic',
    pass: isChecked && strange === 0,
    value: isChecked ? told : `not checked: ${unjudged}`,
    target: `all sections of ${FEWEST_SENTENCES} or more sentences`,
  }
  return { check, isChecked }
}

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
