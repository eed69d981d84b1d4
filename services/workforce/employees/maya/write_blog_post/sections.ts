/** Whether each section of a post says something of its own, and of the brief. */
import type { Check } from '../../src/answer.ts'
import { type TopicCheck, topicCheck } from '../../src/claims/topic.ts'
import { wordsOf } from '../../src/text/english.ts'
import { repetitions } from '../../src/text/repetitions.ts'

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

function measured(sections: readonly Section[], from: readonly string[], language: string): TopicCheck[] {
  const texts = sections.map(({ text }) => text)
  const repeated = repetitions(texts.join('\n'))
  const copied = texts.filter((text, at) => texts.slice(0, at).some(before => isAlike(before, text))).length
  const empty = texts.filter(text => (text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) < FEWEST_WORDS).length
  const none = (id: string, value: number): TopicCheck => ({
    check: { id, pass: value === 0, value, target: 0 },
    isChecked: true,
  })
  return [
    none('no_sentence_twice', repeated),
    none('no_section_twice', copied),
    none('no_empty_section', empty),
    topicCheck(texts, { name: 'section', from, language }),
  ]
}

const FEWEST_WORDS = 5

/** Most of the words of both are the same. */
function isAlike(one: string, other: string): boolean {
  const [a, b] = [new Set(wordsOf(one)), new Set(wordsOf(other))]
  const both = [...a].filter(word => b.has(word)).length
  return both > 0.75 * Math.max(a.size, b.size)
}
