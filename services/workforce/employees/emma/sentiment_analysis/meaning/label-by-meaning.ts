import { roundHalfEven } from '../../../src/text/vader/python.ts'
import { labelOf } from '../label.ts'
import type { Label } from '../result.ts'
import type { Score } from '../words/score.ts'
import type { Estimate } from './classifier.ts'

/**
 * The label of a text by its estimate. Where there is nothing but signs, or an emoji or phrase that is read by rule, the words
 * decide, and the rating is null: a sentence model does not know most emojis. What reads as a statement of fact, without a word
 * that weighs, is neutral.
 */
export function labelByMeaning(
  text: string,
  words: Score,
  { rating, opinion }: Estimate,
): { label: Label; rating: number | null } {
  if (words.isReread || !/\p{L}/u.test(text)) return { label: labelOf(words.compound), rating: null }
  const isFact = words.words.length === 0 && opinion < 0
  return { label: isFact ? 'neutral' : rating > 0 ? 'positive' : 'negative', rating: roundHalfEven(rating, 4) }
}
