import type { Checks } from '../../src/kind.ts'
import type { Input, Result } from './result.ts'

export const checks: Checks<Input, Result> = (brief, { result }) => {
  const { summary, texts, aspects } = result
  const means = texts.flatMap(({ scores }) => scores?.compound ?? [])
  const mean = means.reduce((sum, compound) => sum + compound, 0) / means.length
  const given = aspects.filter(aspect => aspect.given)
  const found = given.filter(({ mentions }) => mentions > 0).length
  const sources = (brief.input.texts?.length ?? 0) + brief.files.length
  return [
    { id: 'texts_answered', pass: texts.length === sources, value: texts.length, target: sources },
    { id: 'texts_scored', pass: means.length === texts.length, value: means.length, target: texts.length },
    {
      id: 'mean_is_of_the_scores',
      pass: summary.compound === null ? means.length === 0 : Math.abs(summary.compound - mean) < 0.0001,
      value: summary.compound ?? 'none',
      target: means.length > 0 ? Number(mean.toFixed(4)) : 'none',
    },
    ...(given.length > 0
      ? [{ id: 'aspects_found', pass: found === given.length, value: found, target: given.length }]
      : []),
  ]
}
