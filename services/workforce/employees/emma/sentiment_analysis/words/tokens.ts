/** The words of a text as VADER takes them, and cut at any punctuation besides. */
import { isEnglishWord } from '../../../src/text/english.ts'
import { folded } from '../../../src/text/plain-text.ts'
import { lexicon } from '../../../src/text/vader/lexicon.ts'
import { describeEmojis } from '../../../src/text/vader/polarity.ts'
import { stripPunctuation } from '../../../src/text/vader/python.ts'
import { type Words, wordsFrom } from '../../../src/text/vader/words.ts'
import { emojiValences } from './emojis.ts'

export interface Tokens {
  readonly words: Words
  /** What is after each: a space, a comma where a clause may end, a full stop where a sentence does. */
  readonly signs: readonly string[]
  /** The small words, each with its sign. */
  readonly joined: string
  /** The text with the emojis that have no weight of their own in words. */
  readonly described: string
}

export function tokensOf(text: string): Tokens {
  const described = describeEmojis(spaced(folded(text)), emoji => !emojiValences.has(emoji))
  const tokens: string[] = []
  const signs: string[] = []
  for (const [, written = '', space = ''] of described.matchAll(/(\S+)(\s*)/gu)) {
    const pieces = piecesOf(written)
    for (const { piece, sign } of pieces) {
      tokens.push(piece)
      signs.push(sign)
    }
    if (pieces.length > 0 && space.includes('\n')) signs[signs.length - 1] = '.'
  }
  const words = wordsFrom(tokens)
  return { words, signs, joined: words.lower.map((word, at) => word + signs[at]).join(''), described }
}

const spaced = (text: string) => text.replace(/\p{Extended_Pictographic}/gu, ' $& ')

/** An emoticon, an address and a word with its punctuation around it stay whole, as VADER has them. */
function piecesOf(written: string): { piece: string; sign: string }[] {
  const sign = signAfter(written)
  if (isWhole(written)) return [{ piece: written, sign }]
  const pieces = Array.from(written.matchAll(piece), ({ 0: found, index }) => ({ found, end: index + found.length }))
  return pieces
    .filter(({ found }) => /[\p{L}\p{N}]/u.test(found) || lexicon.has(found))
    .map(({ found, end }) => ({
      piece: found,
      sign: signAfter(written.slice(end).match(/^[^\p{L}\p{N}]+/u)?.[0] ?? ''),
    }))
}

function isWhole(written: string): boolean {
  const stripped = stripPunctuation(written)
  return (
    lexicon.has(written.toLowerCase()) ||
    lexicon.has(stripped.toLowerCase()) ||
    /^[\p{L}\p{M}\p{N}']*$/u.test(stripped) ||
    /^(?:https?:|www\.)|@/i.test(written) ||
    (isCode(stripped) && !/^\W{0,3}#/.test(written)) ||
    !/[\p{L}\p{N}]/u.test(written)
  )
}

/** A name of code, such as `url.resolve`, `fs::read` or `is_good()`: “great.love” has a word before the stop, and is two. */
function isCode(word: string): boolean {
  const [first = '', ...others] = word.replace(/\(\)?$/, '').split(/\.|::|->|\/|_/)
  const isName = others.length > 0 && [first, ...others].every(part => /^[$\p{L}\p{N}]*$/u.test(part))
  return isName && (/[_$]|::|->|\($/.test(word) || !isEnglishWord(first.toLowerCase()))
}

const piece = /[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}\p{N}]+)*|[^\p{L}\p{M}\p{N}]+/gu

function signAfter(written: string): string {
  const end = /[^\p{L}\p{N}]*$/u.exec(written.slice(-9))?.[0] ?? ''
  return /[.!?;:…]/.test(end) ? '.' : /[,()—–]/.test(end) ? ',' : ' '
}
