/** How well labels agree with those of people, in three classes. */
import type { Label } from './result.ts'

interface Agreement {
  /**
   * The F1 of each class, 2·both/(given + found), weighed by how many texts people put there: what is usually meant by one F1 over
   * three classes, scikit-learn's `f1_score(average='weighted')`. The paper (Hutto and Gilbert, ICWSM 2014) says 0.96 for the
   * tweets in its abstract; by which average we could not find out.
   */
  readonly weighted: number
  /**
   * F1 of the decision for positive or negative, counted over both together, scikit-learn's `f1_score(labels=['positive',
   * 'negative'], average='micro')`: a text that only one side finds neutral counts against it, one that both do does not count.
   */
  readonly opinions: number
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
