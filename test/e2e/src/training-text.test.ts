/** A classifier of texts, trained on the frozen sentence encoder that `deploy/optional-models/all-minilm-l6-v2/install.sh` makes. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { sentenceModelMissing, sentenceModels } from '@millhand/embedding/fixture'
import { curlMissing } from '@millhand/test-servers'
import { faultsOf } from './documents.ts'
import { repository, type Server, startServer, temporaryFolder } from './server.ts'
import { assertProblem, create, ended, run } from './tasks.ts'

const read = (name: string) => readFileSync(join(repository, 'test/fixtures/tickets', name), 'utf8')
const linesOf = (text: string) => text.trim().split('\n')
const parameters = { epochs: 200, learning_rate: 0.01, validation_split: 0, seed: 1 }
const training = (rest: object) => ({ type: 'training', model: 'all-minilm-l6-v2', parameters, ...rest })

/** As docs/training-text.md has them. */
const adapting = {
  ...{ train: 'lora', epochs: 12, batch_size: 16, learning_rate: 0.005, schedule: 'cosine' },
  ...{ validation_split: 0, seed: 1 },
}

/** For a run that takes half a minute on a machine with nothing else to do. */
const HOUR_S = 3_600

/** Of 228, with its own parameters: `test/fixtures/tickets/logistic-regression.py`. */
const RIGHT_BY_SCIKIT_LEARN = 138
/**
 * Here adapters have 160, and the frozen encoder 154; nine runs with other seeds and rates had from 134. Another kind of
 * processor rounds otherwise, which is as another seed.
 */
const LEAST_WITH_ADAPTERS = 125

