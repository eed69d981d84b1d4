/** A text in pieces, each with where it comes from, so that anybody can look up what is claimed. */
import type { Check, Citation } from '../src/answer.ts'
import type { Brief, Constraints } from '../src/brief.ts'
import { countWords } from '../src/text/constraint-checks.ts'
import { type FactsInput, factsOf, plain } from './facts.ts'

export interface Segment {
  readonly text: string
  /** A place in the brief, such as `facts[0]`; `layout` for signs and spaces between. */
  readonly source: string
  /** Of what a language model phrased: what stands at its source, word for word. */
  readonly phrased_from?: string
}

/** What stands between pieces of the brief, and says nothing. */
const layouts = new Set([' ', ': ', '\n', '\n\n', '.', '。', '– ', '\n– ', '#', ' #'])

export const layout = (text: string): Segment => ({ text, source: 'layout' })

export const textOf = (segments: readonly Segment[]): string => segments.map(({ text }) => text).join('')

export const citationsOf = (segments: readonly Segment[]): Citation[] =>
  [
    ...new Map(
      segments.filter(({ source }) => source !== 'layout').map(one => [`${one.source}\n${standingOf(one)}`, one]),
    ).values(),
  ].map(one => ({ source: one.source, quote: standingOf(one) }))

/** What of the brief it is, or was made from. */
const standingOf = ({ text, phrased_from = text }: Segment): string => phrased_from

/** Pieces whose source is not among the citations. */
export const uncited = (segments: readonly Segment[], citations: readonly Citation[]): readonly Segment[] => {
  const cited = new Set(citations.map(({ source, quote }) => `${source}\n${quote}`))
  return segments.filter(one => one.source !== 'layout' && !cited.has(`${one.source}\n${standingOf(one)}`))
}

/** Pieces of text that do not stand in the brief where they say that they do. `others` are its fields besides the facts. */
export function untraceable(
  brief: Brief<FactsInput>,
  others: Readonly<Record<string, string | undefined>>,
  segments: readonly Segment[],
): readonly Segment[] {
  const facts = new Map(factsOf(brief).map(({ source, text }) => [source, text]))
  return segments.filter(segment => {
    const { source } = segment
    const text = standingOf(segment)
    if (source === 'layout') return !layouts.has(text)
    const own = Object.hasOwn(others, source) ? others[source] : undefined
    if (own !== undefined) return !(own.includes(text) || plain(own).includes(text))
    return !facts.get(source)?.includes(text)
  })
}

/** What was wished for, measured on each of several texts: the worst counts. */
export function wishes(constraints: Constraints, texts: readonly string[]): Check[] {
  const { min_words, max_words, must_include = [], avoid = [] } = constraints
  const counts = texts.map(countWords)
  const has = (text: string, word: string) => text.toLowerCase().includes(word.toLowerCase())
  const included = texts.filter(text => must_include.every(word => has(text, word))).length
  const avoided = texts.filter(text => !avoid.some(word => has(text, word))).length
  const [least, most] = [Math.min(...counts), Math.max(...counts)]
  return [
    ...(min_words === undefined
      ? []
      : [{ id: 'min_words', pass: least >= min_words, value: least, target: min_words }]),
    ...(max_words === undefined ? [] : [{ id: 'max_words', pass: most <= max_words, value: most, target: max_words }]),
    ...(must_include.length === 0
      ? []
      : [{ id: 'must_include', pass: included === texts.length, value: included, target: texts.length }]),
    ...(avoid.length === 0
      ? []
      : [{ id: 'avoid', pass: avoided === texts.length, value: avoided, target: texts.length }]),
  ]
}
