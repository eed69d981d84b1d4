/**
 * Makes `weights.json`, and prints how often its labels are right:
 *
 *     node services/workforce/employees/emma/sentiment_analysis/meaning/train.fixture.ts [folder]
 *
 * Learns from the 23,703 labelled texts in the source of PyPI `vaderSentiment` (MIT), each rated by about 20 people, with the
 * vectors of all-MiniLM-L6-v2; and what is no opinion from `facts.txt`, written for this. Each of the four sets is judged by weights that the three others made. A folder with the files
 * `*_labelled.txt` of UCI's “Sentiment Labelled Sentences” (CC BY 4.0), which teach nothing, is judged by the weights of all.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { batchesOf, openEncoder } from '@millhand/embedding'
import { sentenceModel } from '@millhand/embedding/fixture'
import { plainText } from '../../../src/text/plain-text.ts'
import { labelledSets } from '../../../src/text/vader/reference.fixture.ts'
import { labelOf } from '../label.ts'
import type { Accuracy, Label } from '../result.ts'
import { score } from '../words/score.ts'
import { type Classifier, estimateOf, type Weights } from './classifier.ts'
import { labelByMeaning } from './label-by-meaning.ts'
import { ridge } from './ridge.ts'

/** Chosen on the film and product reviews; from 1 to 5 all is within half of one in a hundred. */
const PENALTY = 2
/** People's mean rating from which a text is clearly good or bad: of others they do not agree. */
const CLEAR = 1
/** There are few: so each counts as many. */
const FACT_WEIGHT = 60
const PROBE = 'The food was great, but the waiter was rude.'
const PROBED = 16

interface Example {
  readonly text: string
  readonly rating: number
  readonly vector: Float32Array
  readonly compound: number
}

const encoder = await openEncoder({
  model: join(sentenceModel, 'model.onnx'),
  tokenizer: join(sentenceModel, 'tokenizer.json'),
  threads: 2,
})

async function vectorsOf(texts: readonly string[]): Promise<Float32Array[]> {
  const vectors: Float32Array[] = []
  for (const batch of batchesOf(texts.map((text, at) => ({ ...encoder.tokenize(text), at })))) {
    const encoded = await encoder.encode(batch)
    for (const [place, { at }] of batch.entries()) vectors[at] = encoded[place] as Float32Array
  }
  return vectors
}

async function examples(rows: readonly { readonly text: string; readonly rating: number }[]): Promise<Example[]> {
  const texts = rows.map(({ text }) => plainText(text))
  const vectors = await vectorsOf(texts)
  return rows.map(({ rating }, at) => {
    const text = texts[at] as string
    return { text, rating, vector: vectors[at] as Float32Array, compound: score(text).compound }
  })
}

const rounded = (weights: Float64Array) => Array.from(weights, weight => Number(weight.toFixed(4)))
const isClear = ({ rating }: Example) => Math.abs(rating) >= CLEAR

function learnt(from: readonly Example[]): Weights {
  const opinions = from.filter(isClear)
  const repeated = Array<Example[]>(FACT_WEIGHT).fill(facts).flat()
  return {
    rating: rounded(
      ridge(
        from.map(({ vector, compound }) => Float64Array.from([...vector, compound, 1])),
        from.map(({ rating }) => rating),
        PENALTY,
      ),
    ),
    opinion: rounded(
      ridge(
        [...opinions, ...repeated].map(({ vector }) => Float64Array.from([...vector, 1])),
        [...opinions.map(() => 1), ...repeated.map(() => -1)],
        PENALTY,
      ),
    ),
  }
}

const share = (from: readonly Example[], labelled: (example: Example) => Label): number =>
  Number((from.filter(example => labelled(example) === labelOf(example.rating)).length / from.length).toFixed(3))

const byWords = ({ compound }: Example) => labelOf(compound)
const byMeaning = (weights: Weights) => (example: Example) => {
  const words = score(example.text)
  return labelByMeaning(example.text, words, estimateOf(weights, example.vector, words.compound)).label
}

const facts = await examples(
  readFileSync(join(import.meta.dirname, 'facts.txt'), 'utf8')
    .trim()
    .split('\n')
    .map(text => ({ text, rating: 0 })),
)
const sets = new Map<string, Example[]>()
for (const [name, rows] of labelledSets()) sets.set(name, await examples(rows))

const embeddings: Accuracy[] = []
const words: Accuracy[] = []
for (const [name, judged] of sets) {
  const weights = learnt([...sets].flatMap(([other, rows]) => (other === name ? [] : rows)))
  const clear = judged.filter(isClear)
  embeddings.push({ texts: name, right: share(clear, byMeaning(weights)) })
  words.push({ texts: name, right: share(clear, byWords) })
  process.stdout.write(
    `${name}: ${clear.length} clear of ${judged.length}: by embeddings ${embeddings.at(-1)?.right}, by words ${words.at(-1)?.right}; of all ${share(judged, byMeaning(weights))} and ${share(judged, byWords)}\n`,
  )
}

const weights = learnt([...sets.values()].flat())
const [probe = new Float32Array()] = await vectorsOf([PROBE])
const made: Classifier = {
  model: 'all-MiniLM-L6-v2',
  probe: { text: PROBE, vector: Array.from(probe.subarray(0, PROBED), value => Number(value.toFixed(4))) },
  accuracy: { embeddings, words },
  weights,
}
writeFileSync(join(import.meta.dirname, 'weights.json'), `${JSON.stringify(made)}\n`)

for (const file of globSync(join(process.argv[2] ?? 'none', '*_labelled.txt'))) {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  const rows = await examples(
    lines.map(line => {
      const [text = '', label] = line.split('\t')
      return { text: text.trim(), rating: label?.trim() === '1' ? 1 : -1 }
    }),
  )
  process.stdout.write(
    `${basename(file)}: ${rows.length}: by embeddings ${share(rows, byMeaning(weights))}, by words ${share(rows, byWords)}\n`,
  )
}
