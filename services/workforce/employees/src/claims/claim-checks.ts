/** What a text claims beyond its brief, as checks: of figures, of addresses, and of everything else that rules can find. */
import type { Check } from '../answer.ts'
import { languageOf } from '../text/language.ts'
import { type Claimed, isGrave, knowsWords, type Unfounded, unfounded } from './unfounded.ts'

/** Three checks. One that could not be made has not passed: there are rules of words for English alone. */
export function claimChecks(claimed: Claimed, found = unfounded(claimed)): Check[] {
  const figures = found.filter(({ group }) => group === 'figure')
  const links = found.filter(({ group }) => group === 'address')
  const rest = found.filter(({ group }) => group !== 'figure' && group !== 'address')
  return [
    // Figures are written in words, too, and those are known in English alone.
    wordsCheck('figures_stand_in_the_brief', claimed.text, figures.length, listedIn(figures)),
    { id: 'links_stand_in_the_brief', pass: links.length === 0, value: listedIn(links), target: '0' },
    wordsCheck('claims_stand_in_the_brief', claimed.text, rest.length, listedIn(rest)),
  ]
}

/** A check of words. It fails in a language without rules, as nobody looked for all faults there. */
export function wordsCheck(id: string, text: string, faults: number, value: string | number = faults): Check {
  const language = languageOf(text)
  const target = typeof value === 'number' ? 0 : '0'
  if (knowsWords(language) || faults > 0) return { id, pass: faults === 0, value, target }
  return { id, pass: false, value: `not checked: there are no rules for ${language}`, target }
}

const listedIn = (found: readonly Unfounded[]): string => listed(found.map(({ fault }) => fault))

const listed = (faults: readonly string[]): string =>
  faults.length === 0
    ? '0'
    : `${faults.length}: ${faults.slice(0, MOST_SHOWN).join(', ')}${faults.length > MOST_SHOWN ? ', …' : ''}`

const MOST_SHOWN = 5

/** What is wrong, in words for who wrote it. */
export const messagesOf = (found: readonly Unfounded[]): string[] =>
  found.slice(0, 20).map(({ fault }) => `${fault} stands nowhere in the brief`)

/** What may cost somebody money, rights or health, in words; undefined where nothing does. */
export function criticalFault(found: readonly Unfounded[]): string | undefined {
  const faults = found.filter(isGrave)
  return faults.length === 0 ? undefined : messagesOf(faults).join('; ')
}
