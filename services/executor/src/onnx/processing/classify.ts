/** Scores of a classifier as `{label, confidence, scores}`. */
import { listParts, type NamedTensors, type Postprocess, type Tensor } from '@millhand/model'
import { boundedText, checkWritable } from '../output-limit.ts'

type Classify = Extract<Postprocess, { name: 'classify' }>

/** Six decimals: what a float32 probability is good for. */
const round = (value: number): number => Math.round(value * 1e6) / 1e6

/** Writes the first output of floats, whose row is a score for each label; without labels their numbers are given. */
export function classify({ as, softmax, top }: Classify, labels: readonly string[] | undefined) {
  const named = (index: number) => (labels ? (labels[index] ?? String(index)) : index)
  return ({ tensors }: NamedTensors): string => {
    const found = [...tensors.values()].find(({ dtype }) => dtype.startsWith('float')) as Tensor | undefined
    if (!found || found.data.length === 0) throw new Error('it gave no scores')
    if (top === undefined) checkWritable([found], false)
    const raw = found.data as Float32Array
    const scores = softmax ? toProbabilities(raw) : raw
    let best = 0
    for (let index = 1; index < scores.length; index++) {
      if ((scores[index] as number) > (scores[best] as number)) best = index
    }
    const answer = { [as]: named(best), confidence: round(scores[best] as number) }
    if (top === undefined) return boundedText(withScores(answer, scores))
    const order = Array.from(scores.keys()).sort((a, b) => (scores[b] as number) - (scores[a] as number))
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

function toProbabilities(logits: Float32Array): Float32Array {
  const max = logits.reduce((a, b) => Math.max(a, b), -Infinity)
  const powers = logits.map(logit => Math.exp(logit - max))
  const sum = powers.reduce((a, b) => a + b, 0)
  return powers.map(power => power / sum)
}
