/** Whether each part of a text, such as a section of a post, speaks of what was given. */
import type { Check } from '../answer.ts'
import { isEnglishWord, rarity, stemOf, wordsOf } from '../text/english.ts'
import { sentencesOf } from '../text/sentences.ts'
import { knowsWords } from './unfounded.ts'
import { stemsOf } from './words.ts'

export interface TopicCheck {
  readonly check: Check
  /** One that could not be made has not passed. */
  readonly isChecked: boolean
}

/** What was given is in `from`. Texts in another language than English can't be compared. */
export function topicCheck(
  parts: readonly string[],
  { name, from, language }: { readonly name: string; readonly from: readonly string[]; readonly language: string },
): TopicCheck {
  const known = stemsOf(from.join('\n'))
  const judged = parts.map(tellingSentences).filter(({ length }) => length >= FEWEST_SENTENCES)
  const offTopic = judged.filter(sentences => isOffTopic(sentences, known)).length
  const isCompared = knowsWords(language)
  const left = parts.length - judged.length
  const found = `${judged.length - offTopic} of ${judged.length} ${name}s${left === 0 ? '' : `, ${left} too short to judge`}`
  const unjudged = isCompared
    ? `no ${name} has ${FEWEST_SENTENCES} sentences that tell something`
    : `there are no rules for ${language}`
  const isChecked = isCompared && judged.length > 0
  const check = {
    id: `${name}s_on_topic`,
    pass: isChecked && offTopic === 0,
    value: isChecked ? found : `not checked: ${unjudged}`,
    target: `all ${name}s of ${FEWEST_SENTENCES} or more sentences that tell something`,
  }
  return { check, isChecked }
}

/** Whether it has so few sentences that none of an honest one may have a word of the brief. */
export const isTooShort = (text: string): boolean => tellingSentences(text).length < FEWEST_SENTENCES

const FEWEST_SENTENCES = 3

/** Hardly a sentence has a word of the brief. */
const isOffTopic = (sentences: readonly (readonly string[])[], known: ReadonlySet<string>): boolean =>
  sentences.filter(stems => stems.some(stem => known.has(stem))).length <= FEWEST_TOUCHING * sentences.length

const FEWEST_TOUCHING = 0.25

/** The stems of the telling words of each sentence, without sentences of courtesies and everyday words alone. */
const tellingSentences = (text: string): string[][] =>
  sentencesOf(text)
    .map(({ start, end }) =>
      wordsOf(text.slice(start, end))
        .filter(tells)
        .map(stemOf)
        .filter(stem => !courtesies.has(stem)),
    )
    .filter(({ length }) => length > 0)

const tells = (word: string): boolean => word.length > 3 && (!isEnglishWord(word) || rarity(stemOf(word)) > 0.3)

/** Whatever a letter is about, it says these. */
const courtesies = stemsOf(
  `Thank you for your patience, for letting us know and for getting in touch. We are sorry and apologise for the trouble and the
  inconvenience; we understand and appreciate it. Please reply to this email, contact us or do not hesitate to ask if you have any
  other question. A colleague will look into it. We are happy to help.`,
)
