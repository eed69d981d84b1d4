/**
 * VADER's score of a text, as the Python package `vaderSentiment` 3.3.2 counts it, to its last digit: the rules, their order
 * and their oddities are its own. Hutto and Gilbert, ICWSM 2014. Takes a time proportional to the text.
 */
import { weighBut } from './but.ts'
import { emojis } from './lexicon.ts'
import { roundHalfEven, strip } from './python.ts'
import { valenceOf, type WordValence } from './valence.ts'
import { wordsOf } from './words.ts'

export interface Polarity {
  /** From -1, as bad as can be, to 1; four digits. */
  readonly compound: number
  /** The shares of the words, which sum to 1 or nearly so; three digits. All are 0 where there is no word. */
  readonly positive: number
  readonly neutral: number
  readonly negative: number
  /** The words that weigh, in their order. */
  readonly words: readonly WordValence[]
}

export function polarity(text: string): Polarity {
  const described = strip(describeEmojis(text))
  const words = wordsOf(described)
  const but = words.lower.indexOf('but')
  return summed({ weighed: words.lower.map((_, at) => valenceOf(words, at)), but, text: described })
}

/** All words of a text with what they weigh, and the place of the “but” that weighs them, which is -1 where there is none. */
interface Weighed {
  readonly weighed: readonly WordValence[]
  readonly but: number
  /** Its exclamation and question marks count. */
  readonly text: string
}

/** The score of words, however they were weighed. */
export function summed({ weighed, but, text }: Weighed): Polarity {
  const valences = weighed.map(({ valence }) => valence)
  weighBut(valences, but)
  const words = weighed.flatMap((word, at) => {
    const valence = valences[at] as number
    return valence === 0 ? [] : { ...word, valence }
  })
  return { ...shares(valences, punctuationEmphasis(text)), words }
}

/** The emojis of the lexicon as words: 😁 is “beaming face with smiling eyes”. Those that are not to be described stay. */
export function describeEmojis(text: string, isDescribed = (_emoji: string) => true): string {
  let described = ''
  let afterSpace = true
  for (const character of text) {
    const description = emojis.get(character)
    if (description === undefined || !isDescribed(character)) {
      described += character
      afterSpace = character === ' '
    } else {
      described += afterSpace ? description : ` ${description}`
      afterSpace = false
    }
  }
  return described
}

/** What up to four exclamation marks and two or more question marks add. */
function punctuationEmphasis(text: string): number {
  const questions = count(text, '?')
  const asked = questions <= 1 ? 0 : questions <= 3 ? questions * 0.18 : 0.96
  return Math.min(count(text, '!'), 4) * 0.292 + asked
}

/** How far the sum of valences is from its end, so that a typical sum of 4 makes about 0.7. */
const ALPHA = 15

function shares(valences: readonly number[], emphasis: number): Omit<Polarity, 'words'> {
  if (valences.length === 0) return { compound: 0, positive: 0, neutral: 0, negative: 0 }
  let sum = 0
  let positive = 0
  let negative = 0
  let neutral = 0
  for (const valence of valences) {
    sum += valence
    // A neutral word counts as 1, so a word that weighs counts as 1 more than its weight.
    if (valence > 0) positive += valence + 1
    else if (valence < 0) negative += 1 - valence
    else neutral++
  }
  sum += Math.sign(sum) * emphasis
  if (positive > negative) positive += emphasis
  else if (positive < negative) negative += emphasis
  const total = positive + negative + neutral
  return {
    compound: roundHalfEven(sum / Math.sqrt(sum * sum + ALPHA), 4),
    positive: roundHalfEven(positive / total, 3),
    neutral: roundHalfEven(neutral / total, 3),
    negative: roundHalfEven(negative / total, 3),
  }
}

function count(text: string, mark: string): number {
  let marks = 0
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) marks++
  return marks
}
