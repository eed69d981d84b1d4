import { isEnglishWord } from '../../../src/text/english.ts'
import { folded } from '../../../src/text/plain-text.ts'

/** A word, or one sign of punctuation. */
export interface Token {
  /** In small letters. */
  readonly word: string
  /** What a word has in common with its plural; a sign stays itself. */
  readonly singular: string
  readonly start: number
  readonly end: number
}

export function tokensOf(sentence: string): Token[] {
  return Array.from(sentence.matchAll(token), ({ 0: found, index: start }) => {
    const word = folded(found).toLowerCase()
    return { word, singular: singularOf(word), start, end: start + found.length }
  })
}

/** By the ending alone: who takes “new” of “news” for a noun sees to it. */
function singularOf(word: string): string {
  if (word.length < 5 || !word.endsWith('s') || /(?:ss|us|is)$/.test(word)) return word
  const shorter = word.slice(0, -1)
  if (word.endsWith('ies') && !isEnglishWord(shorter)) return `${word.slice(0, -3)}y`
  return /(?:ch|sh|x|ss)es$/.test(word) ? word.slice(0, -2) : shorter
}

const token = /[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*|[^\s\p{L}\p{M}\p{N}]/gu

/** The indexes at which a sequence of words begins, be they in the plural or not. */
export function placesOf(singulars: readonly string[], tokens: readonly Token[]): number[] {
  return tokens.flatMap(({ singular }, at) =>
    singular === singulars[0] && singulars.every((wanted, next) => tokens[at + next]?.singular === wanted) ? at : [],
  )
}
