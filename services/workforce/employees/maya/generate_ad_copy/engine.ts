/** Makes the texts of ads from the facts of a brief: picks and joins, and writes nothing of its own. */
import type { Answer } from '../../src/answer.ts'
import { type Brief, Refusal } from '../../src/brief.ts'
import { advertisedIn } from '../../src/text/superlatives.ts'
import { type Fact, factsOf, groupsOf, plain } from '../facts.ts'
import { citationsOf, type Segment, textOf } from '../segments.ts'
import { candidatesFor, type Material } from './candidates.ts'
import { type Field, type Platform, type PlatformId, platformIds, platforms } from './fields.ts'
import type { Ad, Input, Lack, Part, Result } from './result.ts'

export const VARIANTS = 3

export function rules(brief: Brief<Input>): Answer<Result> {
  const { input, tone } = brief
  const material = materialOf(brief)
  const made = (input.platforms ?? platformIds).map(id => adsFor(id, material, input.variants ?? VARIANTS))
  const ads = made.flatMap(({ ads: own }) => own)
  if (ads.length === 0)
    throw new Refusal(
      'input.facts',
      'No fact is short enough for any of the fields: give shorter ones, of up to 90 characters.',
    )
  const lacks = made.flatMap(({ lacks: own }) => own)
  const { warnings = [], ...answer } = answerOf(brief, ads, lacks)
  if (tone.trim() === '') return { ...answer, warnings }
  return {
    ...answer,
    warnings: [
      ...warnings,
      'The words are those of your facts; a language model can give them the tone: ask for `engine` llm.',
    ],
  }
}

/** What ads are made of. Throws a `Refusal` where there is nothing to tell. */
export const materialOf = (brief: Brief<Input>): Material => ({
  groups: groupsOf(factsOf(brief)),
  product: one('product', brief.input.product) ?? one('topic', brief.topic),
  callToAction: one('call_to_action', brief.input.call_to_action),
  avoid: (brief.constraints.avoid ?? []).map(word => word.toLowerCase()),
})

export function answerOf(brief: Brief<Input>, ads: readonly Ad[], lacks: readonly Lack[]): Answer<Result> {
  const facts = factsOf(brief)
  const segments = ads.flatMap(({ parts }) => parts.flatMap(part => part.segments))
  const used = new Set(segments.map(({ source }) => source))
  const result: Result = {
    ads,
    lacks,
    superlatives: facts.flatMap(({ source, text }) => advertisedIn(text).map(word => ({ source, word }))),
    facts_left_out: facts.map(({ source }) => source).filter(source => !used.has(source)),
  }
  return {
    result,
    text: ads.map(readingOf).join('\n\n'),
    citations: citationsOf(segments),
    warnings: [
      ...result.lacks.map(lackLine),
      ...(result.superlatives.length > 0
        ? [
            `Platforms ask for proof of words like ${[...new Set(result.superlatives.map(({ word }) => `“${word}”`))].slice(0, 5).join(', ')}. They stand in your facts.`,
          ]
        : []),
    ],
  }
}

function adsFor(id: PlatformId, material: Material, variants: number): { ads: Ad[]; lacks: Lack[] } {
  const platform = platforms[id]
  const fields = platform.fields.map(field => ({ field, texts: candidatesFor(platform, field, material) }))
  const wanted = ({ least }: Field) => (platform.isResponsive ? least : Math.min(1, least))
  const lacks = fields
    .filter(({ field, texts }) => texts.length < wanted(field))
    .map(({ field, texts }) => ({
      platform: id,
      field: field.id,
      found: texts.length,
      wanted: field.least,
      limit: field.limit,
    }))
  if (platform.isResponsive) {
    const parts = fields.flatMap(({ field, texts }) => spread(field, texts).map(text => partOf(platform, field, text)))
    const hasAny = fields.every(({ field, texts }) => field.least === 0 || texts.length > 0)
    return { ads: hasAny ? [{ platform: id, variant: 1, parts }] : [], lacks }
  }
  const main = fields[0]?.texts ?? []
  const ads = main.slice(0, variants).map((_, at) => ({ platform: id, variant: at + 1, parts: partsOf(at) }))
  return { ads: lacks.length > 0 ? [] : ads, lacks }

  /** Each field has its next text, none of them one that the ad has already said. */
  function partsOf(at: number): Part[] {
    const said: string[] = []
    return fields.flatMap(({ field, texts }) => {
      const turned = texts.map((_, step) => texts[(at + step) % texts.length] ?? [])
      const fresh =
        turned.find(text => !said.some(other => overlap(other, textOf(text)))) ??
        (field.least > 0 ? turned[0] : undefined)
      if (!fresh) return []
      said.push(textOf(fresh))
      return [partOf(platform, field, fresh)]
    })
  }
}

/** Of texts that are shown together, those that begin with something new; others only where too few remain. */
function spread({ kind, least, most }: Field, texts: readonly Segment[][]): Segment[][] {
  if (kind !== 'text') return texts.slice(0, most)
  const said = new Set<string>()
  const fresh = texts.filter(text => {
    const [first] = text
    if (first === undefined || said.has(first.source)) return false
    for (const { source } of text) if (source !== 'layout') said.add(source)
    return true
  })
  const others = texts.filter(text => !fresh.includes(text))
  return [...fresh, ...others.slice(0, Math.max(0, least - fresh.length))].slice(0, most)
}

const overlap = (a: string, b: string): boolean =>
  a.toLowerCase().includes(b.toLowerCase()) || b.toLowerCase().includes(a.toLowerCase())

export function partOf({ lengthOf }: Platform, { id, limit }: Field, segments: readonly Segment[]): Part {
  const text = textOf(segments)
  return { field: id, text, length: lengthOf(text), limit, segments }
}

function one(source: string, text: string | undefined): Fact | undefined {
  const seen = plain(text ?? '')
  return seen === '' ? undefined : { source, text: seen }
}

const readingOf = ({ platform, variant, parts }: Ad): string =>
  [
    `${platforms[platform].name}, ${variant}`,
    ...parts.map(({ field, text }) => `${field.replaceAll('_', ' ')}: ${text}`),
  ].join('\n')

const lackLine = ({ platform, field, found, wanted, limit }: Lack): string =>
  `${platforms[platform].name} wants at least ${wanted} of the field ${field.replaceAll('_', ' ')}; ${found} could be made. Give facts of up to ${limit} characters.`
