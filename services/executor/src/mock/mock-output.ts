/** An answer as the model could give it, by its kind: it fits `outputSchema`, and says nothing of the input. */

import type { Emission } from '@millhand/child-process'
import type { Tensor } from '@millhand/model'
import {
  elements,
  type InputTexts,
  isTensorFormat,
  type ModelPackage,
  type Postprocess,
  readGeneration,
  readTexts,
  scoreCount,
  type TensorSpec,
  tensorFileParts,
  vectorWidth,
  writeTensors,
} from '@millhand/model'
import { mockValue } from './mock-value.ts'
import type { SeededRandom } from './seeded-random.ts'

export interface MockOutput {
  /** JSON text, or a file in parts. */
  readonly output: string | Iterable<Uint8Array>
  /** What of it is emitted before, as the real one does: values of JSON. */
  readonly pieces: readonly object[]
  /** What of the run is told before it. */
  readonly progress?: readonly Omit<Extract<Emission, { kind: 'progress' }>, 'kind'>[]
  /** The output is of a run that trains, whose model goes with it. */
  readonly trains?: true
  /** The output of a run that trains, where it is cancelled and keeps its best. */
  readonly best?: string
  /** What a language model would have read and written. */
  readonly tokens?: readonly [input: number, output: number]
}

/** Undefined where the answer would be too large for a record. */
export function mockOutputOf(
  { manifest, outputs }: ModelPackage,
  dice: SeededRandom,
  input: string,
  parameters: Readonly<Record<string, unknown>> = {},
): MockOutput | undefined {
  const { processing, labels } = manifest
  switch (processing.kind) {
    case 'ocr':
      return reading(dice)
    case 'speech':
      return speech(dice)
    case 'file_type':
      return fileType(dice)
    case 'embedding':
      return embeddings(readTexts(input), vectorWidth(outputs) ?? 384, dice)
    case 'text_generation':
      return generated(parameters, input, dice)
    case 'single':
      return processing.postprocess.name === 'classify'
        ? classified(processing.postprocess, labels, scoreCount(outputs) ?? labels?.length ?? 10, dice)
        : tensors(chosen(outputs, parameters.outputs), parameters.output_format, dice)
  }
}

const WORDS = [
  'Coffee',
  'Tea',
  'Invoice',
  'Total',
  'Table',
  'Thank',
  'you',
  'North',
  'Station',
  'Open',
  '7',
  '12.50',
] as const

const LINE_HEIGHT = 28
const LETTER_WIDTH = 12
const MARGIN = 20

function reading(dice: SeededRandom): MockOutput {
  const texts = Array.from({ length: dice.between(1, 6) }, () =>
    Array.from({ length: dice.between(1, 4) }, () => dice.one(WORDS)).join(' '),
  )
  const lines = texts.map((text, at) => {
    const [left, top] = [MARGIN, MARGIN + at * LINE_HEIGHT * 2]
    const [right, bottom] = [left + text.length * LETTER_WIDTH, top + LINE_HEIGHT]
    const box = [
      [left, top],
      [right, top],
      [right, bottom],
      [left, bottom],
    ]
    return { text, confidence: dice.between(9_000, 9_999) / 10_000, box }
  })
  const width = MARGIN * 2 + Math.max(...texts.map(text => text.length)) * LETTER_WIDTH
  const height = MARGIN * 2 + texts.length * LINE_HEIGHT * 2
  return { output: JSON.stringify({ text: texts.join('\n'), lines, width, height }), pieces: lines }
}

function speech(dice: SeededRandom): MockOutput {
  const segments: { start_s: number; end_s: number }[] = []
  let [ms, spoken] = [0, 0]
  for (let left = dice.between(1, 5); left > 0; left--) {
    const start = ms + dice.between(200, 2_000)
    const end = start + dice.between(300, 6_000)
    segments.push({ start_s: start / 1_000, end_s: end / 1_000 })
    spoken += end - start
    ms = end
  }
  const duration = ms + dice.between(0, 2_000)
  const output = JSON.stringify({ segments, duration_s: duration / 1_000, speech_s: spoken / 1_000 })
  return { output, pieces: segments }
}

function fileType(dice: SeededRandom): MockOutput {
  const type = dice.one(FILE_TYPES)
  const confidence = dice.between(9_000, 10_000) / 10_000
  const output = { ...type, confidence, model_label: type.label, overwrite_reason: 'none' }
  return { output: JSON.stringify(output), pieces: [] }
}

/** As Magika describes them. */
const FILE_TYPES: readonly [FileType, ...FileType[]] = [
  {
    label: 'pdf',
    media_type: 'application/pdf',
    group: 'document',
    description: 'PDF document',
    extensions: ['pdf'],
    is_text: false,
  },
  {
    label: 'png',
    media_type: 'image/png',
    group: 'image',
    description: 'PNG image',
    extensions: ['png'],
    is_text: false,
  },
  {
    label: 'python',
    media_type: 'text/x-python',
    group: 'code',
    description: 'Python source',
    extensions: ['py', 'pyi'],
    is_text: true,
  },
]

