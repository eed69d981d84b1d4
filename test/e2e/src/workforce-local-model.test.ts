/** Work that a small language model in a file writes, by REST: it says nothing clever, and all of it is counted and can be stopped. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { smallModel, smallModelMissing } from '@millhand/workforce/small-model'
import type { Wire } from './http.ts'
import { repository, type Server, startServer } from './server.ts'

const example = (employee: string, task: string): object =>
  JSON.parse(readFileSync(join(repository, 'services/workforce/employees', employee, task, 'example.json'), 'utf8'))

describe('work that a language model in a file writes', { skip: smallModelMissing, timeout: 600_000 }, () => {
  let server: Server
  before(async () => {
    server = await startServer({
      env: {
        MILLHAND_LLM_GGUF: smallModel,
        MILLHAND_LLM_INPUT_MICROS: '1000000',
        MILLHAND_LLM_OUTPUT_MICROS: '1000000',
      },
    })
  })
  after(() => server?.[Symbol.asyncDispose]())

  async function make(employee: string, task: string, more: object = {}): Promise<Wire> {
    const json = { task, ...example(employee, task), ...more }
    const made = await server.request('POST', `/v1/workforce/${employee}/tasks`, { json })
    assert.equal(made.status, 201, made.text)
    return made.body
  }

  async function until({ id }: Wire, ...states: readonly string[]): Promise<Wire> {
    for (;;) {
      const { body } = await server.request('GET', `/v1/tasks/${id}`, { headers: { prefer: 'wait=10' } })
      if (states.includes(body.status)) return body
    }
  }
  const ended = (task: Wire) => until(task, 'succeeded', 'failed', 'cancelled', 'expired')

  it('is stopped by `timeout_s`, by a cancel, and by what it may cost', async () => {
    const late = await make('emma', 'write_response', { timeout_s: 1 })
    assert.deepEqual((await ended(late)).error.code, 'run_timeout')
    const unwanted = await make('emma', 'write_response')
    await until(unwanted, 'running')
    await server.request('DELETE', `/v1/tasks/${unwanted.id}`)
    assert.equal((await ended(unwanted)).status, 'cancelled')
    const dear = await make('emma', 'write_response', { max_cost: { amount: '0.000100', currency: 'USD' } })
    assert.equal((await ended(dear)).error.code, 'max_cost_reached')
  })

  it('ends, two at once, with a result in form or honestly without one, and its tokens are counted', async () => {
    // As much as pays for one question and a short answer: a small model may have no end.
    const limits = { timeout_s: 500, max_cost: { amount: '0.002200', currency: 'USD' } }
    const made = [await make('emma', 'write_response', limits), await make('emma', 'write_response', limits)]
    for (const task of await Promise.all(made.map(ended))) {
      assert.ok(['succeeded', 'failed'].includes(task.status))
      if (task.status === 'succeeded') assert.equal(task.output.engine.name, 'gguf')
      else assert.ok(['answer_invalid', 'max_cost_reached'].includes(task.error.code), JSON.stringify(task.error))
      assert.ok(task.usage.input_tokens > 0 && task.usage.output_tokens > 0, JSON.stringify(task.usage))
    }
  })

  it('leaves no path of it in a log', () => {
    const { stdout, stderr } = server.logs()
    assert.ok(!`${stdout}${stderr}`.includes(smallModel))
  })
})
