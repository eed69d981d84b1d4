/** Measures a reply against its brief. One that tells what it must not is not delivered. */
import type { Check } from '../../src/answer.ts'
import type { Checks } from '../../src/kind.ts'
import { BadAnswer } from '../../src/run-rules.ts'
import { wishes } from '../../src/text/constraint-checks.ts'
import { wordsOf } from '../../src/text/english.ts'
import { filler } from '../../src/text/filler.ts'
import { grounding } from '../../src/text/grounding.ts'
import { languageOf } from '../../src/text/language.ts'
import { tone } from '../../src/text/tone.ts'
import { createMask } from '../personal/mask.ts'
import type { Input, Result } from './result.ts'
import { toldNotes } from './told-notes.ts'

export const checks: Checks<Input, Result> = (brief, { result }) => {
  const { input, topic } = brief
  const { subject, greeting, paragraphs, closing, unanswered } = result
  const reply = [greeting, ...paragraphs, closing].join('\n\n')
  const whole = [subject, reply, ...unanswered].join('\n')
  const notes = toldNotes(input, topic, whole)
  if (notes.length > 0) throw new BadAnswer('it tells internal notes')
  const mask = createMask(input.public_contacts)
  mask.mask(whole)
  const found = mask.found()
  if (found.some(({ kind }) => SECRET.has(kind))) throw new BadAnswer('it tells something secret')
  // A reply calls people by their names.
  const personal = found.filter(({ kind }) => kind !== 'name').reduce((sum, { times }) => sum + times, 0)
  const wanted = wantedLanguage(brief.language, input.message ?? topic)
  const language = languageOf(paragraphs.join('\n'))
  return [
    { id: 'internal_notes_told', pass: true, value: 0, target: 0 },
    { id: 'personal_data_in_the_reply', pass: personal === 0, value: personal, target: 0 },
    ...(wanted === 'und' ? [] : [{ id: 'language', pass: language === wanted, value: language, target: wanted }]),
    ...points(input.points ?? [], paragraphs.join('\n')),
    ...stands('customer', input.customer, greeting),
    ...stands('signature', input.signature, closing),
    ...grounding(brief, whole),
    ...filler(whole),
    ...tone(brief.tone, paragraphs.join('\n'), language),
    ...wishes(brief.constraints, reply, whole),
  ]
}

/** Nobody needs them back, not even the one whose they are. */
const SECRET: ReadonlySet<string> = new Set(['card', 'iban', 'social_security', 'secret', 'passport'])

const wantedLanguage = (asked: string | undefined, message: string): string =>
  asked === undefined ? languageOf(message) : (asked.toLowerCase().split('-')[0] ?? 'und')

/** A point is there where the reply has most of its longer words: wording is the writer’s. */
function points(asked: readonly string[], reply: string): Check[] {
  if (asked.length === 0) return []
  const words = new Set(wordsOf(reply).map(stem))
  const isThere = (point: string) => {
    const own = [
      ...new Set(
        wordsOf(point)
          .filter(word => word.length > 3)
          .map(stem),
      ),
    ]
    return own.filter(word => words.has(word)).length >= own.length / 2
  }
  const there = asked.filter(isThere).length
  return [{ id: 'points_with_most_of_their_words', pass: there === asked.length, value: there, target: asked.length }]
}

/** Its beginning, which endings leave alone. */
const stem = (word: string) => word.slice(0, 5)

const stands = (id: string, asked: string | undefined, text: string): Check[] => {
  if (asked === undefined) return []
  const isThere = text.includes(asked)
  return [{ id, pass: isThere, value: isThere ? 1 : 0, target: 1 }]
}