interface FileType {
  readonly label: string
  readonly media_type: string
  readonly group: string
  readonly description: string
  readonly extensions: readonly string[]
  readonly is_text: boolean
}

/** Some words, or what fits the schema that is asked for; as long as it may be. */
function generated(parameters: Readonly<Record<string, unknown>>, input: string, dice: SeededRandom): MockOutput {
  const { maxTokens, responseSchema } = readGeneration(parameters)
  const timings = { time_to_first_token_ms: dice.between(20, 200), tokens_per_second: dice.between(100, 900) / 10 }
  if (responseSchema !== undefined) {
    const json = mockValue(responseSchema, dice)
    const text = JSON.stringify(json)
    const output = JSON.stringify({ text, finish_reason: 'stop', json, timings })
    return { output, pieces: [{ text }], tokens: [tokensOf(input), tokensOf(text)] }
  }
  const count = dice.between(4, 12)
  const words = Array.from({ length: Math.min(count, maxTokens) }, (_, at) => (at === 0 ? '' : ' ') + dice.one(WORDS))
  const finish_reason = words.length < count ? 'length' : 'stop'
  const output = JSON.stringify({ text: words.join(''), finish_reason, timings })
  return { output, pieces: words.map(text => ({ text })), tokens: [tokensOf(input), words.length] }
}

/** About as many as a model would take for it. */
const tokensOf = (text: string): number => Math.ceil(text.length / 4)

/** As many as there are texts, each of length 1. */
function embeddings({ texts, isList }: InputTexts, width: number, dice: SeededRandom): MockOutput {
  const all = texts.map(() => {
    const vector = Array.from({ length: width }, () => dice.next() - 0.5)
    const length = Math.hypot(...vector)
    const embedding = vector.map(value => Math.round((value / length) * 1e4) / 1e4)
    return { embedding, tokens: dice.between(4, 60), truncated: false }
  })
  return { output: JSON.stringify(isList ? { embeddings: all } : all[0]), pieces: [] }
}

/** Some certainty: the scores are powers of e, from 0 to 6, and add up to 1. */
function classified(
  { as, top }: Extract<Postprocess, { name: 'classify' }>,
  labels: readonly string[] | undefined,
  count: number,
  dice: SeededRandom,
): MockOutput | undefined {
  if (count > MOST_ELEMENTS) return undefined
  const powers = Array.from({ length: count }, () => Math.exp(6 * dice.next()))
  const sum = powers.reduce((a, b) => a + b, 0)
  const scores = powers.map(power => Math.round((power / sum) * 1e6) / 1e6)
  const order = [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
  const named = (index: number) => ({
    [as]: labels ? (labels[index] ?? String(index)) : index,
    confidence: scores[index] ?? 0,
  })
  const answer = named(order[0] ?? 0)
  const more = top === undefined ? { scores } : { top: order.slice(0, top).map(named) }
  return { output: JSON.stringify({ ...answer, ...more }), pieces: [] }
}

/** What was asked for was checked when the task was made. */
const chosen = (outputs: readonly TensorSpec[], asked: unknown): readonly TensorSpec[] =>
  Array.isArray(asked) ? outputs.filter(({ name }) => asked.includes(name)) : outputs

const SOME_OUTPUT: TensorSpec = { name: 'output', dtype: 'float32', shape: [1] }

/** Every length that is not given is 1. */
function tensors(outputs: readonly TensorSpec[], format: unknown, dice: SeededRandom): MockOutput | undefined {
  const specs = outputs.length > 0 ? outputs : [SOME_OUTPUT]
  const shaped = specs.map(spec => ({ ...spec, shape: spec.shape.map(length => (length < 0 ? 1 : length)) }))
  const elements = shaped.reduce((sum, { shape }) => sum + shape.reduce((product, length) => product * length, 1), 0)
  if (elements > MOST_ELEMENTS) return undefined
  const named = shaped.map(spec => [spec.name, tensorOf(spec, dice)] as const)
  const isFile = isTensorFormat(format) && format !== 'json'
  return { output: isFile ? tensorFileParts(named, format) : writeTensors(named, false), pieces: [] }
}

/** As JSON they are less than the 256 KiB that a record has room for. */
const MOST_ELEMENTS = 16_384

/** A tensor of this type and shape, whose elements are small. */
function tensorOf({ dtype, shape }: TensorSpec, dice: SeededRandom): Tensor {
  const data = elements(
    dtype,
    shape.reduce((product, length) => product * length, 1),
  )
  for (let at = 0; at < data.length; at++) (data as unknown[])[at] = elementOf(dtype, dice)
  return { dtype, shape, data }
}

function elementOf(dtype: TensorSpec['dtype'], dice: SeededRandom): number | bigint | string {
  switch (dtype) {
    case 'string':
      return `word${dice.between(1, 9)}`
    case 'bool':
      return dice.between(0, 1)
    case 'int64':
    case 'uint64':
      return BigInt(dice.between(0, 9))
    case 'float16':
    case 'float32':
    case 'float64':
      return dice.between(-1_000, 1_000) / 1_000
    default:
      return dice.between(0, 9)
  }
}
