/** English words: which there are, how common they are, and their stems. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stemmer } from 'stemmer'

/**
 * How often a word stands in 23,703 texts of four sorts: the labelled tweets, reviews and editorials in the source package of
 * PyPI `vaderSentiment` (MIT). `sentiment_analysis/vader/convert.py` counts them.
 */
const counts = new Map<string, number>(
  readFileSync(join(import.meta.dirname, 'english-words.tsv'), 'utf8')
    .split('\n')
    .flatMap(line => {
      const [word, count] = line.split('\t')
      return word && count ? [[word, Number(count)] as const] : []
    }),
)

/** The words of a text in small letters. */
export const wordsOf = (text: string): string[] => text.toLowerCase().replaceAll('’', "'").match(words) ?? []

const words = /[\p{L}\p{M}]+(?:'[\p{L}\p{M}]+)*/gu

export const isEnglishWord = (word: string): boolean => counts.has(word)

/** The stem of a word by Porter's rules. */
export const stemOf = (word: string): string => stemmer(word)
