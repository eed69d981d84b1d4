/** Work that is under way ends as it is told to, and what becomes of it is told to who asked to hear it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import type { Wire } from './http.ts'
import { allAtRest, engineAtWork, isAlive } from './processes.ts'
import { type Received, type Receiver, startReceiver } from './receiver.ts'
import { type Server, startServer } from './server.ts'
import { clear, create, ended, run } from './tasks.ts'

const review = { employee: 'emma', task: 'sentiment_analysis', input: { texts: ['Not bad at all for the price.'] } }

/** Some 10 s of work on one core. */
const long = (more: object = {}) => {
  const values = Array.from({ length: 4000 }, (_, i) => (i * 7919) % 1009)
  const series = Array.from({ length: 20 }, () => ({ values }))
  return { employee: 'david', task: 'forecast', input: { horizon: 100, season_length: 24, series }, ...more }
}

describe('the work of an employee', () => {
  let server: Server
  let receiver: Receiver
  before(async () => {
    const env = { MILLHAND_BOOTSTRAP_PLANS: 'workforce:starter' }
    ;[server, receiver] = await Promise.all([startServer({ env }), startReceiver()])
  })
  after(async () => {
    await server.stop()
    await receiver[Symbol.asyncDispose]()
  })

  /** Long work under way, and the process that does it. */
  async function begun(): Promise<{ readonly id: string; readonly worker: number }> {
    const { id } = await create(server, long())
    return { id, worker: await engineAtWork(server.pid) }
  }

  /** The task, once it runs a second time. */
  async function inAnotherAttempt(id: string): Promise<Wire> {
    const deadline = performance.now() + 60_000
    for (;;) {
      const { body } = await server.request('GET', `/v1/tasks/${id}`, { headers: { prefer: 'wait=1' } })
      if (body.attempt > 1) return body
      assert.ok(performance.now() < deadline, JSON.stringify(body, null, 1))
    }
  }

  it('is stopped for real when it is cancelled while it runs', async () => {
    const { id, worker } = await begun()
    const { body } = await server.request('DELETE', `/v1/tasks/${id}`)
    assert.equal(body.outcome, 'requested')
    const task = await ended(server, id)
    assert.equal(task.status, 'cancelled')
    assert.equal(task.output, undefined)
    assert.ok(!isAlive(worker))
  })

  it('is stopped for real when it takes longer than it may', async () => {
    const { id } = await create(server, long({ timeout_s: 2 }))
    const task = await ended(server, id)
    assert.deepEqual([task.status, task.error.code], ['failed', 'run_timeout'])
    await allAtRest(server.pid)
  })

  it('is done again where its process is killed', async () => {
    const { id, worker } = await begun()
    process.kill(worker, 'SIGKILL')
    const again = await inAnotherAttempt(id)
    assert.equal(again.attempt, 2)
    assert.ok(['queued', 'running'].includes(again.status), again.status)
    await clear(server, id)
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
