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
    checkOf('figures_stand_in_the_brief', figures),
    checkOf('links_stand_in_the_brief', links),
    claimsCheck('claims_stand_in_the_brief', rest, claimed.text),
  ]
}

/** One check; failed where the text is in a language without rules of words. */
function claimsCheck(id: string, found: readonly Unfounded[], text: string): Check {
  const language = languageOf(text)
  if (knowsWords(language) || found.length > 0) return checkOf(id, found)
  return { id, pass: false, value: `not checked: there are no rules for ${language}`, target: '0' }
}

function checkOf(id: string, found: readonly Unfounded[]): Check {
  return { id, pass: found.length === 0, value: listed(found.map(({ fault }) => fault)), target: '0' }
}

const listed = (faults: readonly string[]): string =>
  faults.length === 0
    ? '0'
    : `${faults.length}: ${faults.slice(0, MOST_SHOWN).join(', ')}${faults.length > MOST_SHOWN ? ', …' : ''}`

const MOST_SHOWN = 5

/** What is wrong, in words for who wrote it. */
export const saidOf = (found: readonly Unfounded[]): string[] =>
  found.slice(0, 20).map(({ fault }) => `${fault} stands nowhere in the brief`)

/** What may cost somebody money, rights or health, in words; undefined where nothing does. */
export function graveIn(found: readonly Unfounded[]): string | undefined {
  const faults = found.filter(isGrave)
  return faults.length === 0 ? undefined : saidOf(faults).join('; ')
}
