/** Emma reads moods: as her reference does, and as people do. */
import { labelOf } from '@millhand/employees/emma/sentiment_analysis/label.ts'
import { agreement } from '@millhand/employees/emma/sentiment_analysis/three-classes.fixture.ts'
import { polarity } from '@millhand/employees/polarity'
import { labelledSets, referenceScores } from '@millhand/employees/polarity-reference'
import type { Figure } from '../figure.ts'

export async function figures(): Promise<Figure[]> {
  const sets = labelledSets()
  const figure = (name: string, unit: string, value: number, rest: Partial<Figure> = {}): Figure => ({
    section: 'workforce',
    name: `emma sentiment_analysis: ${name}`,
    unit,
    rounds: [value],
    limits: [],
    details: {},
    ...rest,
  })
  const compared = [...sets].map(([name, labelled]) => {
    const texts = labelled.map(({ text }) => text)
    const reference = referenceScores(texts)
    const same = texts.filter((text, at) => {
      const { compound, positive, neutral, negative } = polarity(text)
      return [compound, positive, neutral, negative].every((score, part) => score === reference[at]?.[part])
    })
    const share = (100 * same.length) / texts.length
    return figure(`as the reference, ${name}`, '%', share, { aim: { least: 100 }, details: { texts: texts.length } })
  })
  const tweets = sets.get('tweets') ?? []
  const { opinions, weighted, accuracy } = agreement(
    tweets.map(({ rating, text }) => ({ given: labelOf(rating), found: labelOf(polarity(text).compound) })),
  )
  return [
    ...compared,
    figure('three-class F1 on the tweets', '', weighted, { aim: { least: 0.95 }, details: { accuracy } }),
    figure('F1 of positive and negative on the tweets', '', opinions),
  ]
}
