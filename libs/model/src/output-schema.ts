/** What a model's outputs look like, as JSON Schema (2020-12): what tasks answer with, and what the sandbox holds to. */
import { type Dtype, numeric } from './dtype.ts'
import type { Manifest, Postprocess, TensorSpec } from './manifest.ts'
import { scoresOf } from './processing-fault.ts'
import { MOST_TEXTS } from './texts.ts'

/** A JSON Schema, or a part of one. */
export type Schema = Readonly<Record<string, unknown>>

export function outputSchema(model: Answering): Schema {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...schemaOf(model) }
}

interface Answering {
  readonly manifest: Manifest
  readonly outputs: readonly TensorSpec[]
}

function schemaOf({ manifest, outputs }: Answering): Schema {
  const { processing, labels } = manifest
  switch (processing.kind) {
    case 'ocr':
      return READING
    case 'speech':
      return SPEECH
    case 'file_type':
      return FILE_TYPE
    case 'embedding':
      return embeddings(vectorWidth(outputs))
    case 'text_generation':
      return GENERATED
    case 'single':
      return processing.postprocess.name === 'classify'
        ? classified(processing.postprocess, labels, outputs)
        : named(outputs)
  }
}

/** An object of these fields and no others. */
const record = (properties: Schema, required = Object.keys(properties)): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const list = (items: Schema): Schema => ({ type: 'array', items })

const SECONDS: Schema = { type: 'number', minimum: 0 }
const PIXELS: Schema = { type: 'integer', minimum: 0 }
const CORNER: Schema = { type: 'array', prefixItems: [PIXELS, PIXELS], items: false, minItems: 2 }

const SPEECH = record({
  segments: list(record({ start_s: SECONDS, end_s: SECONDS })),
  duration_s: SECONDS,
  speech_s: SECONDS,
})

const FILE_TYPE = record({
  label: { type: 'string', minLength: 1 },
  media_type: { type: 'string', minLength: 1 },
  group: { type: 'string', minLength: 1 },
  description: { type: 'string' },
  extensions: list({ type: 'string' }),
  is_text: { type: 'boolean' },
  confidence: { type: 'number', minimum: 0, maximum: 1 },
  model_label: { type: ['string', 'null'] },
  overwrite_reason: { enum: ['none', 'low_confidence', 'overwrite_map'] },
})

const NUMBER_OF_PAGE: Schema = { type: 'integer', minimum: 1 }

/** What is said of pages is there for a TIFF that has several. */
const READING = record(
  {
    text: { type: 'string' },
    lines: list(
      record(
        {
          text: { type: 'string', minLength: 1 },
          confidence: { type: 'number', minimum: 0.5, maximum: 1 },
          box: { type: 'array', items: CORNER, minItems: 4, maxItems: 4 },
          page: NUMBER_OF_PAGE,
        },
        ['text', 'confidence', 'box'],
      ),
    ),
    width: PIXELS,
    height: PIXELS,
    pages: list(record({ page: NUMBER_OF_PAGE, width: PIXELS, height: PIXELS })),
    pages_not_read: { type: 'integer', minimum: 0 },
  },
  ['text', 'lines', 'width', 'height'],
)

/** `json` is there where a schema was asked for and the text has its end. */
const GENERATED = record(
  {
    text: { type: 'string' },
    finish_reason: { enum: ['stop', 'length'] },
    json: {},
    timings: record(
      { time_to_first_token_ms: { type: 'integer', minimum: 0 }, tokens_per_second: { type: 'number', minimum: 0 } },
      ['time_to_first_token_ms'],
    ),
  },
  ['text', 'finish_reason', 'timings'],
)

