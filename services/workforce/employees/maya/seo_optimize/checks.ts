import type { Checks } from '../../../src/kind.ts'
import { quoteOf } from './page/place.ts'
import { readPage } from './page/read-page.ts'
import type { Input, Result } from './result.ts'

export const checks: Checks<Input, Result> = (brief, { result, citations = [] }) => {
  const { raw, source } = readPage(brief)
  const { findings } = result
  const found = findings.filter(({ place }) => {
    const before = raw.slice(0, place.offset)
    return (
      place.source === source &&
      place.offset >= 0 &&
      place.length > 0 &&
      place.offset + place.length <= raw.length &&
      place.quote !== '' &&
      place.quote === quoteOf(raw, place.offset, place.offset + place.length) &&
      place.column === place.offset - before.lastIndexOf('\n')
    )
  }).length
  const changing = findings.filter(({ before, after }) => before !== after).length
  const weights = findings.map(({ severity }) => ['high', 'medium', 'low'].indexOf(severity))
  const isRanked = weights.every((weight, at) => weight >= (weights[at - 1] ?? 0))
  const target = findings.length
  return [
    { id: 'findings_point_at_a_place', pass: found === target, value: found, target },
    { id: 'findings_change_something', pass: changing === target, value: changing, target },
    { id: 'findings_are_cited', pass: citations.length === target, value: citations.length, target },
    { id: 'findings_are_ranked', pass: isRanked, value: isRanked ? 'by weight' : 'not by weight', target: 'by weight' },
  ]
}
