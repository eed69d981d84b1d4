/** The words of a text as VADER takes them apart. */
import { isUpper, split, stripPunctuation } from './python.ts'

export interface Words {
  readonly words: readonly string[]
  readonly lower: readonly string[]
  readonly upper: readonly boolean[]
  /** Whether some words are in capitals and others are not: only then do capitals emphasise. */
  readonly capitalsTell: boolean
}

export const wordsOf = (text: string): Words => wordsFrom(split(text))

/** The same of a text that is cut at its spaces, and perhaps elsewhere too. */
export function wordsFrom(tokens: readonly string[]): Words {
  const words = tokens.map(withoutPunctuation)
  const upper = words.map(isUpper)
  return {
    words,
    lower: words.map(word => word.toLowerCase()),
    upper,
    capitalsTell: upper.includes(true) && upper.includes(false),
  }
}

/** What is at most two characters without it was an emoticon, and stays whole. */
function withoutPunctuation(token: string): string {
  const stripped = stripPunctuation(token)
  return stripped.length <= 4 && [...stripped].length <= 2 ? token : stripped
}
