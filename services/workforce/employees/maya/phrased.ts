/** Facts in other words: what a language model is given of them, and whether what it wrote keeps to them. */
import { type Brief, Refusal } from '../src/brief.ts'
import { beyond, isClose } from '../src/claims/phrased.ts'
import { BadAnswer } from '../src/run-rules.ts'
import { isLimited } from '../src/text/conditions.ts'
import { languageOf } from '../src/text/language.ts'
import { type FactsInput, factsOf, firstOf, type Group, groupsOf, plain } from './facts.ts'
import { layout, type Segment } from './segments.ts'

/** A sentence as the language model says it: of one fact, by its place. */
export interface Sentence {
  readonly source: string
  readonly text: string
}

/** Throws a `Refusal` where the texts should be in another language than their facts: then nothing could be measured. */
export function requireSameLanguage({ language }: Pick<Brief, 'language'>, groups: readonly Group[]): void {
  const known = languageOf(
    groups
      .flat()
      .map(({ text }) => text)
      .join('\n'),
  )
  const asked = language?.toLowerCase().split('-')[0]
  if (asked === undefined || known === 'und' || asked === known) return
  throw new Refusal(
    'language',
    `The facts are in ${known}. Whether a text in ${asked} keeps to them can't be measured: give facts in that language.`,
  )
}

/** Sentences as pieces with spaces between. `others` are what may be told besides the facts, by its place. */
export function segmentsOf(
  sentences: readonly Sentence[],
  groups: readonly Group[],
  others: Readonly<Record<string, string | undefined>> = {},
): Segment[] {
  const known = new Map([
    ...Object.entries(others).flatMap(([source, text]) => (text === undefined ? [] : [[source, text] as const])),
    ...groups.flat().map(({ source, text }) => [source, text] as const),
  ])
  return sentences.flatMap(({ source, text }, at) => {
    const from = known.get(source)
    if (from === undefined) throw new BadAnswer(`there is nothing at ${source.slice(0, 60)}`)
    return [...(at === 0 ? [] : [layout(' ')]), { text: plain(text), source, phrased_from: from }]
  })
}

/** What is wrong with the phrased pieces of one text, in words for who wrote them. */
export function unfaithful(
  brief: Brief<FactsInput & { readonly product?: string }>,
  segments: readonly Segment[],
): string[] {
  const groups = groupsOf(factsOf(brief))
  const about = plain([brief.topic, brief.input.product].join('\n'))
  const bySource = Map.groupBy(
    segments.filter(({ phrased_from: from }) => from !== undefined),
    ({ source }) => source,
  )
  const wrong = [...bySource].flatMap(([source, own]) => {
    const text = own.map(one => one.text).join(' ')
    const from = own[0]?.phrased_from ?? ''
    // What leans on a fact may call it by its name.
    const group = groups.find(one => one.some(fact => fact.source === source)) ?? []
    const names = [about, ...group.map(fact => fact.text)].join('\n')
    return [
      ...beyond({ text, from, about: group.length > 1 ? names : about }),
      ...(isClose({ text, from, about: names }) ? [] : ['most of its words stand nowhere there']),
      ...(isLimited(from) && !isLimited(text) ? ['it leaves out the condition'] : []),
    ].map(fault => `${source}: ${fault}`)
  })
  const cut = groups.flatMap(group => {
    const count = group.findLastIndex(({ source }) => bySource.has(source)) + 1
    const isCut = count > 0 && firstOf(group, count).length === 0
    return isCut ? [`${group[count]?.source}: it limits what is told before it, and is left out`] : []
  })
  return [...wrong, ...cut]
}

/** How many sentences, at most, are told to be wrong at once. */
const MOST_FAULTS = 20

/** Throws a `BadAnswer` with what is wrong, where something is. */
export function requireFaultless(faults: readonly string[]): void {
  if (faults.length > 0) throw new BadAnswer(faults.slice(0, MOST_FAULTS).join('; '))
}
