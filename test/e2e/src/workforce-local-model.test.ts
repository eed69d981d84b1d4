/** Work that a small language model in a file writes, by REST: it says nothing clever, and all of it is counted and can be stopped. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { faultsOf } from '@millhand/employees/run-rules'
import { smallModel, smallModelMissing } from '@millhand/gguf/fixture'
import type { Wire } from './http.ts'
import { checksOf, kindOf } from './kinds.ts'
import { type Server, startServer } from './server.ts'
import { reaches } from './tasks.ts'

const costing = (amount: string) => ({ max_cost: { amount, currency: 'USD' } })

describe('work that a language model in a file writes', { skip: smallModelMissing, timeout: 1_200_000 }, () => {
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

  const make = (employee: string, task: string, more: object = {}) =>
    post(employee, task, { ...kindOf(employee, task).example, ...more })

  async function post(employee: string, task: string, brief: object): Promise<Wire> {
    const made = await server.request('POST', `/v1/workforce/${employee}/tasks`, { json: { task, ...brief } })
    assert.equal(made.status, 201, made.text)
    return made.body
  }

  async function ended({ id }: Wire): Promise<Wire> {
    for (;;) {
      const { body } = await server.request('GET', `/v1/tasks/${id}`, { headers: { prefer: 'wait=10' } })
      if (body.finished_at) return body
    }
  }

  async function cancelOnceItRuns({ id }: Wire): Promise<void> {
    await reaches(server, id, 'running')
    await server.request('DELETE', `/v1/tasks/${id}`)
  }

  it('is stopped by `timeout_s`, by a cancel, and by what it may cost', async () => {
    const late = await make('emma', 'write_response', { timeout_s: 1 })
    assert.deepEqual((await ended(late)).error.code, 'run_timeout')
    const unwanted = await make('emma', 'write_response')
    await cancelOnceItRuns(unwanted)
    assert.equal((await ended(unwanted)).status, 'cancelled')
    const dear = await make('emma', 'write_response', costing('0.000100'))
    assert.equal((await ended(dear)).error.code, 'max_cost_reached')
  })

  it('ends, two at once, with a result in form or honestly without one, and its tokens are counted', async () => {
    // As much as pays for one question and a short answer: a small model may have no end.
    const limits = { timeout_s: 900, ...costing('0.002200') }
    const made = [await make('emma', 'write_response', limits), await make('emma', 'write_response', limits)]
    for (const task of await Promise.all(made.map(ended))) {
      assert.ok(['succeeded', 'failed'].includes(task.status))
      if (task.status === 'succeeded') assert.equal(task.output.engine.name, 'gguf')
      else assert.ok(['answer_invalid', 'max_cost_reached'].includes(task.error.code), JSON.stringify(task.error))
      assert.ok(task.usage.input_tokens > 0 && task.usage.output_tokens > 0, JSON.stringify(task.usage))
    }
  })

  it('is a whole result by the published schema where little is asked, and its checks hold and can be taken again', async () => {
    const kind = kindOf('emma', 'write_response')
    // With which seeds such a model finds an end, and keeps to what is measured, depends on the processor it computes on.
    for (const seed of Array(12).keys()) {
      const brief = { topic: 'Thanks', seed, input: {} }
      const limits = { timeout_s: 900, ...costing('0.001500') }
      const { status, error, output, usage } = await ended(
        await post('emma', 'write_response', { ...brief, ...limits }),
      )
      if (status === 'failed') {
        assert.ok(['answer_invalid', 'max_cost_reached'].includes(error.code), JSON.stringify(error))
        continue
      }
      assert.deepEqual(output.engine, { kind: 'llm', name: 'gguf', model: 'SmolLM2-135M-Instruct.Q4_1' })
      assert.equal(faultsOf(kind.output_schema, output.result), undefined)
      assert.deepEqual(output.checks, await checksOf(kind, brief, output))
      assert.deepEqual(output.usage, usage)
      if (output.checks.every(({ pass }: Wire) => pass)) return
    }
    assert.fail('no seed gave a result whose checks hold')
  })

  for (const [employee, task, brief] of [
    ['maya', 'write_blog_post', { topic: 'Tea', seed: 1, constraints: { min_words: 5, max_words: 30 } }],
    ['alex', 'write_code', { topic: 'A function that adds two numbers', seed: 1, input: { language: 'python' } }],
  ] as const)
    it(`${employee} ${task} ends with a result in form or honestly without one, what was said is kept, and it can be stopped`, async () => {
      const late = await post(employee, task, { ...brief, timeout_s: 1 })
      assert.equal((await ended(late)).error.code, 'run_timeout')
      const unwanted = await post(employee, task, brief)
      await cancelOnceItRuns(unwanted)
      assert.equal((await ended(unwanted)).status, 'cancelled')
      // Pays for one question and some dozens of tokens of an answer.
      const most = '0.001120'
      const done = await ended(await post(employee, task, { ...brief, ...costing(most), timeout_s: 900 }))
      const { status, error, output, usage } = done
      if (status === 'succeeded') assert.equal(faultsOf(kindOf(employee, task).output_schema, output.result), undefined)
      else assert.ok(['answer_invalid', 'max_cost_reached'].includes(error.code), JSON.stringify(error))
      const { text } = await server.request('GET', `/v1/tasks/${done.id}/events`)
      assert.ok(text.includes(task === 'write_code' ? 'language' : 'title'), text)
      assert.ok(usage.input_tokens > 500 && usage.output_tokens > 20, JSON.stringify(usage))
      assert.ok((usage.input_tokens + usage.output_tokens) / 1e6 <= Number(most), JSON.stringify(usage))
    })

  it('gives words to what rules found, in form, or fails honestly: never another thing', async () => {
    const kind = kindOf('emma', 'answer_ticket')
    const brief = { ...kind.example, engine: 'llm', seed: 1 }
    const { status, error, output, usage } = await ended(
      await post('emma', 'answer_ticket', { ...brief, ...costing('0.001500'), timeout_s: 900 }),
    )
    if (status === 'succeeded') {
      assert.deepEqual(output.engine, { kind: 'hybrid', name: 'gguf', model: 'SmolLM2-135M-Instruct.Q4_1' })
      assert.equal(faultsOf(kind.output_schema, output.result), undefined)
      assert.deepEqual(output.checks, await checksOf(kind, brief, output))
    } else assert.ok(['answer_invalid', 'max_cost_reached'].includes(error.code), JSON.stringify(error))
    assert.ok(usage.input_tokens > 100 && usage.output_tokens > 0, JSON.stringify(usage))
  })

  it('leaves no path of it in a log', () => {
    const { stdout, stderr } = server.logs()
    assert.ok(!`${stdout}${stderr}`.includes(smallModel))
  })
})
