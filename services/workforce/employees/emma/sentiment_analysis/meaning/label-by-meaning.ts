import { roundHalfEven } from '../../../src/text/vader/python.ts'
import { labelOf } from '../label.ts'
import type { Label } from '../result.ts'
import type { Score } from '../words/score.ts'
import type { Estimate } from './classifier.ts'

/**
 * The label of a text by its estimate. Where there is nothing but signs, or an emoji or phrase that is read by rule, the words
 * decide, and the rating is null: a sentence model does not know most emojis; and so in a few words of which all that weigh are
 * negated, which it reads as if they were not. What reads as a statement of fact, without a word
 * that weighs, is neutral.
 */
export function labelByMeaning(
  text: string,
  words: Score,
  { rating, opinion }: Estimate,
): { label: Label; rating: number | null } {
  if (words.isReread || !/\p{L}/u.test(text) || isNegation(text, words))
    return { label: labelOf(words.compound), rating: null }
  const isFact = words.words.length === 0 && opinion < 0
  return { label: isFact ? 'neutral' : rating > 0 ? 'positive' : 'negative', rating: roundHalfEven(rating, 4) }
}

/** In longer texts embeddings are right more often than negations: measured on the sets of `train.fixture.ts`. */
const FEW_WORDS = 5

function isNegation(text: string, { words }: Score): boolean {
  const isNegated = words.length > 0 && words.every(({ negated }) => negated)
  return isNegated && text.length < 20 * FEW_WORDS && text.split(/\s+/).length <= FEW_WORDS
}
