/** Measures a post against its brief. */
import type { Check } from '../../src/answer.ts'
import type { Checks } from '../../src/kind.ts'
import { wishes } from '../../src/text/constraint-checks.ts'
import { filler } from '../../src/text/filler.ts'
import { grounding } from '../../src/text/grounding.ts'
import { languageOf } from '../../src/text/language.ts'
import { sentencesOf } from '../../src/text/sentences.ts'
import { tone } from '../../src/text/tone.ts'

export const checks: Checks<Input, Result> = (brief, { result }) => {
  const { title, summary, sections, tags } = result
  const { outline = [], keywords = [], call_to_action: call } = brief.input
  const headings = sections.flatMap(({ heading }) => heading ?? [])
  const texts = sections.map(({ text }) => text)
  const body = sections.map(({ heading, text }) => `${heading ?? ''}\n${text}`).join('\n\n')
  const whole = [title, summary, body, ...tags].join('\n')
  const language = languageOf(texts.join('\n'))
  const repeated = repetitions(texts.join('\n'))
  return [
    { id: 'title_characters', pass: title.length <= 70, value: title.length, target: 70 },
    { id: 'summary_characters', pass: summary.length <= 160, value: summary.length, target: 160 },
    ...(brief.language === undefined ? [] : [inLanguage(language, brief.language)]),
    ...counted('outline_kept', outline, heading => headings.some(own => same(own, heading))),
    ...counted('keywords', keywords, keyword => has(whole, keyword)),
    ...counted('call_to_action', call === undefined ? [] : [call], text => (texts.at(-1) ?? '').includes(text)),
    { id: 'sentences_said_twice', pass: repeated === 0, value: repeated, target: 0 },
    ...grounding(brief, whole),
    ...filler(whole),
    ...tone(brief.tone, texts.join('\n'), language),
    ...wishes(brief.constraints, body, whole),
  ]
}

const has = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase())
const same = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase()

const inLanguage = (found: string, wanted: string): Check => {
  const plain = wanted.toLowerCase().split('-')[0] ?? ''
  return { id: 'language', pass: found === plain, value: found, target: plain }
}

/** How many of what was asked for are there; nothing where nothing was. */
function counted(id: string, asked: readonly string[], isThere: (one: string) => boolean): Check[] {
  if (asked.length === 0) return []
  const there = asked.filter(isThere).length
  return [{ id, pass: there === asked.length, value: there, target: asked.length }]
}

/** Sentences of four words and more that stood there before. */
function repetitions(text: string): number {
  const seen = new Set<string>()
  return sentencesOf(text).filter(({ start, end }) => {
    const sentence = text.slice(start, end).toLowerCase().replaceAll(/\s+/g, ' ')
    if (sentence.split(' ').length < 4) return false
    const isKnown = seen.has(sentence)
    seen.add(sentence)
    return isKnown
  }).length
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
