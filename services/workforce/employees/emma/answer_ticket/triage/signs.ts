/** Signs in a ticket, word by word, that stand unless it says that they are not so. */
import { folded } from '../../../src/text/plain-text.ts'

/** What of a pattern stands in a ticket, in small letters, each once. */
export function signsIn(
  ticket: string,
  pattern: RegExp,
  isMeant: (found: string, before: string) => boolean,
): string[] {
  const text = folded(ticket).toLowerCase()
  const found = Array.from(text.matchAll(pattern))
    .filter(({ 0: sign, index }) => {
      const before = text.slice(Math.max(0, index - BEFORE), index)
      return !denied.test(before) && isMeant(sign, before)
    })
    .map(([sign]) => sign)
  return [...new Set(found)]
}

/** Whole words, with any one space between them. */
export function patternOf(alternatives: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives.replaceAll(' ', '\\s')})(?![\\p{L}\\p{N}])`, 'gu')
}

/** Before a sign, what says that it is not so: “this is not an emergency”. Looked for in so many characters. */
const denied =
  /(?<![\p{L}\p{N}])(?:not|no|never|without|hardly|neither|nor|\p{L}+n't)\s(?:(?:a|an|any|at|all|been|being|exactly|longer|particularly|really|so|terribly|that|the|this|too|very|yet)\s){0,3}$/u
const BEFORE = 60
