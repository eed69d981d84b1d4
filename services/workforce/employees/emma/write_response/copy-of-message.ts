/** Whether a reply only gives the customer's own message back. */
import type { Check } from '../../src/answer.ts'
import { sentencesOf } from '../../src/text/sentences.ts'

/** Counts the sentences of the reply that stand in the message, but in nothing else that was given (`from`). */
export function copyCheck(message: string, from: readonly string[], paragraphs: readonly string[]): Check[] {
  const [written, given] = [bare(message), bare(from.join('\n'))]
  if (written === '') return []
  const reply = paragraphs.join('\n')
  const sentences = sentencesOf(reply)
    .map(({ start, end }) => bare(reply.slice(start, end)))
    .filter(({ length }) => length >= FEWEST_CHARACTERS)
  const copied = sentences.filter(sentence => stands(sentence, written) && !stands(sentence, given))
  // A quotation, where there is something beside it.
  const isQuoted = copied.length < sentences.length && copied.some(({ length }) => length <= SHORT)
  return [
    {
      id: 'no_copy_of_the_message',
      pass: copied.length - (isQuoted ? 1 : 0) <= MOST_COPIED * sentences.length,
      value: `${copied.length} of ${sentences.length} sentences stand in the message`,
      target: `at most a quarter, beside one of at most ${SHORT} characters`,
    },
  ]
}

const MOST_COPIED = 0.25
const SHORT = 80
/** Shorter ones, such as “Thank you!”, are everybody’s. */
const FEWEST_CHARACTERS = 10

const stands = (sentence: string, text: string): boolean => ` ${text} `.includes(` ${sentence} `)

/** Its letters and digits alone, in small letters, with one blank wherever others stood. */
const bare = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu)
    ?.join(' ') ?? ''
