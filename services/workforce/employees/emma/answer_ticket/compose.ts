/** An answer out of the sentences of a passage. */
import type { Citation } from '../../src/answer.ts'
import type { Constraints } from '../../src/brief.ts'
import { wordsOf } from '../../src/text/english.ts'
import type { Ranked } from './search/rank.ts'

const MOST_SENTENCES = 4
/** A sentence that has so much less of the question than the best one says something else. */
const LEAST_SHARE = 0.25

/** The sentences of the passage that answer, in their order, each a citation. */
export function composed(
  { passage, sentences }: Ranked,
  { max_words = Number.POSITIVE_INFINITY, avoid = [] }: Constraints,
): { text: string; citations: Citation[] } {
  const unwanted = avoid.map(word => word.toLowerCase())
  const allowed = sentences()
    .map((sentence, at) => ({ ...sentence, at }))
    .filter(({ text }) => !unwanted.some(word => text.toLowerCase().includes(word)))
  const best = allowed.toSorted((a, b) => b.score - a.score)
  const least = (best[0]?.score ?? 0) * LEAST_SHARE
  const chosen = new Set<number>()
  let words = 0
  for (const { at, text, score } of best) {
    if (chosen.size === MOST_SENTENCES || (chosen.size > 0 && score < least)) break
    const length = wordsOf(text).length
    if (chosen.size > 0 && words + length > max_words) continue
    chosen.add(at)
    words += length
  }
  // “It” and “this” need the sentence before them.
  for (const [place, { at, text }] of allowed.entries()) {
    const before = allowed[place - 1]
    if (!chosen.has(at) || before?.at !== at - 1 || chosen.has(at - 1) || !pointsBack.test(text)) continue
    const length = wordsOf(before.text).length
    if (words + length > max_words) continue
    chosen.add(at - 1)
    words += length
  }
  const quotes = allowed.filter(({ at }) => chosen.has(at)).map(({ text }) => text)
  return { text: quotes.join(' '), citations: quotes.map(quote => ({ source: passage.source, quote })) }
}

const pointsBack =
  /^(?:[-*+] )?(?:it|its|this|that|these|those|they|them|he|she|then|after that|otherwise|but|also|both|without (?:it|that|this))\b/i
