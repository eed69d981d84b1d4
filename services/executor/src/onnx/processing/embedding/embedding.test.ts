/** Sentence embeddings, against vectors that were made without ONNX. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Loaded } from '@millhand/child-process'
import { referenceVectors, sentenceModelMissing, sentenceModels } from '@millhand/embedding/fixture'
import { loadCatalogue, type ModelPackage, outputSchema } from '@millhand/model'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { ask, item, load, said, start } from '../../models.fixture.ts'
import { embeddingProcessor } from './embedding.ts'

interface Embedded {
  readonly embedding: readonly number[]
  readonly tokens: number
  readonly truncated: boolean
}

/** Both have length 1. */
const cosine = (one: ArrayLike<number>, other: ArrayLike<number>): number =>
  Array.from(one).reduce((sum, value, at) => sum + value * (other[at] as number), 0)

/** As the catalogue has it, in as much memory as the executor gives. */
async function sentenceModel(): Promise<ModelPackage> {
  const entry = (await loadCatalogue([{ path: sentenceModels, ownedBy: 'operator' }])).get('all-minilm-l6-v2')
  assert.ok(entry?.status === 'ready', JSON.stringify(entry))
  return entry
}
const memory = { memoryLimitBytes: 2 ** 30 }

it('an embedding that fails fails its own task alone', async () => {
  const processor = embeddingProcessor({
    tokenize: text => ({ tokens: [text.length], truncated: false }),
    async encode(texts) {
      if (texts.some(({ tokens }) => tokens[0] === 3)) throw new Error('odd')
      return texts.map(({ tokens }) => Float32Array.from(tokens))
    },
  })
  const inputs = ['a', 'abc', '["a","abc"]', '["a","ab"]']
  const results = await processor.run(
    inputs.map(input => ({ input, parameters: undefined })),
    async () => {},
  )
  assert.deepEqual(
    results.map(result =>
      result instanceof Error ? result.message : (JSON.parse(String(result)).embeddings?.length ?? 1),
    ),
    [1, 'odd', 'odd', 2],
  )
})

describe('sentence embeddings', { skip: sentenceModelMissing }, () => {
  const known = referenceVectors.filter(({ text }) => text !== '')
  let packed: ModelPackage
  let model: Loaded
  before(async () => {
    packed = await sentenceModel()
    model = await start(packed, memory)
  })
  after(() => model?.kill())

  it('are the reference vectors, of one text, of a list and of several tasks at once', async () => {
    const check = (what: string, answers: readonly Embedded[]) => {
      assert.equal(answers.length, known.length)
      for (const [at, { text, vector }] of known.entries()) {
        const { embedding } = answers[at] as Embedded
        assert.equal(embedding.length, 384)
        assert.ok(Math.abs(Math.hypot(...embedding) - 1) < 1e-5, text)
        assert.ok(cosine(embedding, vector) > 0.99999, `${what}: ${text}: ${cosine(embedding, vector)}`)
      }
    }
    const alone: Embedded[] = []
    for (const { text } of known) alone.push(await ask(model, text))
    check('alone', alone)
    const texts = JSON.stringify(known.map(({ text }) => text))
    check('in a list', (await ask(model, texts)).embeddings)
    const { items } = await model.run([...known.map(({ text }) => item(text)), item(texts), item('[1]')])
    const answers = items.map(said)
    check('beside others', answers.slice(0, known.length))
    check('in a list beside others', answers.at(-2).embeddings)
    assert.equal(answers.at(-1), 'model_input_invalid')
  })

  it('say how many tokens they are of, and whether the text was cut', async () => {
    const words = (count: number) => 'lamp '.repeat(count)
    const told = async (text: string) => {
      const { tokens, truncated } = await ask(model, text)
      return [tokens, truncated]
    }
    assert.deepEqual(await told('lamp'), [3, false])
    assert.deepEqual(await told(words(254)), [256, false])
    assert.deepEqual(await told(words(255)), [256, true])
    // One word of any length is one token; what is behind the bound is not read.
    assert.deepEqual(await told('x'.repeat(200_000)), [3, true])
    const cut = await ask(model, words(300))
    assert.ok(cosine(cut.embedding, (await ask(model, words(254))).embedding) > 0.99999)
  })

  it('are near for texts that mean the same, as the example of the manifest shows', async () => {
    const { embeddings } = await ask(model, packed.exampleInput as string)
    const [reset, forgot, parcel] = embeddings.map(({ embedding }: Embedded) => embedding)
    assert.ok(cosine(reset, forgot) > cosine(reset, parcel) + 0.2)
  })

  it('fit the schema of the model', async () => {
    const validate = new Ajv2020({ strictTypes: false }).compile(outputSchema(packed))
    for (const input of ['a', '["a"]', packed.exampleInput as string]) {
      assert.ok(validate(await ask(model, input)), JSON.stringify(validate.errors))
    }
  })

  it('are made of text in a file, which must be UTF-8', async t => {
    const folder = mkdtempSync(join(tmpdir(), 'millhand-texts-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const inFile = (content: string | Uint8Array) => {
      writeFileSync(join(folder, 'texts'), content)
      return { path: join(folder, 'texts'), bytes: Buffer.byteLength(content) }
    }
    assert.deepEqual(await ask(model, inFile('["one","two"]')), await ask(model, '["one","two"]'))
    await assert.rejects(ask(model, inFile(Buffer.from([0xff]))), { message: /not UTF-8/ })
  })

  it('are of no model whose tokenizer or network is another', async t => {
    const folder = mkdtempSync(join(tmpdir(), 'millhand-sentence-models-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const { model: vocabulary, ...rest } = JSON.parse(readFileSync(packed.files.tokenizer as string, 'utf8'))
    const empty = join(folder, 'tokenizer.json')
    writeFileSync(empty, JSON.stringify({ ...rest, model: { ...vocabulary, vocab: {} } }))
    const digits = join(import.meta.dirname, '../../../../../../deploy/models/digits/model.onnx')
    for (const [files, says] of [
      [{ tokenizer: empty }, /does not tell words apart/],
      [{ tokenizer: digits }, /./],
      [{ model: digits }, /its inputs are .*, and not input_ids/],
    ] as const) {
      const wrong = { ...packed, files: { ...packed.files, ...files } }
      await assert.rejects(load(t, wrong, memory), { code: 'model_broken', message: says })
    }
  })
})
