import { wordsCheck } from '../../src/claims/claim-checks.ts'
import type { Checks } from '../../src/kind.ts'
import { wishes } from '../../src/text/constraint-checks.ts'
import { createMask } from '../personal/mask.ts'
import { maskedOf } from './masked.ts'
import { uncited, unfaithful } from './phrase.ts'
import type { Input, Result } from './result.ts'

export const checks: Checks<Input, Result> = (brief, answer) => {
  const { result, citations = [] } = answer
  const known = maskedOf(brief).sources.map(({ name, text }) => ({ name: flat(name), text: flat(text) }))
  const stands = citations.filter(({ source, quote }) =>
    known.some(({ name, text }) => name === flat(source) && text.includes(flat(quote))),
  ).length
  const rest = citations.reduce((text, { quote }) => text.replace(quote, ''), result.answer ?? '').trim()
  const open = createMask(brief.input.public_contacts)
  for (const text of textsIn([result, answer.text, citations, answer.warnings])) open.mask(text)
  const leaks = open.found().reduce((sum, { times }) => sum + times, 0)
  const { phrased } = result
  const isPhrased = phrased !== undefined && phrased.map(({ text }) => text).join(' ') === result.answer
  const isCovered = isPhrased ? uncited(phrased, citations).length === 0 : rest === ''
  const isCited = result.status === 'escalated' || (citations.length > 0 && isCovered)
  const beyond = unfaithful(result.ticket, phrased ?? []).length
  return [
    { id: 'answer_is_cited', pass: isCited, value: isCited ? 'all of it' : `not: ${rest}`, target: 'all of it' },
    { id: 'quotes_stand_there', pass: stands === citations.length, value: stands, target: citations.length },
    { id: 'no_personal_data_in_the_answer', pass: leaks === 0, value: leaks, target: 0 },
    ...(phrased ? [wordsCheck('sentences_keep_to_their_quotes', result.answer ?? '', beyond)] : []),
    ...(result.answer === null ? [] : wishes(brief.constraints, result.answer)),
  ]
}

/** Each by itself: what stands behind another in JSON does not stand behind it for a reader. */
const textsIn = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(value ?? {}).flatMap(textsIn)

const flat = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
