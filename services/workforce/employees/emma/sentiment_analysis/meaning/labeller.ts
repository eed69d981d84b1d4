/** Labels by the better method that there is: sentence embeddings with words, or words alone. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Embed } from '../../../src/kind.ts'
import { sentencesOf } from '../../../src/text/sentences.ts'
import { labelOf } from '../label.ts'
import type { Label, Method } from '../result.ts'
import { type Score, score } from '../words/score.ts'
import { type Classifier, type Estimate, estimateOf, isModelOf } from './classifier.ts'
import { labelByMeaning } from './label-by-meaning.ts'

const classifier: Classifier = JSON.parse(readFileSync(join(import.meta.dirname, 'weights.json'), 'utf8'))

export interface Labeller {
  readonly method: Method
  /** Of a text that it was made with. `rating` is null where the words decide. */
  label(text: string, words: Score): { readonly label: Label; readonly rating: number | null }
  readonly warnings: readonly string[]
}

/** Of one question to the model. */
const MOST_TEXTS = 512
/** Of all pieces together: about 10 s of a core. */
const MOST_CHARACTERS = 400_000
/** Of a piece: what the model reads of it, or nearly so. A longer text has the mean rating of its pieces. */
const PIECE = 1_000

export async function labellerOf(texts: readonly string[], embed: Embed | undefined): Promise<Labeller> {
  if (!embed || texts.length === 0) return byWords([])
  const [probe] = await embed([classifier.probe.text])
  if (!probe || !isModelOf(classifier, probe))
    return byWords([
      `The labels are by words: weights for the embedding model are there for ${classifier.model} alone.`,
    ])
  const pieces = new Map(texts.map(text => [text, piecesOf(text)]))
  const different = [...new Set([...pieces.values()].flat())]
  if (different.reduce((sum, { length }) => sum + length, 0) > MOST_CHARACTERS)
    return byWords([`The labels are by words: by sentence embeddings at most ${MOST_CHARACTERS} characters are read.`])
  const vectors = new Map<string, Float32Array>()
  for (let at = 0; at < different.length; at += MOST_TEXTS) {
    const asked = different.slice(at, at + MOST_TEXTS)
    const given = await embed(asked)
    for (const [place, text] of asked.entries()) vectors.set(text, given[place] as Float32Array)
  }
  return {
    method: { name: 'sentence_embeddings', model: classifier.model, accuracy: classifier.accuracy.embeddings },
    label(text, words) {
      const own = pieces.get(text) ?? []
      const estimates = own.map(piece => {
        const { compound } = piece === text ? words : score(piece)
        return estimateOf(classifier.weights, vectors.get(piece) as Float32Array, compound)
      })
      const mean = (part: keyof Estimate) =>
        estimates.reduce((sum, estimate) => sum + estimate[part], 0) / estimates.length
      return labelByMeaning(text, words, { rating: mean('rating'), opinion: mean('opinion') })
    },
    warnings: [],
  }
}

const byWords = (warnings: readonly string[]): Labeller => ({
  method: { name: 'words', model: null, accuracy: classifier.accuracy.words },
  label: (_, { compound }) => ({ label: labelOf(compound), rating: null }),
  warnings,
})

function piecesOf(text: string): string[] {
  if (text.length <= PIECE) return [text]
  const pieces: string[] = []
  let from = 0
  let to = 0
  for (const { end } of sentencesOf(text)) {
    if (end - from > PIECE && to > from) {
      pieces.push(text.slice(from, to))
      from = to
    }
    to = end
  }
  pieces.push(text.slice(from))
  return pieces.map(piece => piece.slice(0, 2 * PIECE).toWellFormed())
}
