/** Work that is under way ends as it is told to, and what becomes of it is told to who asked to hear it. */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { upload } from './files.ts'
import type { Wire } from './http.ts'
import { keyOf, newAccount } from './operator.ts'
import { allAtRest, crashEngines, engineAtWork, isAlive } from './processes.ts'
import { type Received, type Receiver, startReceiver } from './receiver.ts'
import { requests, type Served } from './server.ts'
import { clearAll, create, ended, reaches, run } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

const review = { employee: 'emma', task: 'sentiment_analysis', input: { texts: ['Not bad at all for the price.'] } }

/** Some 8 s of work on one core for 20 series. */
const long = (more: object = {}, count = 20) => {
  const values = Array.from({ length: 6000 }, (_, i) => (i * 7919) % 1009)
  const series = Array.from({ length: count }, () => ({ values }))
  return { employee: 'david', task: 'forecast', input: { horizon: 100, season_length: 168, series }, ...more }
}

/** A table of so many rows with so many columns of numbers, as CSV: some 8 s of work for 10,000 of 150, most of it in DuckDB. */
function table(rows: number, columns: number): string {
  const line = (cell: (at: number) => unknown) => Array.from({ length: columns }, (_, at) => cell(at)).join()
  const values = (row: number) => line(at => (((row * columns + at) * 7919) % 99_991) % 1009)
  return [line(at => `c${at}`), ...Array.from({ length: rows }, (_, row) => values(row))].join('\n')
}

/** Employees work behind all else on the machine: beside other suites 8 s of work have taken minutes. */
const SEEN_WITHIN_MS = 1_200_000

