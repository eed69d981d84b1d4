/** Text that a real small language model generates, through REST: it says nothing clever, and all of it streams, is counted and can be stopped. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { faultsOf as schemaFaults } from '@millhand/employees/run-rules'
import { smallModelMissing } from '@millhand/gguf/fixture'
import { curlMissing } from '@millhand/test-servers'
import { faultsOf } from './documents.ts'
import { openEvents, type StreamEvent } from './event-stream.ts'
import { upload } from './files.ts'
import type { Wire } from './http.ts'
import { busiest } from './processes.ts'
import { repository, type Server, startServer, temporaryFolder } from './server.ts'
import { assertProblem, create, ended, reaches, run } from './tasks.ts'
import { textModels } from './text-generation.ts'

const LONG = {
  max_tokens: 4_000,
  response_schema: { type: 'array', minItems: 90, items: { type: 'string', minLength: 100 } },
}
const prompt = (input: string, parameters: object = {}) => ({
  type: 'inference',
  model: 'smollm2-135m-instruct',
  input,
  parameters: { max_tokens: 24, ...parameters },
})
const chat = (messages: unknown, parameters: object = {}) => ({
  ...prompt(JSON.stringify(messages), parameters),
  model: 'smollm2-135m-chat',
})

describe('text generation', { skip: smallModelMissing, timeout: 1_200_000 }, () => {
  let server: Server
  let models: string
  before(async () => {
    models = textModels()
    server = await startServer({ env: { MILLHAND_MODELS_DIR: models } })
  })
  after(() => server?.[Symbol.asyncDispose]())

  const headers = () => ({ authorization: `Bearer ${server.key}` })
  const refusal = (json: object) => server.request('POST', '/v1/tasks', { json })

  async function eventsOf(id: string): Promise<StreamEvent[]> {
    using stream = await openEvents(`${server.url}/v1/tasks/${id}/events`, { headers: headers() })
    return await Array.fromAsync(stream)
  }
  /** Resolves once the stream of the task has an event of this type. */
  async function hasEvent(id: string, wanted: string): Promise<void> {
    using stream = await openEvents(`${server.url}/v1/tasks/${id}/events`, { headers: headers() })
    for await (const { type } of stream) if (type === wanted) return
    assert.fail(`the task has ended without ${wanted}`)
  }

  /** Usage is counted from events, a moment later. */
  async function usageOnceCounted(): Promise<Wire> {
    for (;;) {
      const { body } = await server.request('GET', '/v1/usage')
      if (body.total.tasks.succeeded > 0) return body.total
    }
  }

  const textOf = (events: readonly StreamEvent[]) =>
    events
      .filter(({ type }) => type === 'task.output')
      .map(({ data }) => data.output.text)
      .join('')

  it('streams pieces of the text, and ends with all of it, the tokens and the times', async () => {
    const json = { ...prompt('Write a sentence about the sea.'), stream: true }
    using stream = await openEvents(`${server.url}/v1/tasks`, { method: 'POST', json, headers: headers() })
    const events = await Array.fromAsync(stream)
    const { task } = events.at(-1)?.data ?? {}
    assert.equal(task?.status, 'succeeded', JSON.stringify(task))
    assert.ok(events.filter(({ type }) => type === 'task.output').length > 5)
    const { text, finish_reason, timings } = task.output
    assert.equal(textOf(events), text)
    assert.ok(['stop', 'length'].includes(finish_reason))
    assert.ok(timings.time_to_first_token_ms > 0 && timings.tokens_per_second > 0, JSON.stringify(timings))
    assert.ok(task.usage.input_tokens > 5 && task.usage.output_tokens > 5, JSON.stringify(task.usage))
    assert.ok(task.usage.output_tokens <= 24)
    assert.deepEqual(task.engine, { kind: 'gguf', name: 'node-llama-cpp', provider: 'cpu' })
    const { input_tokens, output_tokens } = await usageOnceCounted()
    assert.deepEqual([input_tokens, output_tokens], [task.usage.input_tokens, task.usage.output_tokens])
  })

  it('is the same again by the same seed, and ends where it is told to', async () => {
    const say = async (parameters: object) =>
      (await run(server, prompt('Say something about spring.', parameters))).output
    const once = await say({ seed: 1 })
    assert.deepEqual((await say({ seed: 1 })).text, once.text)
    assert.notEqual((await say({ seed: 2 })).text, once.text)
    const stop = once.text.slice(8, 12)
    const cut = await say({ seed: 1, stop: [stop] })
    assert.deepEqual([cut.text, cut.finish_reason], [once.text.slice(0, once.text.indexOf(stop)), 'stop'])
    const short = await run(server, prompt('Count to one hundred.', { max_tokens: 3 }))
    assert.deepEqual([short.output.finish_reason, short.usage.output_tokens], ['length', 3])
  })

  it('is JSON by the schema that is asked for', async () => {
    const response_schema = {
      type: 'object',
      properties: {
        mood: { enum: ['good', 'bad'] },
        words: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', minLength: 1, maxLength: 20 } },
        count: { type: 'integer' },
      },
      required: ['mood', 'words', 'count'],
      additionalProperties: false,
    }
    const { output } = await run(server, prompt('How are you?', { response_schema, max_tokens: 200 }))
    assert.equal(output.finish_reason, 'stop', JSON.stringify(output))
    assert.equal(schemaFaults(response_schema, output.json), undefined)
    assert.deepEqual(JSON.parse(output.text), output.json)
  })

  it('goes on with a conversation, whose words are no marks of its form', async () => {
    const messages = [
      { role: 'system', content: 'You answer with one word.' },
      { role: 'user', content: 'Say yes.' },
      { role: 'assistant', content: 'Yes.' },
      { role: 'user', content: 'Say no.' },
    ]
    const [plain, marked] = await Promise.all([
      run(server, chat(messages)),
      run(server, chat([{ role: 'user', content: 'one <|im_end|> two <|im_start|> three' }])),
    ])
    assert.equal(plain.status, 'succeeded', JSON.stringify(plain.error))
    const unmarked = await run(server, chat([{ role: 'user', content: 'one two three' }]))
    // As marks they would be a token each.
    assert.ok(marked.usage.input_tokens > unmarked.usage.input_tokens + 6)
  })

  it('is of a file too', async () => {
    const file = await upload(server, 'Name three colors.', 'filename=prompt.txt', 'text/plain')
    const { input: _, ...rest } = prompt('')
    assert.equal((await run(server, { ...rest, input_file: file.id })).status, 'succeeded')
  })

  it('of several tasks at once comes from each alone, and a cancel stops its own', async () => {
    const unwanted = await create(server, prompt('Write for ever.', LONG))
    await reaches(server, unwanted.id, 'running')
    const others = await Promise.all(['One.', 'Two.', 'Three.'].map(input => create(server, prompt(input))))
    const { status } = await server.request('DELETE', `/v1/tasks/${unwanted.id}`)
    assert.equal(status, 200)
    assert.equal((await ended(server, unwanted.id)).status, 'cancelled')
    for (const { id } of others) {
      const task = await ended(server, id)
      assert.deepEqual([task.status, task.attempt], ['succeeded', 1], JSON.stringify(task.error))
      const events = await eventsOf(id)
      assert.equal(textOf(events), task.output.text)
      assert.ok(!events.some(({ type }) => type === 'task.retrying'))
    }
  })

  it('begins again where the process of its model is gone, and its stream says so', async () => {
    const { id } = await create(server, { ...prompt('Write for ever.', LONG), max_attempts: 2 })
    await hasEvent(id, 'task.output')
    process.kill(await busiest(server.pid), 'SIGKILL')
    await hasEvent(id, 'task.retrying')
    await reaches(server, id, 'running')
    await server.request('DELETE', `/v1/tasks/${id}`)
    const task = await ended(server, id)
    assert.deepEqual([task.status, task.attempt], ['cancelled', 2])
  })

  it('that takes too long is stopped, and so is an input that is too long for the model', async () => {
    const late = await run(server, { ...prompt('Write for ever.', LONG), run_timeout_s: 1 })
    assert.equal(late.error.code, 'run_timeout')
    const long = await run(server, prompt('word '.repeat(6_000)))
    assert.equal(long.error.code, 'model_input_invalid')
    assert.match(long.error.message, /tokens.*at most \d+/)
  })

  it('is asked for with parameters that can be', async () => {
    for (const [name, value] of [
      ['max_tokens', 0],
      ['max_tokens', 1.5],
      ['temperature', 2.1],
      ['top_p', 0],
      ['seed', -1],
      ['stop', []],
      ['stop', ['']],
      ['response_schema', []],
      ['response_schema', { anyOf: [] }],
      ['max_token', 5],
    ] as const)
      assertProblem(await refusal(prompt('Hi.', { [name]: value })), 400, 'invalid_parameter', `parameters.${name}`)
    assertProblem(await refusal(prompt('')), 400, 'missing_parameter', 'input')
    assertProblem(await refusal(chat([{ role: 'assistant', content: 'Hi.' }])), 400, 'model_input_invalid', 'input')
    assertProblem(await refusal({ ...prompt('Hi.'), type: 'batch' }), 400, 'invalid_parameter', 'type')
    const onGpu = await refusal(prompt('Hi.', { provider: 'webgpu' }))
    assertProblem(onGpu, 400, 'invalid_parameter', 'parameters.provider')
  })

  it('has models that are listed with what a caller needs, and broken ones with their fault', async () => {
    const { body } = await server.request('GET', '/v1/models/smollm2-135m-instruct')
    const { kind, format, input_format, batchable, engines, status } = body
    assert.deepEqual([kind, format, input_format, status], ['inference', 'gguf', 'text', 'ready'])
    assert.deepEqual([batchable, engines], [false, ['cpu']])
    const no = await server.request('GET', '/v1/models/no-text')
    assert.deepEqual([no.body.status, no.body.problem], ['broken', 'the file `model` is not of the form GGUF'])
    const broken = await run(server, { type: 'inference', model: 'broken-text', input: 'Hi.' })
    assert.equal(broken.error.code, 'model_broken')
  })

  it('is answered in the sandbox in the same form', async () => {
    const { body } = await server.request('GET', '/v1/models/smollm2-135m-instruct')
    const schema = body.output_schema
    const response_schema = { type: 'object', properties: { n: { type: 'integer' } } }
    for (const json of [prompt('Hi.'), prompt('Hi.', { response_schema })]) {
      const sandboxed = { authorization: `Bearer ${server.testKey}`, prefer: 'wait=60' }
      const mocked = await server.request('POST', '/v1/tasks', { json, headers: sandboxed })
      assert.equal(mocked.body.engine.kind, 'mock', mocked.text)
      assert.equal(schemaFaults(schema, mocked.body.output), undefined, mocked.text)
      assert.ok(mocked.body.usage.output_tokens > 0, mocked.text)
      assert.equal(schemaFaults(schema, (await run(server, json)).output), undefined)
    }
  })

  it('can be asked for as docs/text-generation.md shows', { skip: curlMissing() }, async () => {
    const text = readFileSync(join(repository, 'docs/text-generation.md'), 'utf8')
    const folder = temporaryFolder('millhand-text-')
    mkdirSync(join(folder, '.millhand'))
    writeFileSync(join(folder, '.millhand/bootstrap-keys.json'), JSON.stringify({ live: server.key }))
    assert.deepEqual(await faultsOf(text, { folder, url: server.url }), [])
  })

  it('is refused with the setting where none is generated', async () => {
    await using other = await startServer({ env: { MILLHAND_MODELS_DIR: models, MILLHAND_TEXT_SLOTS: '0' } })
    const answer = await other.request('POST', '/v1/tasks', { json: prompt('Hi.') })
    assertProblem(answer, 501, 'engine_unavailable', 'model')
    assert.match(answer.body.detail, /MILLHAND_TEXT_SLOTS is 0/)
    const { body } = await other.request('GET', '/v1/models/smollm2-135m-instruct')
    assert.deepEqual(body.engines, [])
    const sandboxed = { authorization: `Bearer ${other.testKey}`, prefer: 'wait=60' }
    const mocked = await other.request('POST', '/v1/tasks', { json: prompt('Hi.'), headers: sandboxed })
    assert.equal(mocked.body.status, 'succeeded', mocked.text)
  })

  it('leaves nothing of a prompt and no path in a log', () => {
    const { stdout, stderr } = server.logs()
    for (const secret of [models, 'about the sea']) assert.ok(!`${stdout}${stderr}`.includes(secret), secret)
  })
})
