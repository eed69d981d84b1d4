/** Which language a text is in. */
import { eld } from 'eld/extrasmall'
import { isEnglishWord, wordsOf } from './english.ts'

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
