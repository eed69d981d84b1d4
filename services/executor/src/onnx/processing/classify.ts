/** Scores of a classifier as `{label, confidence, scores}`. */
import { isOneRow, listParts, type NamedTensors, type Postprocess, scoresOf, type Tensor } from '@millhand/model'
import { boundedText, checkWritable } from '../output-limit.ts'

type Classify = Extract<Postprocess, { name: 'classify' }>

/** Six decimals: what a float32 probability is good for. */
const round = (value: number): number => Math.round(value * 1e6) / 1e6

/** Writes the first output of floats, whose row is a score for each label; without labels their numbers are given. */
export function classify({ as, softmax, top }: Classify, labels: readonly string[] | undefined) {
  const named = (index: number) => (labels ? (labels[index] ?? String(index)) : index)
  return ({ tensors }: NamedTensors): string => {
    const found = scoresOf<Tensor>(tensors.values())
    if (!found || found.data.length === 0) throw new Error('it gave no scores')
    if (top === undefined) checkWritable([found], false)
    if (!isOneRow(found.shape))
      throw new Error(`its scores have the shape [${found.shape}], which is more than one row`)
    const raw = found.data as Float32Array
    const scores = softmax ? toProbabilities(raw) : raw
    const best = bestOf(scores)
    if (best === undefined) throw new Error('none of its scores is a number')
    const answer = { [as]: named(best), confidence: round(scores[best] as number) }
    if (top === undefined) return boundedText(withScores(answer, scores))
    const numbers = Array.from(scores.keys()).filter(index => !Number.isNaN(scores[index]))
    const order = numbers.sort((a, b) => compare(scores[b] as number, scores[a] as number))
    const first = order.slice(0, top)
    const listed = first.map(index => ({ [as]: named(index), confidence: round(scores[index] as number) }))
    return JSON.stringify({ ...answer, top: listed })
  }
}

function* withScores(answer: object, scores: Float32Array): Generator<string, void> {
  yield `${JSON.stringify(answer).slice(0, -1)},"scores":`
  yield* listParts(scores.length, index => JSON.stringify(round(scores[index] as number)))
  yield '}'
}

/** Two infinities have no difference. */
const compare = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0)

/** The index of the largest number; undefined where there is none. */
function bestOf(scores: Float32Array): number | undefined {
  let best: number | undefined
  for (let index = 0; index < scores.length; index++) {
    const score = scores[index] as number
    if (!Number.isNaN(score) && (best === undefined || score > (scores[best] as number))) best = index
  }
  return best
}

/** Of what is not a number, none. */
function toProbabilities(logits: Float32Array): Float32Array {
  const best = bestOf(logits)
  const max = best === undefined ? 0 : (logits[best] as number)
  const powers = logits.map(logit => (logit === max ? 1 : Math.exp(logit - max)))
  const sum = powers.reduce((sum, power) => (Number.isNaN(power) ? sum : sum + power), 0)
  return powers.map(power => power / sum)
}
