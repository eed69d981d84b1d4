/** How well labels agree with those of people, in three classes. */
import type { Label } from './result.ts'

interface Agreement {
  /**
   * F1 of the decision for one of three classes, over all texts that are positive or negative by either side: a text that only
   * one side finds neutral counts against it, one that both find neutral does not count, as in the comparison of opinions usual.
   */
  readonly opinions: number
  /** The F1 of each class, weighed by how many texts people put there. */
  readonly weighted: number
  readonly accuracy: number
}

const LABELS: readonly Label[] = ['positive', 'neutral', 'negative']

export function agreement(pairs: readonly { readonly given: Label; readonly found: Label }[]): Agreement {
  const right = pairs.filter(({ given, found }) => given === found)
  const isOpinion = (label: Label) => label !== 'neutral'
  const rightOpinions = right.filter(({ given }) => isOpinion(given)).length
  const opinions = pairs.filter(({ given }) => isOpinion(given)).length
  const foundOpinions = pairs.filter(({ found }) => isOpinion(found)).length
  const weighted = LABELS.map(label => {
    const given = pairs.filter(pair => pair.given === label).length
    const found = pairs.filter(pair => pair.found === label).length
    const both = right.filter(pair => pair.given === label).length
    return (given / pairs.length) * ((2 * both) / (given + found))
  })
  return {
    opinions: (2 * rightOpinions) / (opinions + foundOpinions),
    weighted: weighted.reduce((sum, share) => sum + share, 0),
    accuracy: right.length / pairs.length,
  }
}