describe('a classifier of texts', { skip: sentenceModelMissing, timeout: 5_400_000 }, () => {
  let server: Server
  before(async () => {
    server = await startServer({ env: { MILLHAND_MODELS_DIR: sentenceModels } })
  })
  after(() => server?.[Symbol.asyncDispose]())

  /** How many of the 228 sentences that no run learns from a model has right. */
  async function rightBy(model: string): Promise<number> {
    const heldOut = linesOf(read('held-out.jsonl')).map(line => JSON.parse(line))
    const lines = heldOut.map(({ input }) => JSON.stringify(input)).join('\n')
    const batch = await run(server, { type: 'batch', model, input: lines })
    assert.equal(batch.status, 'succeeded', JSON.stringify(batch.error))
    const { text } = await server.request('GET', `/v1/files/${batch.output_file}/content`)
    const answers = linesOf(text).map(line => JSON.parse(line).output)
    assert.equal(answers.length, heldOut.length)
    return answers.filter(({ label }, at) => label === heldOut[at].label).length
  }

  it('is trained on 200 sentences, and better than logistic regression; adapters train the encoder beside it', async t => {
    const task = await run(server, training({ input: read('train.jsonl') }))
    assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
    const { model, digest, card } = task.output
    assert.deepEqual([card.data.examples, card.parameters.train, card.labels.length], [200, 'head', 7])
    const right = await rightBy(model)
    assert.ok(right >= RIGHT_BY_SCIKIT_LEARN, `${right} are right`)

    const asked = training({ input: read('train.jsonl'), parameters: adapting, run_timeout_s: HOUR_S })
    const adapted = await ended(server, (await create(server, asked)).id, HOUR_S * 1_000)
    assert.equal(adapted.status, 'succeeded', JSON.stringify(adapted.error))
    assert.deepEqual([adapted.output.card.parameters.rank, adapted.output.card.labels], [8, card.labels])
    const rightAdapted = await rightBy(adapted.output.model)
    t.diagnostic(`${right} of 228 are right with a frozen encoder, ${rightAdapted} with adapters`)
    assert.ok(rightAdapted >= LEAST_WITH_ADAPTERS, `${rightAdapted} are right, and ${right} with a frozen encoder`)

    const { body: made } = await server.request('GET', `/v1/models/${model}`)
    assert.deepEqual([made.input_format, made.trainable_parts], ['text', ['head', 'lora']])
    assert.deepEqual(made.training.labels, card.labels)
    const again = await run(server, training({ input: read('train.jsonl') }))
    assert.equal(again.output.digest, digest)
    // What was trained is a base itself, for other labels.
    const examples = ['Good.', 'Great!', 'Bad.', 'Awful!'].map((input, at) => ({ input, label: at < 2 }))
    const input = examples.map(example => JSON.stringify(example)).join('\n')
    const other = await run(server, training({ model, input, parameters: { batch_size: 2, validation_split: 0 } }))
    assert.deepEqual(other.output?.card.labels, ['true', 'false'], JSON.stringify(other.error))
    const answer = await run(server, { type: 'inference', model: other.output.model, input: 'Splendid!' })
    assert.equal(answer.output?.label, 'true', JSON.stringify(answer))
  })

  it('is refused for what else is asked', async () => {
    const { data } = (await server.request('GET', '/v1/models')).body
    const parts = new Map(
      data.map(({ id, trainable_parts }: { id: string; trainable_parts: string[] }) => [id, trainable_parts]),
    )
    assert.deepEqual(parts.get('all-minilm-l6-v2'), ['head', 'lora'])
    assert.deepEqual(parts.get('digits'), ['all', 'head', 'lora'])
    assert.deepEqual(parts.get('silero-vad'), [])
    for (const [wrong, param] of [
      [{ train: 'all' }, 'parameters.train'],
      [{ rank: 8 }, 'parameters.rank'],
      [{ train: 'lora', rank: 0 }, 'parameters.rank'],
      [{ loss: 'mean_squared' }, 'parameters.loss'],
    ] as const) {
      const answer = await server.request('POST', '/v1/tasks', { json: training({ input: '{}', parameters: wrong }) })
      assertProblem(answer, 400, 'invalid_parameter', param)
    }
  })

  it('is not made of bad examples, which are named by line and column', async () => {
    const before = (await server.request('GET', '/v1/models?limit=100')).body.data.length
    const lines = linesOf(read('train.jsonl')).slice(0, 40)
    const sole = lines.map(line => JSON.stringify({ ...JSON.parse(line), label: 'one' }))
    for (const [examples, said] of [
      [[...lines, '{"input":"  ","label":"keys"}'], /line 41, column `input`: the text is empty/],
      [[...lines, '{"input":[1,2],"label":"keys"}'], /line 41, column `input`: must be a text/],
      [[...lines, '{"input":"Hi.","label":""}'], /line 41, column `label`/],
      [[...lines, '{"input":"Hi."}'], /line 41, column `label`: is missing/],
      [[...lines, '{"input":"Hi.","label":"keys","more":1}'], /line 41, column `more`/],
      [sole, /line 40, column `label`: all examples from line 1 on have one class/],
    ] as const) {
      const task = await run(server, training({ input: examples.join('\n') }))
      assert.equal(task.error?.code, 'model_input_invalid', JSON.stringify(task))
      assert.match(task.error.message, said)
    }
    assert.equal((await server.request('GET', '/v1/models?limit=100')).body.data.length, before)
  })

  it('has the same form in the sandbox', async () => {
    const headers = { authorization: `Bearer ${server.testKey}`, prefer: 'wait=60' }
    const json = training({ input: read('train.jsonl') })
    const { body: task } = await server.request('POST', '/v1/tasks', { json, headers })
    assert.equal(task.status, 'succeeded', JSON.stringify(task))
    const asked = { type: 'inference', model: task.output.model, input: 'Where is my key?' }
    const { body: answer } = await server.request('POST', '/v1/tasks', { json: asked, headers })
    assert.equal(answer.status, 'succeeded', JSON.stringify(answer))
    assert.ok(task.output.card.labels.includes(answer.output.label), JSON.stringify(answer.output))
  })

  it('can be trained as docs/training-text.md shows', { skip: curlMissing() }, async () => {
    const text = readFileSync(join(repository, 'docs/training-text.md'), 'utf8')
    const folder = temporaryFolder('millhand-training-')
    mkdirSync(join(folder, '.millhand'))
    writeFileSync(join(folder, '.millhand/bootstrap-keys.json'), JSON.stringify({ live: server.key }))
    const place = text.replaceAll('test/fixtures', join(repository, 'test/fixtures'))
    assert.deepEqual(await faultsOf(place, { folder, url: server.url }), [])
  })
})
