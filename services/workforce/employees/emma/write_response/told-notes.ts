/** What a reply tells of notes that are not for the customer. */
import { visibleText } from '../../src/text/visible-text.ts'
import type { Input } from './result.ts'

/**
 * Runs of so many words of the notes, and single words that only the notes have and that look like a secret or a name of
 * something: with a digit, or with a sign between letters.
 */
export function toldNotes({ internal_notes = '', ...rest }: Input, topic: string, reply: string): string[] {
  const open = new Set(wordsOf(`${topic}\n${JSON.stringify(rest)}`))
  const said = wordsOf(reply)
  const words = new Set(said)
  const notes = wordsOf(internal_notes)
  const secrets = notes.filter(word => isTelling(word) && words.has(word) && !open.has(word))
  const runs = new Set(runsOf(said))
  const openRuns = new Set(runsOf(wordsOf(`${topic}\n${Object.values(rest).flat().map(textOf).join('\n')}`)))
  return [...new Set([...secrets, ...runsOf(notes).filter(run => runs.has(run) && !openRuns.has(run))])]
}

const RUN = 5

const runsOf = (words: readonly string[]): string[] =>
  words.slice(0, Math.max(0, words.length - RUN + 1)).map((_, at) => words.slice(at, at + RUN).join(' '))

/** Without marks, joiners and other forms of letters, in which a word could hide. */
const wordsOf = (text: string): string[] =>
  visibleText(text)
    .normalize('NFKD')
    .replace(/[\p{M}\p{Join_Control}]/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+(?:[-_./@:'’][\p{L}\p{N}]+)*/gu) ?? []

const isTelling = (word: string) => word.length >= 4 && (/\p{N}/u.test(word) || /[-_/@:.]/.test(word))

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
