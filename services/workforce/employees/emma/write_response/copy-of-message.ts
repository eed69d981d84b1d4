/** Whether a reply only gives the customer's own message back. */
import type { Check } from '../../src/answer.ts'
import { sentencesOf } from '../../src/text/sentences.ts'

/**
 * Counts the sentences of the reply that stand in the message, but in nothing else that was given (`from`). Short ones and
 * courtesies that stand in both are everybody's, and not counted.
 */
export function copyCheck(message: string, from: readonly string[], paragraphs: readonly string[]): Check[] {
  const written = padded(message)
  if (written.trim() === '') return []
  const reply = paragraphs.join('\n')
  const sentences = sentencesOf(reply).map(({ start, end }) => padded(reply.slice(start, end)))
  const shared = sentences.filter(sentence => written.includes(sentence))
  const own = shared.filter(sentence => !isEverybodys(sentence))
  const given = own.length === 0 ? '' : padded(from.join('\n'))
  const copied = own.filter(sentence => !given.includes(sentence))
  const counted = sentences.length - (shared.length - own.length)
  // A quotation, where there is something beside it.
  const isQuoted = copied.length < counted && copied.some(sentence => sentence.trim().length <= SHORT)
  return [
    {
      id: 'no_copy_of_the_message',
      pass: copied.length - (isQuoted ? 1 : 0) <= MOST_COPIED * counted,
      value: `${copied.length} of ${counted} sentences stand in the message`,
      target: `at most a quarter, beside one of at most ${SHORT} characters`,
    },
  ]
}

const MOST_COPIED = 0.25
const SHORT = 80

function isEverybodys(sentence: string): boolean {
  const words = [...segmenter.segment(sentence)].filter(({ isWordLike }) => isWordLike).length
  return words < FEWEST_WORDS || (words <= MOST_WORDS_OF_COURTESY && courtesy.test(sentence))
}

/** Japanese and others have no blanks between words. */
const segmenter = new Intl.Segmenter('und', { granularity: 'word' })
const FEWEST_WORDS = 6
const MOST_WORDS_OF_COURTESY = 10
const courtesy =
  /^ (?:(?:many )?thank(?:s| you)|(?:(?:i|we) (?:a?m |a?re )?)?look(?:ing)? forward|vielen dank|(?:ich freue mich|wir freuen uns) auf) /

/** Its letters and digits alone, in small letters, with one blank around each word. */
const padded = (text: string): string =>
  ` ${
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu)
      ?.join(' ') ?? ''
  } `
