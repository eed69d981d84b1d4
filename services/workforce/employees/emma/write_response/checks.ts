/** Measures a reply against its brief. One that tells what it must not is not delivered. */
import type { Check } from '../../src/answer.ts'
import type { Brief } from '../../src/brief.ts'
import { claimChecks, criticalFault, messagesOf } from '../../src/claims/claim-checks.ts'
import { type Claimed, unfounded } from '../../src/claims/unfounded.ts'
import type { Checks, Doubts } from '../../src/kind.ts'
import { BadAnswer } from '../../src/run-rules.ts'
import { wishes } from '../../src/text/constraint-checks.ts'
import { wordsOf } from '../../src/text/english.ts'
import { filler } from '../../src/text/filler.ts'
import { languageCheck, languageOf } from '../../src/text/language.ts'
import { repetitions } from '../../src/text/repetitions.ts'
import { textIn } from '../../src/text/text-files.ts'
import { tone } from '../../src/text/tone.ts'
import { createMask, type Masked } from '../personal/mask.ts'
import { copyCheck } from './copy-of-message.ts'
import { paragraphChecks } from './paragraphs.ts'
import type { Input, Result } from './result.ts'
import { toldNotes } from './told-notes.ts'

export const checks: Checks<Input, Result> = (brief, { result }) => {
  const { input, topic } = brief
  const { greeting, paragraphs, closing } = result
  const reply = [greeting, ...paragraphs, closing].join('\n\n')
  const whole = wholeOf(result)
  requireNothingSecret(brief, whole)
  const claimed = claimedIn(brief, result)
  const found = unfounded(claimed)
  const critical = criticalFault(found)
  if (critical !== undefined) throw new BadAnswer(critical)
  // A reply calls people by their names.
  const personal = foundIn(brief, whole)
    .filter(({ kind }) => kind !== 'name')
    .reduce((sum, { times }) => sum + times, 0)
  const wanted = wantedLanguage(brief.language, input.message ?? topic)
  const language = languageOf(paragraphs.join('\n'))
  return [
    ...(input.internal_notes === undefined ? [] : [{ id: 'no_internal_notes', pass: true, value: 0, target: 0 }]),
    { id: 'no_personal_data', pass: personal === 0, value: personal, target: 0 },
    ...(wanted === 'und' ? [] : [languageCheck(paragraphs.join('\n'), wanted)]),
    ...saidChecks(brief, result, claimed),
    ...paragraphChecks(paragraphs, spokenOf(claimed), language).map(({ check }) => check),
    ...claimChecks(claimed, found),
    ...filler(whole),
    ...tone(brief.tone, paragraphs.join('\n'), language),
    ...wishes(brief.constraints, reply, whole),
  ]
}

/** What a reply claims that its brief does not hold, and what it leaves out: it is asked for again. Throws a `BadAnswer` for a secret, which is not. */
export const doubts: Doubts<Input, Result> = (brief, result) => {
  requireNothingSecret(brief, wholeOf(result))
  const { paragraphs } = result
  const claimed = claimedIn(brief, result)
  const checked = paragraphChecks(paragraphs, spokenOf(claimed), languageOf(paragraphs.join('\n')))
  return [
    ...messagesOf(unfounded(claimed)),
    ...[...saidChecks(brief, result, claimed), ...checked.flatMap(({ check, isChecked }) => (isChecked ? check : []))]
      .filter(({ pass }) => !pass)
      .map(({ id, value, target }) => `${id.replaceAll('_', ' ')}: ${value}, and should be ${target}`),
  ]
}

/** What the reply may speak of: what it answers, too. */
const spokenOf = ({ from, about = [] }: Claimed) => [...from, ...about]

/** Whether it says what it was asked to, once, and in words of its own. */
function saidChecks({ input }: Brief<Input>, result: Result, { from }: Claimed): Check[] {
  const { points: asked = [], customer, signature, message } = input
  const { greeting, paragraphs, closing } = result
  const repeated = repetitions([greeting, ...paragraphs, closing].join('\n\n'))
  return [
    ...points(asked, paragraphs.join('\n')),
    ...stands('customer', customer, greeting),
    ...stands('signature', signature, closing),
    { id: 'no_sentence_twice', pass: repeated === 0, value: repeated, target: 0 },
    ...(message === undefined ? [] : copyCheck(message, from, paragraphs)),
  ]
}

const wholeOf = ({ subject, greeting, paragraphs, closing, unanswered }: Result): string =>
  [subject, [greeting, ...paragraphs, closing].join('\n\n'), ...unanswered].join('\n')

/** The notes are no source: a reply tells nothing of them. The topic and what the customer wrote are spoken of, and prove nothing. */
function claimedIn({ topic, audience, constraints, input, files }: Brief<Input>, result: Result): Claimed {
  const { message = '', customer, points = [], knowledge = [], signature, public_contacts = [] } = input
  const { subject, greeting, paragraphs, closing } = result
  return {
    text: [subject, greeting, ...paragraphs, closing].join('\n\n'),
    from: [
      ...points,
      ...knowledge.map(({ title, text }) => `${title}\n${text}`),
      ...files.map((file, at) => textIn(file, `files[${at}]`)),
      ...public_contacts,
      ...(constraints.must_include ?? []),
      signature ?? '',
    ],
    about: [topic, message, customer ?? '', audience ?? ''],
  }
}

function requireNothingSecret(brief: Brief<Input>, whole: string): void {
  if (toldNotes(brief.input, brief.topic, whole).length > 0) throw new BadAnswer('it tells internal notes')
  if (foundIn(brief, whole).some(({ kind }) => SECRET.has(kind))) throw new BadAnswer('it tells something secret')
}

function foundIn({ input }: Brief<Input>, whole: string): readonly Masked[] {
  const mask = createMask(input.public_contacts)
  mask.mask(whole)
  return mask.found()
}

/** Nobody needs them back, not even the one whose they are. */
const SECRET: ReadonlySet<string> = new Set(['card', 'iban', 'social_security', 'secret', 'passport'])

const wantedLanguage = (asked: string | undefined, message: string): string =>
  asked === undefined ? languageOf(message) : (asked.toLowerCase().split('-')[0] ?? 'und')

/** A point is there where the reply has most of its longer words, or of all where it has none: wording is the writer’s. */
function points(asked: readonly string[], reply: string): Check[] {
  if (asked.length === 0) return []
  const words = new Set(wordsOf(reply).map(stem))
  const isThere = (point: string) => {
    const all = wordsOf(point)
    const long = all.filter(word => word.length > 3)
    const own = [...new Set((long.length > 0 ? long : all).map(stem))]
    const there = own.filter(word => words.has(word)).length
    if (own.length === 0) return reply.includes(point.trim())
    return there > 0 && there >= own.length / 2
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
