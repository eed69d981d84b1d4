/** How positive a text is by its words: VADER's score, with what VADER misreads read as people mean it. */
import { type Polarity, summed } from '../../../src/text/vader/polarity.ts'
import { NEGATED, neutral, valenceOf, type WordValence } from '../../../src/text/vader/valence.ts'
import type { Words } from '../../../src/text/vader/words.ts'
import { emojiValences } from './emojis.ts'
import { negatedItems } from './lists.ts'
import { type PhraseWord, phraseWords } from './phrases.ts'
import { type Tokens, tokensOf } from './tokens.ts'

export interface Score extends Polarity {
  /** Whether an emoji or a phrase of the text is read otherwise than by VADER. */
  readonly isReread: boolean
}

/**
 * The same as `polarity` of a text without emojis, words that punctuation joins, and the phrases of `phrases.ts`; and no word is
 * negated or stressed by one of the clause before, but in a list. Takes a time proportional to the text.
 */
export function score(text: string): Score {
  const tokens = tokensOf(text)
  const phrases = phraseWords(tokens)
  // A phrase is read as a whole: no word of it negates or stresses what is beside it.
  const words = without(tokens.words, phrases)
  const listed = negatedItems(tokens)
  const sarcasm = sarcasmFrom(tokens)
  const weighed: WordValence[] = []
  for (const [from, to] of clauses(tokens.signs)) {
    const clause = part(words, from, to)
    for (let at = from; at < to; at++) {
      const found = valence(clause, at - from, tokens.words, at, phrases)
      const isTurned = (listed.has(at) && !found.negated) || (at >= sarcasm && found.valence > 0)
      weighed.push(isTurned ? turned(found) : found)
    }
  }
  return {
    ...summed({ weighed, but: words.lower.indexOf('but'), text: tokens.described }),
    isReread: phrases.size > 0 || Number.isFinite(sarcasm) || words.words.some(word => emojiValences.has(word)),
  }
}

function valence(
  clause: Words,
  place: number,
  { words }: Words,
  at: number,
  phrases: ReadonlyMap<number, PhraseWord | undefined>,
): WordValence {
  const word = words[at] as string
  const phrase = phrases.get(at)
  if (phrase) return { word, ...phrase, emphasis: 'none' }
  if (phrases.has(at)) return neutral
  const picture = emojiValences.get(word)
  return picture === undefined ? valenceOf(clause, place) : { word, valence: picture, negated: false, emphasis: 'none' }
}

const LAST_MARK = /(?:^|\s)\/(?:s|sarcasm)[.!]?\s*$/i
/** Before a “/s” that is a rate or a path. */
const RATE_OR_PATH =
  /(?:\d|\b(?:is|in|at|to|of|from|under|[kmgt]?i?b|[kmgt]?bytes?|bits?|requests?|frames?|k?m))\s+\/s[.!]?\s*$/i

/** Where the sentence begins that a last “/s” marks as sarcasm: what it praises, it blames. */
function sarcasmFrom({ words: { lower }, signs, described }: Tokens): number {
  if (!LAST_MARK.test(described) || RATE_OR_PATH.test(described)) return Number.POSITIVE_INFINITY
  let at = lower.length - 2
  while (at > 0 && signs[at - 1] !== '.') at--
  return at
}

const turned = (found: WordValence): WordValence =>
  found.valence === 0 ? found : { ...found, valence: found.valence * NEGATED, negated: true }

function* clauses(signs: readonly string[]): Generator<readonly [from: number, to: number]> {
  let from = 0
  for (const [at, sign] of signs.entries())
    if (sign !== ' ') {
      yield [from, at + 1]
      from = at + 1
    }
  yield [from, signs.length]
}

const part = ({ words, lower, upper, capitalsTell }: Words, from: number, to: number): Words => ({
  words: words.slice(from, to),
  lower: lower.slice(from, to),
  upper: upper.slice(from, to),
  capitalsTell,
})

function without({ words, lower, upper, capitalsTell }: Words, places: ReadonlyMap<number, unknown>): Words {
  const kept = (all: readonly string[]) => all.map((word, at) => (places.has(at) ? '' : word))
  return { words: kept(words), lower: kept(lower), upper, capitalsTell }
}