/** Of one text, or of a list. */
function embeddings(width: number | undefined): Schema {
  const length = width !== undefined && { minItems: width, maxItems: width }
  const one = record({
    embedding: { ...list({ type: 'number', minimum: -1, maximum: 1 }), ...length },
    tokens: { type: 'integer', minimum: 2 },
    truncated: { type: 'boolean' },
  })
  return { anyOf: [one, record({ embeddings: { ...list(one), minItems: 1, maxItems: MOST_TEXTS } })] }
}

/** How many numbers a vector of the model has, where the model says so. */
export function vectorWidth(outputs: readonly TensorSpec[]): number | undefined {
  const width = outputs.find(({ dtype }) => dtype === 'float32')?.shape.at(-1)
  return width !== undefined && width > 0 ? width : undefined
}

/** Scores: `null` where the model gave no number. */
function classified(
  { as, softmax, top }: Extract<Postprocess, { name: 'classify' }>,
  labels: readonly string[] | undefined,
  outputs: readonly TensorSpec[],
): Schema {
  const score: Schema = { type: ['number', 'null'], ...(softmax && { minimum: 0, maximum: 1 }) }
  const answer = { [as]: { $ref: '#/$defs/label' }, confidence: score }
  const listed = top === undefined ? undefined : { ...list(record(answer)), maxItems: top }
  return {
    ...record({ ...answer, ...(listed ? { top: listed } : { scores: list(score) }) }),
    $defs: { label: labelSchema(labels, scoreCount(outputs)) },
  }
}

/** A score beyond the labels is named by its number. */
function labelSchema(labels: readonly string[] | undefined, count: number | undefined): Schema {
  if (labels === undefined) return { type: 'integer', minimum: 0, ...(count !== undefined && { maximum: count - 1 }) }
  return count !== undefined && count <= labels.length ? { enum: [...new Set(labels)] } : { type: 'string' }
}

/** How many scores an item has, where the model says so. */
export function scoreCount(outputs: readonly TensorSpec[]): number | undefined {
  const { shape = [] } = scoresOf(outputs) ?? {}
  const lengths = shape.length > 1 && shape[0] === -1 ? shape.slice(1) : shape // One row for each item.
  const count = lengths.reduce((product, length) => product * length, 1)
  return lengths.length > 0 && lengths.every(length => length > 0) ? count : undefined
}

/** Named tensors; any, where it is not known which there are. */
function named(outputs: readonly TensorSpec[]): Schema {
  if (outputs.length === 0) return { type: 'object', additionalProperties: ANY_TENSOR }
  return record(Object.fromEntries(outputs.map(output => [output.name, tensor(output)])))
}

const ANY_TENSOR = record({
  dtype: { type: 'string' },
  shape: list({ type: 'integer', minimum: 0 }),
  data: { type: ['array', 'string'] },
})

/** Without a shape any will do: a file that gives none is read as rank 0. */
function tensor({ dtype, shape }: TensorSpec): Schema {
  const lengths = shape.map(length => (length < 0 ? { type: 'integer', minimum: 0 } : { const: length }))
  return record({
    dtype: { const: dtype },
    shape:
      shape.length === 0
        ? list({ type: 'integer', minimum: 0 })
        : { type: 'array', prefixItems: lengths, items: false, minItems: shape.length },
    data: { anyOf: [list(element(dtype)), ...(dtype === 'string' ? [] : [BASE64])] },
  })
}

/** Little-endian bytes, where an input came so. */
const BASE64: Schema = { type: 'string', contentEncoding: 'base64' }

function element(dtype: Dtype): Schema {
  const type = numeric(dtype)
  switch (type?.kind) {
    case undefined:
      return { type: 'string' }
    case 'bool':
      return { type: 'boolean' }
    case 'float':
      return { anyOf: [{ type: 'number' }, { enum: ['NaN', 'Infinity', '-Infinity'] }] }
    case 'integer':
      return { type: 'integer', minimum: Number(type.min), maximum: Number(type.max) }
    case 'bigint': // Beyond 2^53 they are decimal text.
      return { anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^-?[0-9]{16,20}$' }] }
  }
}
