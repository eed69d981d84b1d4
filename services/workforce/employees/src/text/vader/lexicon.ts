/** What VADER knows of words: `lexicon.tsv`, which `convert.py` makes from the Python package (MIT, see LICENSE.txt). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Of words in small letters, and of emoticons. */
export const lexicon = new Map<string, number>()
/** What each emoji shows, in words. */
export const emojis = new Map<string, string>()
/** Words of degree, and what they add. */
export const boosters = new Map<string, number>()
export const negations = new Set<string>()
/** Idioms that weigh as a whole. */
export const specialCases = new Map<string, number>()

const take: Readonly<Record<string, (term: string, value: string) => unknown>> = {
  word: (term, value) => lexicon.set(term, Number(value)),
  emoji: (term, value) => emojis.set(term, value),
  booster: (term, value) => boosters.set(term, Number(value)),
  negation: term => negations.add(term),
  phrase: (term, value) => specialCases.set(term, Number(value)),
}

for (const line of readFileSync(join(import.meta.dirname, 'lexicon.tsv'), 'utf8').split('\n')) {
  const [kind = '', term = '', value = ''] = line.split('\t')
  take[kind]?.(term, value)
}
