/** English words: which there are, how common they are, and their stems. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stemmer } from 'stemmer'
import { folded } from './plain-text.ts'

/**
 * How often a word stands in 23,703 texts of four sorts: the labelled tweets, reviews and editorials in the source package of
 * PyPI `vaderSentiment` (MIT). `convert.py` beside the lexicon of moods counts them.
 */
const counts = new Map<string, number>(
  readFileSync(join(import.meta.dirname, 'english-words.tsv'), 'utf8')
    .split('\n')
    .flatMap(line => {
      const [word, count] = line.split('\t')
      return word && count ? [[word, Number(count)] as const] : []
    }),
)

/** Texts say the same words again and again. */
const stems = new Map<string, string>()
const MOST_STEMS = 50_000

/** The words of a text in small letters. */
export const wordsOf = (text: string): string[] => folded(text).toLowerCase().match(words) ?? []

const words = /[\p{L}\p{M}]+(?:'[\p{L}\p{M}]+)*/gu

export const isEnglishWord = (word: string): boolean => counts.has(word)

/** The stem of a word by Porter's rules. */
export function stemOf(word: string): string {
  const known = stems.get(word)
  if (known !== undefined) return known
  if (stems.size === MOST_STEMS) stems.clear()
  const stem = stemmer(word)
  stems.set(word, stem)
  return stem
}

/**
 * How much a stem says: 1 for one that is in none of the texts, near 0 for one that is everywhere. Between them it falls with the
 * logarithm of how common the stem is.
 */
export function rarity(stem: string): number {
  const count = stemCounts.get(stem) ?? 0
  return Math.min(1, Math.max(0, Math.log(COMMON / (count + 1)) / Math.log(COMMON / RARE)))
}

/** A stem that stands in the texts so often says nothing, and one that stands there so seldom says all it can. */
const COMMON = 6_000
const RARE = 8

const stemCounts = new Map<string, number>()
for (const [word, count] of counts) stemCounts.set(stemOf(word), (stemCounts.get(stemOf(word)) ?? 0) + count)

export const isEnglishStem = (stem: string): boolean => stemCounts.has(stem)
