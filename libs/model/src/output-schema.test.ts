import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type ModelPackage, outputSchema, parseManifest, type TensorSpec } from './index.ts'
import { textModel } from './text-model.fixture.ts'

const ajv = new Ajv2020({ strictTypes: false })

const model = (fields: object, outputs: readonly TensorSpec[] = []): ModelPackage => ({
  ...textModel('a'),
  manifest: parseManifest(JSON.stringify({ name: 'A', ...fields })),
  outputs,
})
const scores = [{ name: 'y', dtype: 'float32', shape: [-1, 2] }] as const
const classifier = (postprocess: object, labels?: readonly string[]) =>
  model({ postprocess: { name: 'classify', ...postprocess }, ...(labels && { labels }) }, scores)
const tensors = model({}, [
  { name: 'y', dtype: 'int8', shape: [-1, 2] },
  { name: 'z', dtype: 'int64', shape: [] },
])
const y = { dtype: 'int8', shape: [1, 2], data: [-128, 127] }
const z = { dtype: 'int64', shape: [], data: ['9223372036854775807'] }
const ocr = model({ pipeline: { name: 'ocr' }, files: { detection: 'a', recognition: 'b', dictionary: 'c' } })
const speech = model({ pipeline: { name: 'speech' } })
const bytes = model({ pipeline: { name: 'file_type' }, files: { model: 'a', config: 'b', types: 'c' } })
const sentences = model({ pipeline: { name: 'embedding' }, files: { model: 'a', tokenizer: 'b' } }, [
  { name: 'h', dtype: 'float32', shape: [-1, -1, 2] },
])
const vector = { embedding: [0.6, -0.8], tokens: 3, truncated: false }
const pdf = {
  label: 'pdf',
  media_type: 'application/pdf',
  group: 'document',
  description: 'PDF document',
  extensions: ['pdf'],
  is_text: false,
  confidence: 0.99,
  model_label: 'pdf',
  overwrite_reason: 'none',
}
const corners = [
  [0, 0],
  [9, 0],
  [9, 5],
  [0, 5],
]
const line = { text: 'a', confidence: 0.9, box: corners }

const table: [what: string, model: ModelPackage, output: unknown, fits: boolean][] = [
  ['a label', classifier({}, ['cat', 'dog']), { label: 'dog', confidence: 2.5, scores: [-1, 2.5] }, true],
  ['another label', classifier({}, ['cat', 'dog']), { label: 'cow', confidence: 1, scores: [0, 1] }, false],
  ['a label by its number', classifier({ as: 'digit' }), { digit: 1, confidence: 1, scores: [0, 1] }, true],
  ['a number that there is not', classifier({ as: 'digit' }), { digit: 2, confidence: 1, scores: [0, 1] }, false],
  ['a score beyond the labels', classifier({}, ['cat']), { label: '1', confidence: 1, scores: [0, 1] }, true],
  ['no number', classifier({}), { label: 0, confidence: null, scores: [null, null] }, true],
  ['no probability', classifier({ softmax: true }), { label: 0, confidence: 1.1, scores: [0, 1] }, false],
  ['the best', classifier({ top: 1 }), { label: 0, confidence: 1, top: [{ label: 0, confidence: 1 }] }, true],
  [
    'too many of them',
    classifier({ top: 1 }),
    { label: 0, confidence: 1, top: Array(2).fill({ label: 0, confidence: 1 }) },
    false,
  ],
  ['nothing', classifier({}), {}, false],
  ['tensors', tensors, { y, z }, true],
  ['bytes', tensors, { y: { ...y, data: 'gH8=' }, z }, true],
  ['a tensor too few', tensors, { y }, false],
  ['one too many', tensors, { y, z, x: y }, false],
  ['another shape', tensors, { y: { ...y, shape: [1, 3] }, z }, false],
  ['another rank', tensors, { y: { ...y, shape: [2] }, z }, false],
  ['another type', tensors, { y: { ...y, dtype: 'uint8' }, z }, false],
  ['a number beyond its type', tensors, { y: { ...y, data: [0, 128] }, z }, false],
  ['any tensors, where they are not known', model({}), { whatever: y }, true],
  ['no tensors', model({}), { whatever: 1 }, false],
  ['text', ocr, { text: 'a', lines: [line], width: 10, height: 6 }, true],
  ['no text', ocr, { text: '', lines: [], width: 10, height: 6 }, true],
  [
    'a box with three corners',
    ocr,
    { text: 'a', lines: [{ ...line, box: corners.slice(1) }], width: 1, height: 1 },
    false,
  ],
  ['a line without a box', ocr, { text: 'a', lines: [{ text: 'a', confidence: 0.9 }], width: 1, height: 1 }, false],
  ['speech', speech, { segments: [{ start_s: 0.1, end_s: 2 }], duration_s: 3, speech_s: 1.9 }, true],
  ['a segment without an end', speech, { segments: [{ start_s: 0.1 }], duration_s: 3, speech_s: 1.9 }, false],
  ['a type of file', bytes, pdf, true],
  ['one that the model was not asked for', bytes, { ...pdf, model_label: null }, true],
  ['one without a media type', bytes, { ...pdf, media_type: '' }, false],
  ['one for a reason that there is not', bytes, { ...pdf, overwrite_reason: 'sure' }, false],
  ['a vector', sentences, vector, true],
  ['vectors', sentences, { embeddings: [vector, vector] }, true],
  ['a shorter vector', sentences, { ...vector, embedding: [1] }, false],
  ['no vectors', sentences, { embeddings: [] }, false],
  ['a vector that does not say whether it was cut', sentences, { embedding: [1, 0], tokens: 3 }, false],
  ['speech without a duration', speech, { segments: [], speech_s: 0 }, false],
]

for (const [what, model, output, fits] of table) {
  test(`${what} ${fits ? 'fits' : 'does not fit'} the schema`, () => {
    const schema = outputSchema(model)
    assert.equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema')
    assert.equal(ajv.compile(schema)(output), fits)
  })
}
