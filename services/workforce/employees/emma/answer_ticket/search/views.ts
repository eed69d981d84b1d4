/** In which words a passage is compared with a question by meaning. */
import { sentencesOf } from '../../../src/text/sentences.ts'
import type { Passage } from './passages.ts'

export interface Views {
  /** All of it, with its heading and the one above that. */
  readonly whole: string
  readonly heading: string
  /** Its first sentences, by themselves and with its heading. */
  readonly sentences: readonly { readonly text: string; readonly withHeading: string }[]
}

/** Of a long passage so many sentences are compared: fifteen passages are then one question to the model. */
const MOST_SENTENCES = 16

export function viewsOf({ sections, heading, text }: Passage): Views {
  const above = sections.at(-1)
  return {
    whole: `${above === undefined ? '' : `${above}: `}${heading}. ${text}`,
    heading,
    sentences: sentencesOf(text)
      .slice(0, MOST_SENTENCES)
      .map(({ start, end }) => text.slice(start, end))
      .map(sentence => ({ text: sentence, withHeading: `${heading}. ${sentence}` })),
  }
}
