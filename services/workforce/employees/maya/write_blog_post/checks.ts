/** Measures a post against its brief. */
import type { Check } from '../../src/answer.ts'
import type { Brief } from '../../src/brief.ts'
import { claimChecks, criticalFault, messagesOf } from '../../src/claims/claim-checks.ts'
import { type Claimed, unfounded } from '../../src/claims/unfounded.ts'
import type { Checks, Doubts } from '../../src/kind.ts'
import { BadAnswer } from '../../src/run-rules.ts'
import { wishes } from '../../src/text/constraint-checks.ts'
import { filler } from '../../src/text/filler.ts'
import { languageCheck, languageOf } from '../../src/text/language.ts'
import { textIn } from '../../src/text/text-files.ts'
import { tone } from '../../src/text/tone.ts'
import { sectionChecks, sectionFaults } from './sections.ts'

export const checks: Checks<Input, Result> = (brief, { result }) => {
  const { title, summary, sections, tags } = result
  const { outline = [], keywords = [], call_to_action: call } = brief.input
  const headings = sections.flatMap(({ heading }) => heading ?? [])
  const texts = sections.map(({ text }) => text)
  const body = sections.map(({ heading, text }) => `${heading ?? ''}\n${text}`).join('\n\n')
  const whole = [title, summary, body, ...tags].join('\n')
  const language = languageOf(texts.join('\n'))
  const claimed = claimedIn(brief, result)
  const found = unfounded(claimed)
  const critical = criticalFault(found)
  if (critical !== undefined) throw new BadAnswer(critical)
  return [
    { id: 'title_characters', pass: title.length <= 70, value: title.length, target: 70 },
    { id: 'summary_characters', pass: summary.length <= 160, value: summary.length, target: 160 },
    ...(brief.language === undefined
      ? []
      : [languageCheck(texts.join('\n'), brief.language.toLowerCase().split('-')[0] ?? '')]),
    ...outlineKept(outline, headings),
    ...counted('keywords', keywords, keyword => has(`${title}\n${body}`, keyword)),
    ...counted('call_to_action', call === undefined ? [] : [call], text => (texts.at(-1) ?? '').includes(text)),
    ...sectionChecks(sections, claimed.from, language),
    ...claimChecks(claimed, found),
    ...filler(whole),
    ...tone(brief.tone, texts.join('\n'), language),
    ...wishes(brief.constraints, body, whole),
  ]
}

/** What a post claims that its brief does not hold, and sections that say nothing: it is asked for again. */
export const doubts: Doubts<Input, Result> = (brief, result) => {
  const claimed = claimedIn(brief, result)
  return [...messagesOf(unfounded(claimed)), ...sectionFaults(result.sections, claimed.from, languageOf(claimed.text))]
}

function claimedIn({ topic, audience, constraints, input, files }: Brief<Input>, result: Result): Claimed {
  const { title, summary, sections, tags } = result
  const { facts = [], outline = [], keywords = [], call_to_action: call = '' } = input
  const texts = sections.flatMap(({ heading, text }) => [heading ?? '', text])
  return {
    text: [title, summary, ...texts, ...tags].join('\n\n'),
    from: [
      topic,
      ...facts,
      ...outline,
      ...keywords,
      call,
      ...(constraints.must_include ?? []),
      ...files.map((file, at) => textIn(file, `files[${at}]`)),
    ],
    about: [audience ?? ''],
  }
}

const has = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase())
const same = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase()

/** How many of the headings asked for are there in their order. */
function outlineKept(outline: readonly string[], headings: readonly string[]): Check[] {
  let from = 0
  return counted('outline_kept', outline, heading => {
    const at = headings.findIndex((own, place) => place >= from && same(own, heading))
    if (at >= 0) from = at + 1
    return at >= 0
  })
}

/** How many of what was asked for are there; nothing where nothing was. */
function counted(id: string, asked: readonly string[], isThere: (one: string) => boolean): Check[] {
  if (asked.length === 0) return []
  const there = asked.filter(isThere).length
  return [{ id, pass: there === asked.length, value: there, target: asked.length }]
}

/** The types of `input.schema.json` and `output.schema.json`. */

export interface Input {
  readonly facts?: readonly string[]
  readonly outline?: readonly string[]
  readonly keywords?: readonly string[]
  readonly call_to_action?: string
}

export interface Result {
  readonly title: string
  readonly slug: string
  readonly summary: string
  readonly sections: readonly { readonly heading: string | null; readonly text: string }[]
  readonly tags: readonly string[]
}
