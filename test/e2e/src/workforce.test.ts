/** The workforce, as a developer who has a key sees it. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Wire } from './http.ts'
import { repository } from './server.ts'
import { assertProblem, TIME, TYPE_ID } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

const employees = join(repository, 'services/workforce/employees')
const exampleOf = (employee: string, task: string): object => ({
  task,
  ...JSON.parse(readFileSync(join(employees, employee, task, 'example.json'), 'utf8')),
})
/** Who there is and what each can be asked for: a request that names one of these works for good. */
const promised = {
  alex: ['Developer', 'code_review', 'debug', 'documentation', 'write_code'],
  david: ['Analyst', 'analyze_data', 'create_report', 'forecast'],
  emma: ['Support', 'answer_ticket', 'sentiment_analysis', 'write_response'],
  maya: ['Marketing', 'create_social_post', 'generate_ad_copy', 'seo_optimize', 'write_blog_post'],
  sarah: ['Designer', 'brand_assets', 'create_image', 'design_mockup'],
}
const review = { task: 'sentiment_analysis', input: { texts: ['Not bad at all for the price.'] } }

describe('the workforce', () => {
  let server: Visited
  before(async () => {
    server = await visitServer()
  })
  after(() => server.leave())

  const inSandbox = () => ({ authorization: `Bearer ${server.testKey}` })
  const ask = (path: string, json: object, headers: Record<string, string> = {}) =>
    server.request('POST', path, { json, headers })
  /** Has the employee do it, and waits for its end. */
  async function done(employee: string, json: object, headers: Record<string, string> = {}): Promise<Wire> {
    const waiting = { ...headers, prefer: 'wait=60' }
    const made = await ask(`/v1/workforce/${employee}/tasks`, json, waiting)
    assert.equal(made.status, 201, made.text)
    assert.equal(made.headers['preference-applied'], 'wait')
    let task = made.body
    // Engines get what others leave of the processor, which may be little.
    for (const deadline = performance.now() + 300_000; task.finished_at === undefined; ) {
      assert.ok(performance.now() < deadline, JSON.stringify(task))
      task = (await server.request('GET', `/v1/tasks/${task.id}`, { headers: waiting })).body
    }
    return task
  }

  it('says by what a task was done, and when', async () => {
    const whole = await done('emma', review)
    assert.equal(whole.object, 'workforce_task')
    assert.match(whole.id, TYPE_ID('wtask'))
    assert.match(whole.finished_at, TIME)
    assert.equal(whole.engine, 'rules')
  })

  it('is got, listed, told event by event, and its data removed, at the employee’s address and at the short one', async () => {
    const { id } = await done('emma', review)
    for (const path of [`/v1/workforce/emma/tasks/${id}`, `/v1/tasks/${id}`]) {
      const got = await server.request('GET', path)
      assert.equal(got.body.id, id)
      assert.deepEqual(got.body.input, review.input)
      const again = await server.request('GET', path, { headers: { 'if-none-match': got.headers.etag as string } })
      assert.equal(again.status, 304)
      const events = await server.request('GET', `${path}/events`)
      const types = [...events.text.matchAll(/^event: (.*)$/gm)].map(([, type]) => type)
      assert.deepEqual(types, ['workforce.task.queued', 'workforce.task.started', 'workforce.task.succeeded'])
    }
    const { body: page } = await server.request('GET', '/v1/workforce/emma/tasks?task=sentiment_analysis&limit=100')
    const listed = page.data.find((task: Wire) => task.id === id)
    assert.equal(listed.status, 'succeeded')
    assert.equal(listed.input, undefined)
    assert.equal(listed.output, undefined)
    assertProblem(await server.request('GET', `/v1/workforce/david/tasks/${id}`), 404, 'not_found')
    const forgotten = await server.request('DELETE', `/v1/tasks/${id}/data`)
    assert.equal(forgotten.body.output, undefined)
    assert.equal(forgotten.body.input, undefined)
    assert.equal((await server.request('DELETE', `/v1/tasks/${id}`)).body.outcome, 'already_finished')
  })

  it('is created by POST /v1/tasks with an employee, once for each idempotency key', async () => {
    const headers = { 'idempotency-key': randomUUID(), prefer: 'wait=60' }
    const [first, second] = [
      await ask('/v1/tasks', { employee: 'emma', ...review }, headers),
      await ask('/v1/tasks', { employee: 'emma', ...review }, headers),
    ]
    assert.equal(first.status, 201, first.text)
    assert.match(first.headers.location as string, new RegExp(`^/v1/workforce/emma/tasks/${first.body.id}$`))
    assert.equal(second.text, first.text)
    assert.equal(second.headers['idempotent-replayed'], 'true')
  })

  it('tells the rest of the day with every answer', async () => {
    const made = await ask('/v1/workforce/emma/tasks', review)
    const { quota } = (await server.request('GET', '/v1/workforce/usage')).body
    assert.match(made.headers['ratelimit-policy'] as string, /"workforce_daily";q=2000;w=86400/)
    assert.match(made.headers.ratelimit as string, /"workforce_daily";r=\d+;t=\d+/)
    assert.equal(quota.limit, 2000)
    assert.equal(quota.remaining, 2000 - quota.used)
    assert.ok(quota.used > 0)
  })

  it('lists employees with all that it takes to ask them', async () => {
    const { body } = await server.request('GET', '/v1/workforce/employees')
    assert.deepEqual((await server.request('GET', '/v1/employees')).body, body)
    assert.deepEqual(
      Object.fromEntries(
        body.data.map(({ id, role, tasks }: Wire) => [id, [role, ...tasks.map((kind: Wire) => kind.id)]]),
      ),
      promised,
    )
    const emma = body.data.find((employee: Wire) => employee.id === 'emma')
    for (const kind of emma.tasks) {
      assert.equal(kind.input_schema.$schema, 'https://json-schema.org/draft/2020-12/schema')
      assert.ok(kind.output_schema.properties !== undefined)
      // None where it takes a language model: the server has none.
      assert.deepEqual(kind.engines, kind.id === 'write_response' ? [] : ['rules'])
      assert.equal(kind.example.task, kind.id)
      assert.ok(kind.fields.find((field: Wire) => field.name === 'files').media_types.includes('text/plain'))
    }
  })

  it('says everything that is wrong at once', async () => {
    const wrong = {
      task: 'sentiment_analysis',
      input: { texts: [3], more: 1 },
      files: ['file_0'],
      max_cost: { amount: 'x' },
    }
    const problem = assertProblem(await ask('/v1/workforce/emma/tasks', wrong), 400, 'unknown_parameter')
    assert.deepEqual(problem.errors.map(({ param }: Wire) => param).toSorted(), [
      'files[0]',
      'input.more',
      'input.texts[0]',
      'max_cost.amount',
      'max_cost.currency',
    ])
    const kind = assertProblem(
      await ask('/v1/workforce/emma/tasks', { task: 'forecast' }),
      400,
      'invalid_parameter',
      'task',
    )
    assert.match(kind.detail, /answer_ticket, sentiment_analysis/)
    const who = assertProblem(await ask('/v1/workforce/bob/tasks', review), 404, 'not_found', 'employee')
    assert.match(who.detail, /alex, david, emma, maya, sarah/)
  })

  it('says which field another one needs', async () => {
    const chart = { task: 'create_image', topic: 'Sales', input: { picture: 'chart' } }
    assertProblem(await ask('/v1/workforce/sarah/tasks', chart), 400, 'missing_parameter', 'input.chart')
    const code = { task: 'documentation', input: { code: 'export const one = 1' } }
    const problem = assertProblem(await ask('/v1/workforce/alex/tasks', code), 400, 'missing_parameter', 'input.path')
    assert.match(problem.detail, /required where `input\.code` is given/)
  })

  it('says what it would need where a brief says nothing, in the sandbox too', async () => {
    for (const headers of [{}, inSandbox()]) {
      const nothing = { task: 'write_blog_post', topic: ' ', input: { keywords: ['bread'] } }
      const problem = assertProblem(
        await ask('/v1/workforce/maya/tasks', nothing, headers),
        400,
        'missing_parameter',
        'topic',
      )
      assert.match(problem.detail, /at least one of `topic`, `input\.facts`, `files`/)
    }
    const topic = { task: 'write_blog_post', topic: 'Bread' }
    assertProblem(await ask('/v1/workforce/maya/tasks', topic), 501, 'engine_unavailable')
  })

  it('in the sandbox is made up, and does what the topic asks for', async () => {
    const one = await done('david', { ...exampleOf('david', 'forecast'), seed: 7 }, inSandbox())
    const two = await done('david', { ...exampleOf('david', 'forecast'), seed: 7 }, inSandbox())
    assert.equal(one.output.engine.kind, 'mock')
    assert.deepEqual(one.output.result, two.output.result)
    assert.equal(one.cost.amount, '0.000000')
    const failed = await done('emma', { task: 'answer_ticket', topic: 'sandbox:fail' }, inSandbox())
    assert.equal(failed.error.code, 'sandbox_failure')
    const limited = await ask('/v1/workforce/emma/tasks', { ...review, topic: 'sandbox:error:queue_full' }, inSandbox())
    assertProblem(limited, 429, 'queue_full')
    assertProblem(await server.request('GET', `/v1/tasks/${one.id}`), 404, 'not_found') // The live key sees none of it.

    const slow = await ask('/v1/tasks', { employee: 'emma', ...review, topic: 'sandbox:slow:60000' }, inSandbox())
    const gone = await server.request('DELETE', `/v1/workforce/emma/tasks/${slow.body.id}`, { headers: inSandbox() })
    assert.ok(['cancelled', 'requested'].includes(gone.body.outcome), gone.text)
    const end = await server.request('GET', `/v1/tasks/${slow.body.id}`, {
      headers: { ...inSandbox(), prefer: 'wait=30' },
    })
    assert.ok(['cancelled', 'cancelling'].includes(end.body.status), end.text)
  })

  it('counts in usage by employee and kind, apart from compute', async () => {
    await done('emma', review)
    const deadline = performance.now() + 300_000
    for (;;) {
      const { body } = await server.request('GET', '/v1/workforce/usage')
      const line = body.data.find((one: Wire) => one.employee === 'emma' && one.task === 'sentiment_analysis')
      if (line?.tasks.succeeded > 0) break
      assert.ok(performance.now() < deadline, 'it is not counted')
    }
    assert.equal((await server.request('GET', '/v1/usage')).body.total.tasks.succeeded, 0)
  })
})
