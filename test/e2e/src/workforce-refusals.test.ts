/** Work that is not to be had: who asks for it is told why, as early as can be, and nothing comes of it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { readCatalogue } from '@millhand/employees/catalogue'
import { type Caller, callerWith } from './account-resources.ts'
import { newKey } from './keys.ts'
import { keyOf, newAccount, operate } from './operator.ts'
import { connection } from './raw-http.ts'
import { assertProblem, digit } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'
import { withinOneDay } from './within-one-day.ts'

const review = { employee: 'emma', task: 'sentiment_analysis', input: { texts: ['Not bad at all for the price.'] } }
const MIB = 2 ** 20

describe('work that is asked for', () => {
  let server: Visited
  before(async () => {
    server = await visitServer()
  })
  after(() => server.leave())

  const callerOf = async (account: string, scopes?: readonly string[]): Promise<Caller> =>
    callerWith(server, 'caller', await keyOf(server, account, scopes && { scopes }))

  const quotaOf = async (caller: Caller) => (await caller.call('GET', '/v1/workforce/usage')).body.quota

  describe('at the short address', () => {
    /** What is answered to a request of which nothing comes but its head. */
    async function toldOfHead(key: string, bytes = MIB): Promise<{ status: number; code: string; policy: string }> {
      const socket = await connection(server.url)
      const { host } = new URL(server.url)
      const head = [
        'POST /v1/tasks HTTP/1.1',
        `Host: ${host}`,
        `Authorization: Bearer ${key}`,
        'Content-Type: application/json',
        `Content-Length: ${bytes}`,
        'Expect: 100-continue',
      ]
      socket.write(`${head.join('\r\n')}\r\n\r\n`)
      const answer = await socket.response()
      socket.destroy()
      return {
        status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]),
        code: /"code":"(\w+)"/.exec(answer)?.[1] ?? '',
        policy: /^RateLimit-Policy: (.*)$/im.exec(answer)?.[1] ?? '',
      }
    }

    /** Calls until it is refused. */
    async function exhaust({ call }: Caller, method: string, path: string, json?: object): Promise<number> {
      for (let passed = 0; ; passed++) {
        const { status } = await call(method, path, json && { json })
        if (status === 429) return passed
        assert.ok(passed < 300, `${passed} calls pass`)
      }
    }

    it('is refused before its body comes, to who may not ask for any, or too much of it', async () => {
      const account = await newAccount(server, 'small')
      assert.deepEqual((await toldOfHead(newKey('live'))).code, 'invalid_credentials')
      assert.deepEqual((await toldOfHead(await keyOf(server, account, { scopes: ['files:write'] }))).status, 403)
      assert.deepEqual((await toldOfHead(await keyOf(server, account), MIB + 1)).code, 'payload_too_large')
      assert.equal((await toldOfHead(await keyOf(server, account))).status, 100)
    })

    it('is refused before its body comes where the rate of all that it can be is used up', async () => {
      const { id } = await operate(server, 'accounts', 'create', 'busy', 'compute=starter', 'developer=free')
      const [all, ofCompute] = [await keyOf(server, id), await keyOf(server, id, { scopes: ['tasks:write'] })]
      const caller = callerWith(server, 'caller', all)
      await exhaust(caller, 'GET', '/v1/usage')
      const refused = { status: 429, code: 'rate_limited', policy: '"compute";q=100;w=60' }
      assert.deepEqual(await toldOfHead(ofCompute), refused)

      const work = await caller.call('POST', '/v1/tasks', { json: review })
      assert.equal(work.status, 201, work.text)
      assert.match(work.headers['ratelimit-policy'] as string, /^"developer";q=100;w=60, "workforce_daily";/)
      const bodies = await exhaust(caller, 'GET', '/v1/webhooks')
      assert.ok(bodies > 50, `${bodies} were left`)
      assert.deepEqual(await toldOfHead(all), refused)
    })

    it('counts with work while the rate of compute is used up: what is read is never without end', async () => {
      const { id } = await operate(server, 'accounts', 'create', 'busier', 'compute=starter', 'developer=free')
      const caller = await callerOf(id)
      await exhaust(caller, 'GET', '/v1/usage')
      for (let n = 0; n < 60; n++) {
        const answer = await caller.call('POST', '/v1/tasks', { json: digit(1) })
        assertProblem(answer, 429, 'rate_limited')
        assert.ok(Number(answer.headers['retry-after']) >= 1)
      }
      const left = await exhaust(caller, 'GET', '/v1/webhooks')
      assert.ok(left <= 45, `${left} were left`)
    })
  })

  describe('and is no good', () => {
    it('takes no place of the day, and is told what is left of it', () =>
      withinOneDay(async () => {
        const { id } = await operate(server, 'accounts', 'create', 'careless', 'developer=enterprise')
        const caller = await callerOf(id)
        const wrong = [
          { ...review, input: { texts: [3] } },
          { ...review, task: 'forecast' },
          { ...review, files: ['file_0'] },
          { ...review, employee: 'bob' },
          { ...review, surprise: 1 },
          { employee: 'emma', task: 'write_response', input: {} },
          { employee: 'emma', task: 'write_response', topic: 'Thanks' },
        ]
        assert.equal((await caller.call('POST', '/v1/tasks', { json: review })).status, 201)
        for (const json of wrong) {
          const answer = await caller.call('POST', '/v1/tasks', { json })
          assert.ok(answer.status >= 400 && answer.status < 502, answer.text)
          // Of what is not even a request the service hears nothing.
          if ('surprise' in json) continue
          // An answer waits a quarter of a second for it; on a full machine that may pass.
          assert.match(String(answer.headers.ratelimit ?? '"workforce_daily";r=99;'), /"workforce_daily";r=99;/)
        }
        assert.deepEqual([(await quotaOf(caller)).used, (await quotaOf(caller)).remaining], [1, 99])
      }))

    it('leaves the places of the day to what is: the day is spent to the last of them', () =>
      withinOneDay(async () => {
        const { id } = await operate(server, 'accounts', 'create', 'thorough', 'developer=enterprise')
        const caller = await callerOf(id)
        const mixed = Array.from({ length: 180 }, (_, at) =>
          at % 3 === 0 ? { ...review, input: { texts: [at] } } : review,
        )
        const answers = await Promise.all(mixed.map(json => caller.call('POST', '/v1/tasks', { json })))
        const counts = Object.groupBy(answers, ({ status }) => String(status))
        assert.deepEqual([counts[201]?.length, counts[400]?.length, counts[429]?.length], [100, 60, 20])
        for (const answer of counts[429] ?? []) {
          assertProblem(answer, 429, 'daily_quota_exceeded')
          // An answer waits a quarter of a second for it; on a full machine that may pass.
          assert.match(String(answer.headers.ratelimit ?? '"workforce_daily";r=0;'), /"workforce_daily";r=0;/)
          assert.ok(Number(answer.headers['retry-after']) >= 1)
        }
        assert.deepEqual([(await quotaOf(caller)).used, (await quotaOf(caller)).remaining], [100, 0])
      }))
  })

  describe('with more data than a brief may have', () => {
    it('is refused, and takes no place of the day', async () => {
      const { id } = await operate(server, 'accounts', 'create', 'heavy', 'developer=enterprise', 'compute=enterprise')
      const caller = await callerOf(id)
      const uploaded = async (mib: number) => {
        // A table of one single cell.
        const raw = Buffer.alloc(mib * MIB, 'x').fill('name\n', 0, 5)
        const { status, body } = await caller.call('POST', '/v1/files', {
          raw,
          headers: { 'content-type': 'text/csv' },
        })
        assert.deepEqual([status, body.bytes], [201, mib * MIB])
        return body.id
      }
      const [one, other, cell] = [await uploaded(40), await uploaded(40), await uploaded(100)]
      for (const [files, mib] of [
        [[one, other], 80],
        [[cell], 100],
      ] as const) {
        const work = { employee: 'david', task: 'analyze_data', input: {}, files }
        const answer = await caller.call('POST', '/v1/tasks', { json: work })
        const { detail } = assertProblem(answer, 413, 'payload_too_large', 'files')
        assert.match(detail, new RegExp(`${mib} MiB together; 64 MiB is the most`))
      }
      assert.deepEqual([(await quotaOf(caller)).used, (await quotaOf(caller)).remaining], [0, 100])
    })
  })

  describe('by a language model where there is none', () => {
    it('is told which setting would make it possible, or that its kind has no use for one', async () => {
      const { id } = await operate(server, 'accounts', 'create', 'wordy', 'developer=enterprise')
      const caller = await callerOf(id)
      for (const { employee, id: task, engines, example } of readCatalogue().flatMap(({ kinds }) => kinds)) {
        const answer = await caller.call('POST', '/v1/tasks', { json: { ...example, employee, task, engine: 'llm' } })
        if (engines.includes('llm'))
          assert.match(assertProblem(answer, 501, 'engine_unavailable', 'engine').detail, /MILLHAND_LLM_URL/)
        else assertProblem(answer, 400, 'invalid_parameter', 'engine')
      }
      assert.equal((await quotaOf(caller)).used, 0)
    })
  })

  describe('with a file of another account', () => {
    it('is refused as with one that never was', async () => {
      const [owner, stranger] = await Promise.all(
        ['owner', 'stranger'].map(async name => callerOf(await newAccount(server, name))),
      )
      assert.ok(owner && stranger)
      const raw = 'Our customers pay by invoice within 30 days.'
      const { body: file } = await owner.call('POST', '/v1/files', { raw, headers: { 'content-type': 'text/plain' } })
      const asking = (id: string) => stranger.call('POST', '/v1/tasks', { json: { ...review, files: [id] } })
      const none = `${file.id.slice(0, -1)}${file.id.endsWith('0') ? '1' : '0'}`
      const [others, noOnes] = [await asking(file.id), await asking(none)]
      assertProblem(others, 400, 'invalid_parameter', 'files[0]')
      const said = ({ body: { request_id: _, ...problem } }: typeof others, id: string) =>
        JSON.stringify(problem).replaceAll(id, 'file')
      assert.equal(said(others, file.id), said(noOnes, none))
      assert.equal((await quotaOf(stranger)).used, 0)
      assert.equal((await owner.call('POST', '/v1/tasks', { json: { ...review, files: [file.id] } })).status, 201)
    })
  })
})
