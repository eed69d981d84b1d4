/** Scores of a classifier as `{label, confidence, scores}`. */
import { isOneRow, type Postprocess, scoresOf, type Tensor } from '@millhand/model'
import { checkWritable, MAX_OUTPUT_BYTES, OutputTooLarge } from '../output-limit.ts'

type Classify = Extract<Postprocess, { name: 'classify' }>

/** Six decimals: what a float32 probability is good for. */
const round = (value: number): number => Math.round(value * 1e6) / 1e6

/** Writes the scores of one input: JSON text. Throws where they are not those of one input. */
export type WriteScores = (scores: Tensor) => string

/** Writes scores, one for each label; without labels their numbers are given. */
export function classify({ as, softmax, top }: Classify, labels: readonly string[] | undefined): WriteScores {
  const named = (index: number) => (labels ? (labels[index] ?? String(index)) : index)
  return tensor => {
    if (tensor.data.length === 0) throw new Error(NO_SCORES)
    if (top === undefined) checkWritable([tensor], false)
    if (!isOneRow(tensor.shape))
      throw new Error(`its scores have the shape [${tensor.shape}], which is more than one row`)
    const raw = tensor.data as Float32Array
    const scores = softmax ? toProbabilities(raw) : raw
    const best = bestOf(scores)
    if (best === undefined) throw new Error('none of its scores is a number')
    const answer = { [as]: named(best), confidence: round(scores[best] as number) }
    if (top === undefined) return withScores(answer, scores)
    const numbers = Array.from(scores.keys()).filter(index => !Number.isNaN(scores[index]))
    const order = numbers.sort((a, b) => compare(scores[b] as number, scores[a] as number))
    const first = order.slice(0, top)
    const listed = first.map(index => ({ [as]: named(index), confidence: round(scores[index] as number) }))
    return JSON.stringify({ ...answer, top: listed })
  }
}

/** The first output of floats. Throws where there is none. */
export function scoresIn(outputs: ReadonlyMap<string, Tensor>): Tensor {
  const scores = scoresOf(outputs.values())
  if (!scores) throw new Error(NO_SCORES)
  return scores
}

const NO_SCORES = 'it gave no scores'

/** Pieces of a growing string, which takes ten times what it says until it is one: `PIECE_CHARACTERS` each. Throws `OutputTooLarge`. */
function withScores(answer: object, scores: Float32Array): string {
  const pieces: Buffer[] = []
  let bytes = 0
  let text = `${JSON.stringify(answer).slice(0, -1)},"scores":[`
  const end = () => {
    const piece = Buffer.from(text)
    bytes += piece.length
    if (bytes > MAX_OUTPUT_BYTES) throw new OutputTooLarge()
    pieces.push(piece)
    text = ''
  }
  for (let index = 0; index < scores.length; index++) {
    const score = round(scores[index] as number)
    text += `${index === 0 ? '' : ','}${Number.isFinite(score) ? score : null}`
    if (text.length > PIECE_CHARACTERS) end()
  }
  text += ']}'
  if (pieces.length === 0) return text
  end()
  return Buffer.concat(pieces).toString()
}

const PIECE_CHARACTERS = 64 * 1024

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
