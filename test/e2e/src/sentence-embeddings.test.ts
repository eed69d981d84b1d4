/** Vectors of texts through REST, by the model that `deploy/optional-models/all-minilm-l6-v2/install.sh` makes. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { referenceVectors, sentenceModelMissing, sentenceModels } from '@millhand/embedding/fixture'
import { upload } from './files.ts'
import type { Wire } from './http.ts'
import { type Server, startServer } from './server.ts'
import { assertProblem, run } from './tasks.ts'

const embed = (rest: object) => ({ type: 'inference', model: 'all-minilm-l6-v2', ...rest })
/** Both have length 1. */
const cosine = (one: readonly number[], other: ArrayLike<number>) =>
  one.reduce((sum, value, at) => sum + value * (other[at] as number), 0)

describe('sentence embeddings', { skip: sentenceModelMissing, timeout: 600_000 }, () => {
  let server: Server
  before(async () => {
    server = await startServer({ env: { MILLHAND_MODELS_DIR: sentenceModels } })
  })
  after(() => server?.[Symbol.asyncDispose]())

  it('are the reference vectors, of a text, of a list and of a file', async () => {
    const known = referenceVectors.filter(({ text }) => text.trim() !== '')
    const list = JSON.stringify(known.map(({ text }) => text))
    const file = await upload(server, list, 'filename=texts.json', 'application/json')
    const [one, many, byFile] = await Promise.all([
      run(server, embed({ input: known[0]?.text })),
      run(server, embed({ input: list })),
      run(server, embed({ input_file: file.id })),
    ])
    assert.equal(one.status, 'succeeded', JSON.stringify(one.error))
    const { embeddings } = many.output
    assert.deepEqual(byFile.output, many.output)
    assert.equal(embeddings.length, known.length)
    for (const [at, { text, vector }] of known.entries()) {
      assert.ok(cosine(embeddings[at].embedding, vector) > 0.999, text)
    }
    assert.ok(cosine(one.output.embedding, embeddings[0].embedding) > 0.99999)
  })

  it('are of each line of a batch task', async () => {
    const known = referenceVectors.filter(({ text }) => text !== '').slice(0, 8)
    const lines = ['""', ...known.map(({ text }) => JSON.stringify(text))]
    const task = await run(server, { type: 'batch', model: 'all-minilm-l6-v2', input: lines.join('\n') })
    assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
    const { text } = await server.request('GET', `/v1/files/${task.output_file}/content`)
    const [empty, ...results] = text.trim().split('\n')
    assert.match(empty ?? '', /the input is empty/)
    assert.equal(results.length, known.length)
    for (const [at, { vector }] of known.entries()) {
      assert.ok(cosine(JSON.parse(results[at] as string).output.embedding, vector) > 0.999)
    }
  })

  it('say that a long text was cut', async () => {
    const { output } = await run(server, embed({ input: JSON.stringify(['A lamp.', 'A lamp. '.repeat(200)]) }))
    assert.deepEqual(
      output.embeddings.map(({ tokens, truncated }: Wire) => [tokens, truncated]),
      [
        [5, false],
        [256, true],
      ],
    )
  })

  it('are listed with their model, and answered in the sandbox as the schema says', async () => {
    const { body } = await server.request('GET', '/v1/models/all-minilm-l6-v2')
    assert.deepEqual(
      [body.status, body.input_format, body.owned_by, body.license, body.batchable],
      ['ready', 'text', 'operator', 'Apache-2.0', true],
    )
    const headers = { authorization: `Bearer ${server.testKey}`, prefer: 'wait=60' }
    for (const input of ['A lamp.', body.example_input]) {
      const mocked = await server.request('POST', '/v1/tasks', { json: embed({ input }), headers })
      assert.equal(mocked.body.engine.kind, 'mock', mocked.text)
      const real = await run(server, embed({ input }))
      assert.deepEqual(shapeOf(mocked.body.output), shapeOf(real.output))
    }
  })

  it('are of texts that are there', async () => {
    for (const [input, says] of [
      ['[]', /from 1 to 256, not 0/],
      ['["a",""]', /item 1 of the list must be a string that is not empty/],
      ['[1,2]', /item 0 of the list must be a string/],
    ] as const) {
      const answer = await server.request('POST', '/v1/tasks', { json: embed({ input }) })
      assertProblem(answer, 400, 'model_input_invalid', 'input')
      assert.match(answer.body.detail, says)
    }
  })
})

/** The keys of an output and the lengths of its lists. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return typeof value[0] === 'number' ? value.length : value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shapeOf(item)]))
}
