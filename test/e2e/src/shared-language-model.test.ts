/** A GGUF file that tasks and the workforce use is loaded once: one process answers both, and its end is the end for both. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { smallModelMissing } from '@millhand/gguf/fixture'
import { openEvents } from './event-stream.ts'
import type { Wire } from './http.ts'
import { descendants } from './processes.ts'
import { type Server, startServer } from './server.ts'
import { create, ended, reaches, run } from './tasks.ts'
import { textModels } from './text-generation.ts'

const LONG = {
  max_tokens: 4_000,
  response_schema: { type: 'array', minItems: 90, items: { type: 'string', minLength: 100 } },
}
const prompt = (input: string, parameters: object = {}) => ({
  ...{ type: 'inference', model: 'smollm2-135m-instruct', input },
  parameters: { max_tokens: 16, ...parameters },
})

describe('a language model that tasks and the workforce use', { skip: smallModelMissing, timeout: 1_200_000 }, () => {
  let server: Server
  before(async () => {
    const models = textModels()
    server = await startServer({
      env: {
        MILLHAND_MODELS_DIR: models,
        // Another path of the same file.
        MILLHAND_LLM_GGUF: join(models, 'smollm2-135m-chat/model.gguf'),
        MILLHAND_LLM_INPUT_MICROS: '1000000',
        MILLHAND_LLM_OUTPUT_MICROS: '1000000',
        // Too little for two models at once.
        MILLHAND_MODELS_MEMORY_MB: '256',
      },
    })
  })
  after(() => server?.[Symbol.asyncDispose]())

  /** The processes of language models. */
  const language = () => descendants(server.pid).flatMap(({ pid }) => (isLanguageModel(pid) ? [pid] : []))

  async function brief(): Promise<Wire> {
    const max_cost = { amount: '0.001500', currency: 'USD' }
    const json = { task: 'write_response', topic: 'Thanks', input: {}, seed: 1, timeout_s: 900, max_cost }
    const made = await server.request('POST', '/v1/workforce/emma/tasks', { json })
    assert.equal(made.status, 201, made.text)
    return made.body
  }

  /** A small model may say nothing that is of any use; that it was asked is in the usage. */
  async function isAnswered({ id }: Wire): Promise<void> {
    const { status, error, usage } = await ended(server, id, 900_000)
    if (status !== 'succeeded')
      assert.ok(['answer_invalid', 'max_cost_reached'].includes(error.code), JSON.stringify(error))
    assert.ok(usage.input_tokens > 0 && usage.output_tokens > 0, JSON.stringify(usage))
  }

  it('has one process, which answers a task and a brief at once', async () => {
    const loaded = language()
    assert.equal(loaded.length, 1)
    const asked = await brief()
    const tasks = await Promise.all([
      run(server, prompt('Name three colors.')),
      run(server, {
        ...prompt(JSON.stringify([{ role: 'user', content: 'Name three colors.' }])),
        model: 'smollm2-135m-chat',
      }),
    ])
    for (const { status, error } of tasks) assert.equal(status, 'succeeded', JSON.stringify(error))
    await isAnswered(asked)
    assert.deepEqual(language(), loaded)
  })

  it('goes on in another process for both where that is killed', async () => {
    const [killed = 0] = language()
    const { id } = await create(server, { ...prompt('Write for ever.', LONG), max_attempts: 2 })
    await hasEvent(id, 'task.output')
    process.kill(killed, 'SIGKILL')
    await hasEvent(id, 'task.retrying')
    await reaches(server, id, 'running')
    await isAnswered(await brief())
    await server.request('DELETE', `/v1/tasks/${id}`)
    assert.equal((await ended(server, id)).attempt, 2)
    const [pid, ...more] = language()
    assert.notEqual(pid, killed)
    assert.deepEqual(more, [])
  })

  it('is unloaded where another model needs its room and neither uses it, and loaded again by either', async () => {
    const [first = 0] = language()
    const other = await run(server, { ...prompt('Hi.'), model: 'broken-text' })
    assert.equal(other.error.code, 'model_broken')
    assert.deepEqual(language(), [])
    await isAnswered(await brief())
    const [second = 0] = language()
    assert.notEqual(second, first)
    assert.equal((await run(server, prompt('Name three colors.'))).status, 'succeeded')
    assert.deepEqual(language(), [second])
  })

  /** Resolves once the stream of the task has an event of this type. */
  async function hasEvent(id: string, wanted: string): Promise<void> {
    const headers = { authorization: `Bearer ${server.key}` }
    using stream = await openEvents(`${server.url}/v1/tasks/${id}/events`, { headers })
    for await (const { type } of stream) if (type === wanted) return
    assert.fail(`the task has ended without ${wanted}`)
  }
})

/** Whether it is the process itself, and not what sets up its sandbox. */
function isLanguageModel(pid: number): boolean {
  try {
    const [program = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return basename(program) === basename(process.execPath) && args.some(arg => arg.endsWith('gguf/src/child.ts'))
  } catch {
    return false // It has gone in the meantime.
  }
}
