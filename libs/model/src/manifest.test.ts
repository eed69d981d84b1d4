import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseManifest } from './manifest.ts'
import { ManifestInvalid } from './manifest-fields.ts'

const parse = (fields: object) => parseManifest(JSON.stringify({ name: 'A', ...fields }))

test('a name is enough: JSON tensors in and out of model.onnx', () => {
  const { processing, files, inputFormat, batchable, maxBatch } = parse({})
  assert.deepEqual(processing, {
    kind: 'single',
    preprocess: { name: 'tensors' },
    postprocess: { name: 'tensors' },
  })
  assert.deepEqual(
    { files, inputFormat, batchable, maxBatch },
    {
      files: { model: 'model.onnx' },
      inputFormat: 'tensors',
      batchable: false,
      maxBatch: 1,
    },
  )
})

const FILE_TYPE_FILES = { model: 'm.onnx', config: 'c.json', types: 't.json' }
const EMBEDDING_FILES = { model: 'm.onnx', tokenizer: 't.json' }
const OCR_FILES = { detection: 'd.onnx', recognition: 'r.onnx', dictionary: 'd.txt' }

test('the input format follows from the processing', () => {
  assert.equal(parse({ preprocess: { name: 'numbers', count: 4 } }).inputFormat, 'json')
  assert.equal(parse({ preprocess: { name: 'image', width: 8, height: 8 } }).inputFormat, 'image')
  assert.equal(parse({ preprocess: { name: 'text' } }).inputFormat, 'text')
  assert.equal(parse({ pipeline: { name: 'ocr' }, files: OCR_FILES }).inputFormat, 'image')
  assert.equal(parse({ pipeline: { name: 'speech' } }).inputFormat, 'audio')
  assert.equal(parse({ pipeline: { name: 'file_type' }, files: FILE_TYPE_FILES }).inputFormat, 'bytes')
  assert.equal(parse({ pipeline: { name: 'embedding' }, files: EMBEDDING_FILES }).inputFormat, 'text')
})

test('a language model takes prompts or conversations, on the processor', () => {
  const { inputFormat, processing, files, providers, maxBatch } = parse({ format: 'gguf' })
  assert.deepEqual([inputFormat, files, providers, maxBatch], ['text', { model: 'model.gguf' }, ['cpu'], 1])
  assert.deepEqual(processing, { kind: 'text_generation', contextTokens: 4_096 })
  const chat = parse({ format: 'gguf', input_format: 'json', context_tokens: 512 })
  assert.deepEqual([chat.inputFormat, chat.processing], ['json', { ...processing, contextTokens: 512 }])
})

test('a pipeline that runs several inputs at once may have a batch', () => {
  const { batchable, maxBatch } = parse({ pipeline: { name: 'embedding' }, files: EMBEDDING_FILES, batchable: true })
  assert.deepEqual([batchable, maxBatch], [true, 32])
})

const refused: [what: string, fields: object, says: RegExp][] = [
  ['a missing name', { name: '' }, /`name` must be a string/],
  ['an unknown field', { colour: 'red' }, /`colour` is not known here/],
  ['an unknown nested field', { preprocess: { name: 'text', x: 1 } }, /`preprocess.x` is not known here/],
  ['another format', { format: 'pickle' }, /`format` must be one of onnx, gguf/],
  ['processing of a language model', { format: 'gguf', preprocess: { name: 'text' } }, /`preprocess` does not go with/],
  ['a batch of a language model', { format: 'gguf', batchable: true }, /`batchable` does not go with/],
  ['pictures for a language model', { format: 'gguf', input_format: 'image' }, /must be text or json/],
  [
    'no room for a language model',
    { format: 'gguf', context_tokens: 255 },
    /`context_tokens` must be a number from 256/,
  ],
  ['a room for what has none', { context_tokens: 4_096 }, /`context_tokens` is not known here/],
  ['an input format that does not fit', { input_format: 'image' }, /`input_format` must be tensors/],
  ['an unknown preprocessing', { preprocess: { name: 'magic' } }, /`preprocess.name` must be one of tensors, numbers/],
  ['a count of 0', { preprocess: { name: 'numbers', count: 0 } }, /`preprocess.count` must be a number from 1/],
  ['half a number', { max_batch: 1.5, batchable: true }, /`max_batch` must be a whole number/],
  ['a large batch without batchable', { max_batch: 8 }, /`max_batch` must be a number from 1 to 1/],
  ['a shape of another size', { preprocess: { name: 'numbers', count: 4, shape: [3] } }, /`preprocess.shape`/],
  ['a file that is no text', { files: { model: 3 } }, /`files.model` must be a path/],
  ['a pipeline without its files', { pipeline: { name: 'ocr' } }, /`files.detection` is missing/],
  ['a pipeline without one of them', { pipeline: { name: 'file_type' } }, /`files.config` is missing/],
  [
    'a pipeline and preprocessing',
    { pipeline: { name: 'speech' }, preprocess: { name: 'text' } },
    /`preprocess` does not/,
  ],
  ['a pipeline in batches', { pipeline: { name: 'speech' }, batchable: true }, /`batchable` must be false/],
  ['a metric in words', { metrics: { accuracy: 'good' } }, /`metrics.accuracy` must be a number/],
  [
    'an input of no type',
    { inputs: [{ name: 'x', dtype: 'float8', shape: [1] }] },
    /`inputs\[0\].dtype` must be one of/,
  ],
  [
    'a length that the public message has no room for',
    { inputs: [{ name: 'x', dtype: 'int8', shape: [2 ** 31] }] },
    /`inputs\[0\].shape` must be whole numbers below 2\^31/,
  ],
  ['labels that are no list', { labels: 'a,b' }, /`labels` must be a list of strings/],
]

for (const [what, fields, says] of refused) {
  test(`refuses ${what}`, () => {
    assert.throws(
      () => parse(fields),
      error => error instanceof ManifestInvalid && says.test(error.message),
    )
  })
}

test('a field or path of any length is told back in part', () => {
  const long = 'n'.repeat(400_000)
  for (const fields of [
    { [long]: 1 },
    { metrics: { [long]: 'good' } },
    { files: { [long]: 1 } },
    { inputs: [{ [long]: 1 }] },
  ])
    assert.throws(
      () => parse(fields),
      error => error instanceof ManifestInvalid && error.message.length < 200,
    )
})

test('refuses what is no JSON object', () => {
  for (const text of ['', '{', '[]', 'null', '3']) assert.throws(() => parseManifest(text), ManifestInvalid)
})
