/** What a language model's server may answer in place of a result: each ends as a clear fault, or the question is asked again. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Reply } from './scripted-model.fixture.ts'
import { KEY, written } from './written.fixture.ts'

const GOOD = JSON.stringify({
  subject: 'Your teapot',
  greeting: 'Dear Jo,',
  paragraphs: ['A new lid goes out tomorrow.'],
  closing: 'Emma',
  unanswered: [],
})
const brief = {
  topic: 'A parcel that arrived broken: a new lid for the teapot goes out tomorrow, Jo',
  input: { signature: 'Emma' },
}

const choice = (message: object, finish = 'stop') => ({ index: 0, finish_reason: finish, message })
const usual = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
const completion = (choices: readonly object[], usage: object = usual) =>
  JSON.stringify({ id: 'one', created: 1, model: 'scripted', choices, usage })
const sent =
  (body: string, headers: Readonly<Record<string, string>> = {}): Reply =>
  response =>
    void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body)
const call = { id: 'a', type: 'function', function: { name: 'shell', arguments: '{"command":"id"}' } }
const page = '<!doctype html><title>Bad gateway</title><p>Try again later.'

describe('a language model that answers', () => {
  for (const [what, first] of [
    ['5 MB of words', 'again '.repeat(900_000)],
    ['a beginning that has no end', '{"subject":'.repeat(200_000)],
    [
      'half a result, cut off at its length',
      sent(completion([choice({ role: 'assistant', content: GOOD.slice(0, 40) }, 'length')])),
    ],
    [
      'a call of a tool',
      sent(completion([choice({ role: 'assistant', content: null, tool_calls: [call] }, 'tool_calls')])),
    ],
    ['nothing at all', sent(completion([choice({ role: 'assistant', content: '' })]))],
    ['half of a sign', JSON.stringify({ ...JSON.parse(GOOD), subject: '\ud83d of it' })],
  ] as const)
    it(`${what} is asked again`, async t => {
      const { result, asked, code } = await written(t, 'emma/write_response', brief, [first, GOOD])
      assert.equal(code, undefined)
      assert.deepEqual([result, asked.length], [JSON.parse(GOOD), 2])
    })

  it('less than it announced is asked again, and what came of it is paid as well', async t => {
    const { result, asked, used } = await written(t, 'emma/write_response', brief, [cutOff, GOOD])
    assert.deepEqual([result, asked.length], [JSON.parse(GOOD), 2])
    // The good one says 100 read and 10 written.
    assert.ok((used?.inputTokens ?? 0) > 500, JSON.stringify(used))
    assert.equal(used?.outputTokens, Math.ceil(BEGINNING.length / 3) + 10)
  })

  for (const [what, prompt_tokens, completion_tokens] of [
    ['less than nothing', -1_000_000, -5],
    ['without measure', 1e18, 1e300],
    ['in parts', 0.5, 1.5],
    ['more than it was asked, and more than it may write', 100_000, 8_193],
  ] as const)
    it(`and says that it counted ${what} is not believed: what it costs is reckoned`, async t => {
      const answer = completion([choice({ role: 'assistant', content: GOOD })], { prompt_tokens, completion_tokens })
      const { result, used } = await written(t, 'emma/write_response', brief, [sent(answer)])
      assert.deepEqual(result, JSON.parse(GOOD))
      assert.ok(used && used.inputTokens > 500 && used.inputTokens < 5_000, JSON.stringify(used))
      assert.equal(used.outputTokens, Math.ceil(GOOD.length / 3))
      assert.ok(used.costMicros > 0 && Number.isSafeInteger(used.costMicros))
    })

  it('badly again and again costs no more than was allowed', async t => {
    const allowed = { max_cost_micros: 40_000 }
    const { code, asked, used } = await written(t, 'emma/write_response', brief, Array(6).fill(cutOff), allowed)
    assert.equal(code, 'max_cost_reached')
    assert.ok(asked.length > 1 && asked.length < 6, `${asked.length}`)
    const { costMicros = 0 } = used ?? {}
    assert.ok(costMicros > 20_000 && costMicros <= 40_000, `${costMicros}`)
  })

  it('with blanks without measure in its JSON has answered', async t => {
    const wide = GOOD.replace('{', `{${' '.repeat(4_000_000)}`)
    const { result } = await written(t, 'emma/write_response', brief, [wide])
    assert.deepEqual(result, JSON.parse(GOOD))
  })

  for (const [what, reply] of [
    ['no choice', sent(completion([]))],
    ['a page', sent(page, { 'content-type': 'text/html' })],
    ['a page that says it is JSON', sent(page)],
    ['JSON of another sort', sent('{"error":{"message":"scripted"}}')],
    [
      'more than it announced',
      sent(completion([choice({ role: 'assistant', content: GOOD })]), { 'content-length': '40' }),
    ],
    ['a little that unpacks to very much', bomb],
  ] as const)
    it(`with ${what} is one that did not answer, and is paid`, async t => {
      const before = process.memoryUsage().rss
      const { code, retryable, asked, used } = await written(t, 'emma/write_response', brief, [reply, GOOD])
      assert.deepEqual([code, retryable, asked.length], ['model_unavailable', true, 1])
      const { inputTokens = 0, outputTokens = 0 } = used ?? {}
      assert.ok(inputTokens > 500 && outputTokens > 5 && outputTokens <= 8_192, JSON.stringify(used))
      assert.ok(process.memoryUsage().rss - before < 150 * 2 ** 20)
    })

  it('by sending elsewhere is not followed, and its key goes nowhere', async t => {
    let reached = 0
    const other = createServer((_, response) => {
      reached++
      response.end()
    }).listen(0, '127.0.0.1')
    t.after(() => other.close())
    await once(other, 'listening')
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/v1/chat/completions`
    for (const status of [301, 307]) {
      const away: Reply = response => void response.writeHead(status, { location }).end()
      const said = await written(t, 'emma/write_response', brief, [away, GOOD])
      assert.deepEqual([said.code, said.retryable, said.asked.length], ['model_refused', false, 1])
      for (const text of [said.message, said.lines.join('')])
        for (const secret of [KEY, location]) assert.ok(!text.includes(secret))
    }
    assert.equal(reached, 0)
  })
})

const BEGINNING = '{"choices":'

function cutOff(response: ServerResponse): void {
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': '4000',
    'retry-after-ms': '1',
  })
  response.write(BEGINNING, () => response.destroy())
}

/** A gibibyte of blanks, which is JSON up to there. */
function bomb(response: ServerResponse): void {
  const packed = Array<Buffer>(64).fill(gzipSync(Buffer.alloc(2 ** 24, ' ')))
  response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(Buffer.concat(packed))
}
