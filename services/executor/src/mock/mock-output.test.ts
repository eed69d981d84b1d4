/** Answers of the sandbox and of real models fit one schema. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { RunItem } from '@millhand/child-process'
import { type ModelPackage, outputSchema, parseManifest, readOnnx, type TensorSpec } from '@millhand/model'
import { textModel } from '@millhand/model/fixture'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { everyType } from '../onnx/fixtures/every-type.ts'
import { dataUri, fixture, item, plainModel, shippedModel, start } from '../onnx/models.fixture.ts'
import { mockRunner } from './mock-runner.ts'

const ajv = new Ajv2020({ allErrors: true, strictTypes: false })

/** Throws for what the model's schema does not allow. */
function check(model: ModelPackage) {
  const validate = ajv.compile(outputSchema(model))
  return (output: string) => {
    assert.ok(validate(JSON.parse(output)), `${output.slice(0, 200)}: ${ajv.errorsText(validate.errors)}`)
  }
}

async function mocked(model: ModelPackage, given: RunItem): Promise<string> {
  const loaded = await mockRunner().load(model, new AbortController().signal)
  const [result] = (await loaded.run([given])).items
  assert.ok(result?.ok && 'output' in result, JSON.stringify(result))
  return result.output.toString()
}

const manifest = (fields: object) => parseManifest(JSON.stringify({ name: 'A', ...fields }))
const made = (fields: object, outputs: readonly TensorSpec[] = []): ModelPackage => ({
  ...textModel('made'),
  manifest: manifest(fields),
  outputs,
})
const dtypes = ['float32', 'float64', 'float16', 'int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32'] as const
const scores = [{ name: 'y', dtype: 'float32', shape: [-1, 3] }] as const
const classify = { preprocess: { name: 'text' }, postprocess: { name: 'classify' } }

const embedding = made({ pipeline: { name: 'embedding' }, files: { model: 'm.onnx', tokenizer: 't.json' } }, [
  { name: 'h', dtype: 'float32', shape: [-1, -1, 8] },
])

const models: readonly ModelPackage[] = [
  ...['digits', 'pp-ocr-v4', 'silero-vad', 'magika'].map(shippedModel),
  made({}),
  made(
    {},
    [...dtypes, 'int64', 'uint64', 'bool', 'string'].map(
      dtype => ({ name: dtype, dtype, shape: [-1, 3] }) as TensorSpec,
    ),
  ),
  made({}, [{ name: 'scalar', dtype: 'float32', shape: [] }]),
  made({ ...classify, labels: ['cat', 'dog', 'bird'] }, scores),
  made({ ...classify, labels: ['cat', 'dog'] }, scores),
  made({ ...classify, postprocess: { ...classify.postprocess, as: 'animal', softmax: true, top: 2 } }, scores),
  made({ ...classify, labels: ['cat'] }),
  embedding,
  made({ format: 'gguf' }),
]

