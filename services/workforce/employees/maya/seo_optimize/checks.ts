import { wordsCheck } from '../../src/claims/claim-checks.ts'
import type { Checks } from '../../src/kind.ts'
import { wishes } from '../../src/text/constraint-checks.ts'
import { quoteOf } from './page/place.ts'
import { readPage } from './page/read-page.ts'
import { textOf, unfaithful } from './phrase.ts'
import type { Input, Result } from './result.ts'

export const checks: Checks<Input, Result> = (brief, { result, citations = [] }) => {
  const page = readPage(brief)
  const { raw, source } = page
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
  const { wording } = result
  const beyond = wording ? unfaithful(wording, textOf(page)).length : 0
  return [
    { id: 'findings_point_at_a_place', pass: found === target, value: found, target },
    { id: 'findings_change_something', pass: changing === target, value: changing, target },
    { id: 'findings_are_cited', pass: citations.length === target, value: citations.length, target },
    { id: 'findings_are_ranked', pass: isRanked, value: isRanked ? 'by weight' : 'not by weight', target: 'by weight' },
    ...(wording
      ? [
          wordsCheck('wording_keeps_to_the_page', wording.opening, beyond),
          ...wishes(brief.constraints, Object.values(wording).join('\n')),
        ]
      : []),
  ]
}
