/** In which words a passage is compared with a question by meaning. */
import { type Passage, type Unit, unitsOf } from './passages.ts'

export interface Views {
  /** All of it, with its heading and the one above that. */
  readonly whole: string
  readonly heading: string
  /** Its first sentences, by themselves and with its heading. */
  readonly sentences: readonly (Unit & { readonly withHeading: string })[]
}

/** Of a long passage so many sentences are compared: fifteen passages are then one question to the model. */
const MOST_SENTENCES = 16

export function viewsOf(passage: Passage): Views {
  const { sections, heading, text } = passage
  const above = sections.at(-1)
  return {
    whole: `${above === undefined ? '' : `${above}: `}${heading}. ${text}`,
    heading,
    sentences: unitsOf(passage)
      .slice(0, MOST_SENTENCES)
      .map(unit => ({ ...unit, withHeading: `${heading}. ${unit.text}` })),
  }
}
