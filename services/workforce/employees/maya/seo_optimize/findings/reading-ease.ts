/**
 * How easy a text reads. English by Flesch's formula (1948), German by Amstad's form of it (1978); other languages in Latin,
 * Greek or Cyrillic letters by Björnsson's LIX (1968), which needs no syllables and holds across languages; others get no score.
 */
import { syllable } from 'syllable'
import { sentencesOf } from '../../../src/text/sentences.ts'
import type { Readability } from '../result.ts'

/** Fewer words say nothing about how a text reads. */
const FEWEST_WORDS = 50
/** As much of a text as is measured. */
const MOST_WORDS = 20_000
/** Of a paragraph, as much as is read. */
const MOST_OF_PARAGRAPH = 200_000

export function readabilityOf(paragraphs: readonly string[], language: string): Readability {
  const sentences = sentencesIn(paragraphs)
  const words = sentences.flat()
  const perSentence = words.length / sentences.length
  const known = { words: words.length, sentences: sentences.length }
  const rounded = sentences.length === 0 ? null : Number(perSentence.toFixed(1))
  const none = (meaning: string): Readability => ({
    method: 'none',
    score: null,
    meaning,
    ...known,
    words_per_sentence: rounded,
  })
  if (otherWriting.test(words.slice(0, 200).join('')))
    return none('Not measured: there is no formula for this writing that holds.')
  if (words.length < FEWEST_WORDS) return none(`Not measured: ${FEWEST_WORDS} words in sentences are the least.`)
  const scored = scoreOf(words, perSentence, language)
  return { ...scored, ...known, words_per_sentence: rounded }
}

/** Whether only who is used to hard texts reads it with ease. */
export function isHard({ method, score }: Readability): boolean {
  if (score === null) return false
  return method === 'lix' ? score > 60 : score < 25
}

function scoreOf(words: readonly string[], perSentence: number, language: string) {
  const perWord = (count: (word: string) => number) => words.reduce((sum, word) => sum + count(word), 0) / words.length
  if (language === 'en') {
    const score = rounded(206.835 - 1.015 * perSentence - 84.6 * perWord(word => Math.max(1, syllable(word))))
    return { method: 'flesch' as const, score, meaning: easeOf(score) }
  }
  if (language === 'de') {
    const score = rounded(
      180 - perSentence - 58.5 * perWord(word => Math.max(1, word.match(germanVowels)?.length ?? 0)),
    )
    return { method: 'amstad' as const, score, meaning: easeOf(score) }
  }
  const score = rounded(perSentence + 100 * perWord(word => (Array.from(word).length > 6 ? 1 : 0)))
  return { method: 'lix' as const, score, meaning: lixOf(score) }
}

const rounded = (score: number) => Number(score.toFixed(1))

const easeOf = (score: number): string =>
  score >= 80
    ? 'Very easy.'
    : score >= 60
      ? 'Easy: plain language.'
      : score >= 50
        ? 'Fairly hard.'
        : score >= 30
          ? 'Hard: for readers used to such texts.'
          : 'Very hard: for scholars.'

const lixOf = (score: number): string =>
  score < 30
    ? 'Very easy.'
    : score < 40
      ? 'Easy.'
      : score < 50
        ? 'Of middling difficulty.'
        : score < 60
          ? 'Hard.'
          : 'Very hard.'

/** Those that sound as one count as one. */
const germanVowels = /ei|ai|au|eu|äu|ie|[aeiouäöüy]/gi
/** LIX was made for letters that stand for sounds, vowels too. */
const otherWriting = /(?![\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}])\p{L}{20}/u

/** The words of each sentence that has any, of as many as are measured. */
function sentencesIn(paragraphs: readonly string[]): string[][] {
  const found: string[][] = []
  let words = 0
  for (const whole of paragraphs) {
    const paragraph = whole.slice(0, MOST_OF_PARAGRAPH)
    for (const { start, end } of sentencesOf(paragraph)) {
      if (words >= MOST_WORDS) return found
      const own = wordsOf(paragraph.slice(start, end)).slice(0, MOST_WORDS)
      if (own.length > 0) found.push(own)
      words += own.length
    }
  }
  return found
}

/** Words are cut where they are longer than any language has them. */
const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{M}\p{N}]{1,60}(?:['’][\p{L}\p{M}]{1,20}){0,3}/gu) ?? []
