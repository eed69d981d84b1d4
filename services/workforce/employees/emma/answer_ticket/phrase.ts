/** The answer to a ticket in the words of a language model: from the sentences that the rules found, and nothing else. */
import type { Citation } from '../../src/answer.ts'
import { beyond, isClose } from '../../src/claims/phrased.ts'
import type { Phrase } from '../../src/kind.ts'
import { BadAnswer } from '../../src/run-rules.ts'
import { isLimited } from '../../src/text/conditions.ts'
import { visibleText } from '../../src/text/visible-text.ts'
import { createMask } from '../personal/mask.ts'
import { readingOf, rules } from './engine.ts'
import type { Input, Result } from './result.ts'

interface Words {
  readonly sentences: readonly { readonly quote: number; readonly text: string }[]
}

export const phrase: Phrase<Input, Result, Words> = async (brief, asked) => {
  const { tone, audience, constraints } = brief
  const byRules = await rules({ ...brief, tone: '' }, asked)
  const { result, citations = [], warnings = [] } = byRules
  if (result.status === 'escalated') return byRules
  return {
    // What is masked is not shown either.
    shown: {
      ticket: result.ticket,
      quotes: citations.map(({ quote }, at) => ({ quote: at + 1, text: quote })),
      tone,
      audience,
      language: result.language,
      constraints,
    },
    answerWith({ sentences }) {
      const phrased = sentences.map(({ quote, text }) => ({
        text: visibleText(text).replaceAll(/\s+/g, ' ').trim(),
        quote: citations[quote - 1]?.quote ?? '',
      }))
      const answer = phrased.map(({ text }) => text).join(' ')
      const mask = createMask(brief.input.public_contacts)
      mask.mask(answer)
      if (mask.found().length > 0) throw new BadAnswer('it tells something personal')
      const faults = unfaithful(result.ticket, phrased)
      if (faults.length > 0) throw new BadAnswer(faults.join('; '))
      const used = citations.filter(({ quote }) => phrased.some(one => one.quote === quote))
      const whole = phrased.length === 0 ? escalated(result) : { ...result, answer, phrased }
      return {
        result: whole,
        text: readingOf(whole, used),
        citations: used,
        warnings: phrased.length === 0 ? [] : warnings,
      }
    },
  }
}

/** What in phrased sentences is not in the quotes that they were made from. */
export function unfaithful(ticket: string, phrased: NonNullable<Result['phrased']>): string[] {
  const byQuote = Map.groupBy(phrased, ({ quote }) => quote)
  return [...byQuote].flatMap(([from, own], at) => {
    const text = own.map(one => one.text).join(' ')
    return [
      ...(from === '' ? ['there is no such quote'] : []),
      ...beyond({ text, from, about: namesOf(byQuote.keys()) }),
      ...(isClose({ text, from, about: ticket }) ? [] : ['most of its words stand nowhere there']),
      ...(isLimited(from) && !isLimited(text) ? ['it leaves out the condition'] : []),
    ].map(fault => `of quote ${at + 1} in the answer: ${fault}`)
  })
}

/** Without their figures: one that is true of something may be false of something else. */
const namesOf = (quotes: Iterable<string>) => [...quotes].join('\n').replaceAll(/\d/g, '')

/** The model sees that the sentences do not answer what is asked. */
const escalated = (result: Result): Result => ({
  ...result,
  status: 'escalated',
  answer: null,
  reason: { code: 'not_covered', message: 'What the knowledge says nearest to it does not answer this.' },
})

/** The quotes that an answer has no citation for. */
export const uncited = (phrased: NonNullable<Result['phrased']>, citations: readonly Citation[]): readonly string[] =>
  phrased.map(({ quote }) => quote).filter(quote => citations.every(one => one.quote !== quote))
