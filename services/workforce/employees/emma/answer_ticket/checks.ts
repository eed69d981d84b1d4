import type { Checks } from '../../../src/kind.ts'
import { textOfFile } from '../../../src/text/text-files.ts'
import { visibleText } from '../../../src/text/visible-text.ts'
import { wishes } from '../../../src/text/wishes.ts'
import { createMask } from '../personal/mask.ts'
import { uncited, unfaithful } from './phrase.ts'
import type { Input, Result } from './result.ts'

export const checks: Checks<Input, Result> = (brief, answer) => {
  const { result, citations = [] } = answer
  const mask = createMask(brief.input.public_contacts)
  const masked = (text: string) => flat(mask.mask(visibleText(text)))
  // In the order in which the engine masks, so that the placeholders are the same.
  masked([brief.input.subject ?? '', brief.input.ticket].filter(text => text !== '').join('\n'))
  const known = [
    ...(brief.input.knowledge ?? []).map(({ title, source, text }) => ({ name: source ?? title, text })),
    ...brief.files.map((file, at) => ({ name: file.name, text: textOfFile(file, `files[${at}]`) })),
  ].map(({ name, text }) => ({ name: masked(name), text: masked(text) }))
  const stands = citations.filter(({ source, quote }) =>
    known.some(({ name, text }) => name === flat(source) && text.includes(flat(quote))),
  ).length
  const rest = citations.reduce((text, { quote }) => text.replace(quote, ''), result.answer ?? '').trim()
  const open = createMask(brief.input.public_contacts)
  open.mask(JSON.stringify([result, answer.text, citations, answer.warnings]))
  const leaks = open.found().reduce((sum, { times }) => sum + times, 0)
  const { phrased } = result
  const isPhrased = phrased !== undefined && phrased.map(({ text }) => text).join(' ') === result.answer
  const isCovered = isPhrased ? uncited(phrased, citations).length === 0 : rest === ''
  const isCited = result.status === 'escalated' || (citations.length > 0 && isCovered)
  const beyond = unfaithful(result.ticket, phrased ?? []).length
  return [
    { id: 'answer_is_cited', pass: isCited, value: isCited ? 'all of it' : `not: ${rest}`, target: 'all of it' },
    { id: 'quotes_stand_there', pass: stands === citations.length, value: stands, target: citations.length },
    { id: 'personal_data_in_the_answer', pass: leaks === 0, value: leaks, target: 0 },
    ...(phrased ? [{ id: 'sentences_beyond_their_quotes', pass: beyond === 0, value: beyond, target: 0 }] : []),
    ...(result.answer === null ? [] : wishes(brief.constraints, result.answer)),
  ]
}

const flat = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