describe('what the sandbox answers', () => {
  for (const [at, model] of models.entries()) {
    it(`fits the schema of ${model.id} (${at}), whatever the input, and the same to the same`, async () => {
      const fits = check(model)
      const request = fc.record({
        input: fc
          .oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constant('sandbox:stream'))
          .filter(text => text !== '' && !text.trimStart().startsWith('[')), // A list of texts would have to be one.
        parameters: fc.option(fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }), { nil: undefined }),
      })
      await fc.assert(
        fc.asyncProperty(request, async ({ input, parameters }) => {
          const given = { input, parameters: { ...parameters, interval_ms: 0 } }
          const output = await mocked(model, given)
          fits(output)
          assert.equal(await mocked(model, given), output)
        }),
        { numRuns: 60 },
      )
    })
  }

  it('has a label of the model’s', async () => {
    const model = made({ ...classify, labels: ['cat', 'dog', 'bird'] }, scores)
    const said = new Set<string>()
    for (let i = 0; i < 50; i++) said.add(JSON.parse(await mocked(model, item(`${i}`))).label)
    assert.deepEqual([...said].sort(), ['bird', 'cat', 'dog'])
  })

  it('has a vector for each text', async () => {
    const texts = JSON.stringify(['one', 'two', 'three'])
    const output = await mocked(embedding, item(texts))
    check(embedding)(output)
    assert.equal(JSON.parse(output).embeddings.length, 3)
    assert.equal(JSON.parse(await mocked(embedding, item('one'))).embedding.length, 8)
  })

  it('is a value by the schema that text is asked for in, whatever that is', async () => {
    const text = { type: 'string', minLength: 2, maxLength: 4 }
    const response_schema = {
      type: 'object',
      properties: {
        ...{ text, long: { type: 'string', minLength: 20 }, kind: { enum: ['a', null] }, two: { const: 2 } },
        ...{ is: { type: 'boolean' }, none: { type: 'null' }, n: { type: 'integer' }, x: { type: 'number' } },
        list: { type: 'array', items: text, minItems: 1, maxItems: 2 },
      },
      required: ['text', 'long', 'kind', 'two', 'is', 'none', 'n', 'x', 'list'],
    }
    const { json, text: said } = JSON.parse(await mocked(made({ format: 'gguf' }), item('Hi.', { response_schema })))
    assert.ok(ajv.validate(response_schema, json), JSON.stringify(json))
    assert.deepEqual(JSON.parse(said), json)
  })

  it('is no longer than the text that is asked for', async () => {
    const { text, finish_reason } = JSON.parse(await mocked(made({ format: 'gguf' }), item('Hi.', { max_tokens: 1 })))
    assert.ok(text !== '' && !text.includes(' '), text)
    assert.equal(finish_reason, 'length')
  })

  it('is refused where it would be too large', async () => {
    const model = made({}, [{ name: 'y', dtype: 'float32', shape: [1, 3, 640, 640] }])
    const loaded = await mockRunner().load(model, new AbortController().signal)
    const [result] = (await loaded.run([item('x')])).items
    assert.ok(result?.ok === false && result.code === 'output_too_large')
  })
})

/** As the catalogue has it: with what its file says of its outputs. */
function withOutputs(model: ModelPackage): ModelPackage {
  return { ...model, exampleInput: undefined, outputs: readOnnx(readFileSync(String(model.files.model))).outputs }
}

const scored = (postprocess: object, labels?: readonly string[]) =>
  plainModel('scores', {
    preprocess: { name: 'numbers', count: 3 },
    postprocess: { name: 'classify', ...postprocess },
    ...(labels && { labels }),
  })

const inBytes = everyType.replace('"data":[-128]', '"data":"gA=="')

describe('what a real model answers', () => {
  const receipt = dataUri('image/png', fixture('receipt.png'))
  for (const [model, more] of [
    [shippedModel('digits'), [`[${Array(64).fill(0)}]`, `[${Array(64).fill(16)}]`]],
    [shippedModel('pp-ocr-v4'), [receipt]],
    [shippedModel('silero-vad'), []],
    [shippedModel('magika'), ['data:;base64,', 'data:text/plain;base64,YQ==', receipt]],
    [withOutputs(plainModel('every-type')), [everyType, inBytes]],
    [withOutputs(plainModel('text', { preprocess: { name: 'text' } })), ['a', 'naïve']],
    [withOutputs(scored({})), ['[0,2,1]', '[0,0,0]']],
    [withOutputs(scored({ softmax: true, as: 'animal' }, ['cat', 'dog', 'bird'])), ['[0,2,1]', '[9e9,-9e9,0]']],
    [withOutputs(scored({ top: 2 }, ['cat'])), ['[0,2,1]']],
  ] as const) {
    it(`fits the schema of ${model.id}`, async () => {
      const loaded = await start(model)
      try {
        const fits = check(model)
        const inputs = [...(model.exampleInput === undefined ? [] : [model.exampleInput]), ...more]
        const { items } = await loaded.run(inputs.map(input => item(input)))
        for (const result of items) {
          assert.ok(result.ok && 'output' in result, JSON.stringify(result))
          fits(result.output.toString())
        }
      } finally {
        await loaded.kill()
      }
    })
  }
})
