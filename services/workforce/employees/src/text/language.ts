/** Which language a text is in. */
import { eld } from 'eld/extrasmall'
import type { Check } from '../answer.ts'
import { isEnglishWord, wordsOf } from './english.ts'
import { sentencesOf } from './sentences.ts'

/**
 * ISO 639-1, or `und` where the text does not say: it has no words, or too few to tell. `eld` reads it (60 languages); where it
 * does not say English, a text whose words are mostly English is English all the same: `eld` takes many a short one for another
 * language. Of a long text five places are read, and the commonest answer counts.
 */
export function languageOf(text: string): string {
  const votes = new Map<string, number>()
  for (const part of partsOf(text)) {
    const language = languageOfPart(part)
    votes.set(language, (votes.get(language) ?? 0) + 1)
  }
  const [most] = [...votes].sort(([, a], [, b]) => b - a)
  return most?.[0] ?? 'und'
}

/** Whether a text is in a language, and no considerable part of it in another one. */
export function languageCheck(text: string, wanted: string): Check {
  const found = languageOf(text)
  const language = found === norwegian.get(wanted) ? wanted : found
  const other = language === wanted ? otherLanguageIn(text, found) : undefined
  const value = other === undefined ? language : `${language} and ${other}`
  return { id: 'language', pass: value === wanted, value, target: wanted }
}

/** Both written forms are found as one. */
const norwegian: ReadonlyMap<string, string> = new Map([
  ['nb', 'no'],
  ['nn', 'no'],
])

/**
 * The language of a considerable part of a text that is in another one than the whole of it, such as the German half of an
 * English letter: its sentences of five words and more, read together, as one alone is too short to tell.
 */
function otherLanguageIn(text: string, language: string): string | undefined {
  const sentences = sentencesOf(text.slice(0, MOST_READ).toWellFormed()).map(({ start, end }) => text.slice(start, end))
  const strange = sentences.filter(sentence => {
    if (wordsOf(sentence).length < FEWEST_WORDS) return false
    const own = languageOfPart(sentence)
    return own !== language && own !== 'und'
  })
  const part = strange.join(' ')
  const [words, all] = [wordsOf(part).length, wordsOf(text.slice(0, MOST_READ)).length]
  if (words < CONSIDERABLE_WORDS || words < CONSIDERABLE * all) return undefined
  const other = languageOf(part)
  return other === language || other === 'und' ? undefined : other
}

const MOST_READ = 20_000
const FEWEST_WORDS = 5
const CONSIDERABLE_WORDS = 14
const CONSIDERABLE = 0.25

/** As much as `eld` reads of a text. */
const PART = 350
const PARTS = 5
/** The least share of English words. Measured: 31 of 11,851 labelled texts fell below, and 1 of 55 in other languages above. */
const MOSTLY = 0.6

function languageOfPart(text: string): string {
  const words = wordsOf(text)
  if (words.length === 0) return 'und'
  const detected = eld.detect(text)
  if (detected.language === 'en') return 'en'
  if (words.filter(isEnglishWord).length >= MOSTLY * words.length) return 'en'
  return detected.isReliable() ? detected.language : 'und'
}

function partsOf(text: string): string[] {
  if (text.length <= PARTS * PART) return [text]
  const step = (text.length - PART) / (PARTS - 1)
  return Array.from({ length: PARTS }, (_, part) =>
    text.slice(Math.floor(part * step), Math.floor(part * step) + PART).toWellFormed(),
  )
}
