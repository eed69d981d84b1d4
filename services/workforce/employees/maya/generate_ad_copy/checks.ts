import { wordsCheck } from '../../src/claims/claim-checks.ts'
import type { Checks } from '../../src/kind.ts'
import { advertisedIn } from '../../src/text/superlatives.ts'
import { factsOf, plain } from '../facts.ts'
import { unfaithful } from '../phrased.ts'
import { textOf, uncited, untraceable } from '../segments.ts'
import { platforms } from './fields.ts'
import type { Input, Result } from './result.ts'

export const checks: Checks<Input, Result> = (brief, { result, citations = [] }) => {
  const { input, topic, constraints } = brief
  const parts = result.ads.flatMap(({ platform, parts: own }) => own.map(part => ({ ...part, platform })))
  const within = parts.filter(({ platform, field, text, length, limit }) => {
    const { lengthOf, fields } = platforms[platform]
    const asked = fields.find(({ id }) => id === field)
    return asked !== undefined && limit === asked.limit && lengthOf(text) === length && length <= limit
  }).length
  const others = { product: input.product, topic, call_to_action: input.call_to_action }
  const strange = parts.flatMap(({ field, text, segments }) => {
    if (textOf(segments) !== text) return segments
    if (field !== 'path') return untraceable(brief, others, segments)
    const name = lettersOf(input.product ?? topic)
    return segments.filter(segment => !name.includes(lettersOf(segment.text)))
  }).length
  const known = plain(
    [topic, input.product, input.call_to_action, ...factsOf(brief).map(({ text }) => text)].join(' '),
  ).toLowerCase()
  const claims = parts
    .flatMap(({ text }) => advertisedIn(text))
    .filter(word => !known.includes(word.toLowerCase())).length
  const without = uncited(
    parts.flatMap(({ segments }) => segments),
    citations,
  ).length
  const avoid = (constraints.avoid ?? []).filter(word =>
    parts.some(({ text }) => text.toLowerCase().includes(word.toLowerCase())),
  )
  const include = constraints.must_include ?? []
  const whole = parts.map(({ text }) => text.toLowerCase()).join('\n')
  const included = include.filter(word => whole.includes(word.toLowerCase())).length
  const isPhrased = parts.some(({ segments }) => segments.some(one => one.phrased_from !== undefined))
  const beyond = parts.flatMap(({ segments }) => unfaithful(brief, segments)).length
  return [
    { id: 'texts_within_their_limits', pass: within === parts.length, value: within, target: parts.length },
    { id: 'no_pieces_outside_the_brief', pass: strange === 0, value: strange, target: 0 },
    { id: 'no_pieces_without_a_citation', pass: without === 0, value: without, target: 0 },
    { id: 'no_superlatives_outside_the_brief', pass: claims === 0, value: claims, target: 0 },
    { id: 'no_fields_that_lack_texts', pass: result.lacks.length === 0, value: result.lacks.length, target: 0 },
    ...(isPhrased
      ? [wordsCheck('sentences_keep_to_their_facts', parts.map(({ text }) => text).join('\n'), beyond)]
      : []),
    ...(include.length === 0
      ? []
      : [{ id: 'must_include', pass: included === include.length, value: included, target: include.length }]),
    ...(constraints.avoid === undefined
      ? []
      : [{ id: 'avoid', pass: avoid.length === 0, value: avoid.length, target: 0 }]),
  ]
}

const lettersOf = (text: string) =>
  plain(text)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '')