describe('the work of an employee', () => {
  let server: Visited
  let receiver: Receiver
  before(async () => {
    const plans = { workforce: 'starter' }
    ;[server, receiver] = await Promise.all([visitServer({ plans }), startReceiver()])
  })
  after(async () => {
    await server.leave()
    await receiver[Symbol.asyncDispose]()
  })

  afterEach(() => clearAll(server))

  /** Work under way, and the process that does it. */
  async function begun(json: object): Promise<{ readonly id: string; readonly worker: number }> {
    const { id } = await create(server, json)
    await reaches(server, id, 'running')
    return { id, worker: await engineAtWork(server.pid) }
  }

  /** Work of the same length for DuckDB: a native library, which no JavaScript can interrupt. */
  async function ofNative(): Promise<object> {
    native ??= upload(server, table(10_000, 150), 'filename=table.csv', 'text/csv')
    return { employee: 'david', task: 'analyze_data', input: {}, files: [(await native).id], timeout_s: 3600 }
  }
  let native: Promise<Wire> | undefined

  const cancel = async (id: string) => (await server.request('DELETE', `/v1/tasks/${id}`)).body

  /** The task, once it is so: it may have to be done more than once, beside much else. */
  async function seen(id: string, isSo: (task: Wire) => boolean): Promise<Wire> {
    const deadline = performance.now() + SEEN_WITHIN_MS
    for (;;) {
      const { body } = await server.request('GET', `/v1/tasks/${id}`, { headers: { prefer: 'wait=1' } })
      if (isSo(body)) return body
      assert.ok(performance.now() < deadline, JSON.stringify(body, null, 1))
    }
  }

  for (const [what, work] of [
    ['', () => long()],
    [' in a native library', ofNative],
  ] as const)
    it(`is stopped for real when it is cancelled while it runs${what}`, async () => {
      const { id, worker } = await begun(await work())
      const { outcome, task: asked } = await cancel(id)
      assert.equal(outcome, 'requested')
      const again = await cancel(id)
      assert.match(again.outcome, /^(requested|already_finished)$/)
      assert.equal(again.task.cancel_requested_at, asked.cancel_requested_at)
      const task = await ended(server, id)
      assert.deepEqual([task.status, task.attempt, task.output], ['cancelled', 1, undefined])
      assert.ok(!isAlive(worker))
      const { outcome: late, task: same } = await cancel(id)
      assert.equal(late, 'already_finished')
      assert.deepEqual(same, (await server.request('GET', `/v1/tasks/${id}`)).body)
    })

  it('is stopped for real when it takes longer than it may', async () => {
    const { id } = await create(server, long({ timeout_s: 2 }))
    const task = await ended(server, id)
    assert.deepEqual([task.status, task.error.code, task.attempt], ['failed', 'run_timeout', 1])
    assert.match(task.error.message, /the 2 s of its `timeout_s`/)
    await allAtRest(server.pid)
  })

  it('is done again where its process is killed, and other work of another account beside it goes on', async () => {
    const key = await keyOf(server, await newAccount(server, 'beside'))
    const other: Served = { ...server, request: requests(server.url, key) }
    const { id, worker } = await begun(await ofNative())
    const beside = await create(other, long({}, 12))
    await reaches(other, beside.id, 'running')
    process.kill(worker, 'SIGKILL')
    const task = await seen(id, ({ finished_at }) => finished_at)
    assert.deepEqual([task.status, task.attempt], ['succeeded', 2], JSON.stringify(task.error))
    const { body: output } = await server.request('GET', `/v1/files/${task.output_file}/content`)
    assert.equal(output.result.rows, 10_000)
    const unharmed = await ended(other, beside.id)
    assert.deepEqual([unharmed.status, unharmed.attempt], ['succeeded', 1], JSON.stringify(unharmed.error))
  })

  it('fails with `attempts_exhausted` where its process is killed in every attempt', async () => {
    const { id } = await create(server, long())
    const task = await seen(id, ({ finished_at }) => {
      crashEngines(server.pid)
      return finished_at
    })
    assert.deepEqual([task.status, task.error.code, task.attempt], ['failed', 'attempts_exhausted', 3])
    assert.equal(task.output, undefined)
    assert.equal((await run(server, review)).status, 'succeeded')
  })

  it('that waits is cancelled at once, and a second cancel changes nothing', async () => {
    const blockers = [await create(server, long()), await create(server, long())]
    for (const { id } of blockers) await reaches(server, id, 'running')
    const { id } = await create(server, review)
    const { outcome, task } = await cancel(id)
    assert.deepEqual([outcome, task.status], ['cancelled', 'cancelled'])
    for (const absent of ['usage', 'cost', 'started_at', 'output', 'error'])
      assert.ok(!(absent in task), `never run: ${absent}`)
    const again = await cancel(id)
    assert.equal(again.outcome, 'already_finished')
    assert.deepEqual(again.task, task)
  })

  it('is told to its callback and to webhooks, signed, with its output', async () => {
    const { body: hook } = await server.request('POST', '/v1/webhooks', {
      json: { url: receiver.url('/hook'), events: ['workforce.task.*'] },
    })
    const { body: own } = await server.request('GET', '/v1/callback_secret')
    const task = await run(server, { ...review, callback: { url: receiver.url('/callback') } })
    const isEnd = ({ body }: Received) => body.type === 'workforce.task.succeeded' && body.data.object.id === task.id
    for (const [path, { secret }] of [
      ['/hook', hook],
      ['/callback', own],
    ] as const) {
      const { headers, text, body } = await receiver.gets(path, isEnd)
      new Webhook(secret).verify(text, headers as Record<string, string>)
      assert.deepEqual(body.data.object.output, task.output)
    }
    for (const type of ['workforce.task.queued', 'workforce.task.started'])
      await receiver.gets('/hook', ({ body }) => body.type === type && body.data.object.id === task.id)
    assert.equal(receiver.at('/callback').length, 1, 'of its end alone')
  })

  it('warns by a webhook when the day’s quota is nearly used', async () => {
    const headers = { authorization: `Bearer ${server.testKey}` }
    const post = (path: string, json: object) => server.request('POST', path, { headers, json })
    await post('/v1/webhooks', { url: receiver.url('/quota'), events: ['quota.warning'] })
    const quota = async () => (await server.request('GET', '/v1/workforce/usage', { headers })).body.quota
    assert.equal((await quota()).limit, 100)
    while ((await quota()).remaining > 10) assert.equal((await post('/v1/tasks', review)).status, 201)
    const { body } = await receiver.gets('/quota')
    assert.equal(body.type, 'quota.warning')
    assert.equal(body.mode, 'test')
  })
})
