/** Requests for work that nobody sends by mistake, to each kind of work: refused in words, and nothing comes of them. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { readCatalogue } from '@millhand/employees/catalogue'
import { assertProblem } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

/** JSON that is put into an input, beside what makes it a good one; what it is refused with. */
const inInput: readonly (readonly [json: string, status: number, code: string, param?: string | RegExp])[] = [
  ['"surprise":1', 400, 'unknown_parameter', 'input.surprise'],
  ['"__proto__":{"polluted":true}', 400, 'unknown_parameter', 'input.__proto__'],
  ['"__proto__":"x"', 400, 'unknown_parameter', 'input.__proto__'],
  ['"constructor":{"prototype":{"polluted":true}}', 400, 'unknown_parameter', 'input.constructor'],
  ['"number":NaN', 400, 'invalid_json'],
  ['"number":1e999', 400, 'invalid_parameter', 'input.number'],
  ['"number":[-1e999]', 400, 'invalid_parameter', 'input.number[0]'],
  ['"text":"\\ud800"', 400, 'invalid_parameter', 'input.text'],
  ['"\\udc00":"text"', 400, 'invalid_parameter', /^input\./],
  ['"text":"\\u0000"', 400, 'invalid_parameter', 'input.text'],
  [`"deep":${deep(60)}`, 400, 'unknown_parameter', 'input.deep'],
  [`"deep":${deep(100_000)}`, 400, 'invalid_parameter'],
  // Of a large body the depth is bounded before it is parsed.
  [`"deep":${'['.repeat(100_000)}`, 400, 'invalid_parameter'],
  [`"deep":${'['.repeat(60)}`, 400, 'invalid_json'],
  [`"text":"${'x'.repeat(524_289)}"`, 413, 'payload_too_large', 'input'],
  [`"text":"${'x'.repeat(1_048_577)}"`, 413, 'payload_too_large'],
  [Array.from({ length: 30_000 }, (_, at) => `"k${at}":1`).join(), 400, 'invalid_parameter'],
  [Array.from({ length: 4_000 }, (_, at) => `"k${at}":1`).join(), 400, 'unknown_parameter'],
]

/** Fields beside the input. */
const besideInput: readonly (readonly [json: string, code: string, param: string | RegExp])[] = [
  ['"input":"text"', 'invalid_parameter', 'input'],
  ['"input":[]', 'invalid_parameter', 'input'],
  ['"input":1', 'invalid_parameter', 'input'],
  ['"__proto__":{"employee":"emma"}', 'unknown_parameter', '__proto__'],
  ['"constructor":{}', 'unknown_parameter', 'constructor'],
  ['"$typeName":"x"', 'unknown_parameter', '$typeName'],
  ['"maxCost":{}', 'unknown_parameter', 'maxCost'],
  ['"metadata":{"__proto__":{"polluted":true}}', 'invalid_parameter', 'metadata.__proto__'],
  ['"metadata":{"constructor":{}}', 'invalid_parameter', 'metadata.constructor'],
  ['"metadata":{"k":"\\ud800"}', 'invalid_parameter', 'metadata.k'],
  ['"topic":"\\udfff"', 'invalid_parameter', 'topic'],
  ['"topic":["text"]', 'invalid_parameter', 'topic'],
  ['"audience":{}', 'invalid_parameter', 'audience'],
  ['"constraints":[]', 'invalid_parameter', 'constraints'],
  ['"constraints":{"must_include":"text"}', 'invalid_parameter', 'constraints.must_include'],
  ['"constraints":{"must_include":["\\ud800"]}', 'invalid_parameter', 'constraints.must_include[0]'],
  ['"constraints":{"min_words":1e999}', 'invalid_parameter', 'constraints.min_words'],
  ['"files":"file_0"', 'invalid_parameter', 'files'],
  ['"files":["../../etc/passwd"]', 'invalid_parameter', 'files[0]'],
  ['"engine":"magic"', 'invalid_parameter', 'engine'],
  ['"seed":1e999', 'invalid_parameter', 'seed'],
  ['"seed":"7"', 'invalid_parameter', 'seed'],
  ['"timeout_s":0', 'invalid_parameter', 'timeout_s'],
  ['"max_cost":{"amount":"1e9","currency":"USD"}', 'invalid_parameter', 'max_cost.amount'],
  ['"max_cost":{"amount":"NaN","currency":"USD"}', 'invalid_parameter', 'max_cost.amount'],
  ['"callback":{"url":"file:///etc/passwd"}', 'invalid_parameter', 'callback.url'],
]

const kinds = readCatalogue().flatMap(employee => employee.kinds)

describe('a hostile request for work', () => {
  let server: Visited
  before(async () => {
    server = await visitServer()
  })
  after(() => server.leave())

  /** `json` is put between the braces. */
  async function refused(
    path: string,
    json: string,
    status: number,
    code: string,
    param?: string | RegExp,
  ): Promise<void> {
    const headers = { 'content-type': 'application/json' }
    const answer = await server.request('POST', path, { raw: `{${json}}`, headers })
    const shown = json.length > 300 ? `${json.slice(0, 150)}…${json.slice(-150)}` : json
    assert.equal(answer.status, status, `${shown}: ${answer.text}`)
    const problem = assertProblem(answer, status, code, typeof param === 'string' ? param : undefined)
    if (param instanceof RegExp) assert.match(problem.param, param, shown)
    assert.ok(answer.text.length < 70_000, `${shown}: an answer of ${answer.text.length} characters`)
  }

  for (const { employee, id: task, example } of kinds) {
    it(`to ${employee} for ${task} is refused`, async () => {
      const { input, ...brief } = example
      const [others, inputs] = [brief, input].map(value => JSON.stringify(value).slice(1, -1))
      const own = [`"task":"${task}"`, others].filter(Boolean).join()
      const short = [`"employee":"${employee}"`, own].join()
      for (const [json, ...told] of inInput) {
        const whole = `"input":{${[inputs, json].filter(Boolean).join()}}`
        await refused('/v1/tasks', `${short},${whole}`, ...told)
        await refused(`/v1/workforce/${employee}/tasks`, `${own},${whole}`, ...told)
      }
      for (const [json, code, param] of besideInput) {
        // The last of two fields of one name is the one that counts.
        await refused('/v1/tasks', `${short},"input":{${inputs}},${json}`, 400, code, param)
      }
    })
  }

  it('changes nothing: no task, no place of the day, nothing used', async () => {
    for (const { employee } of kinds) {
      const { body } = await server.request('GET', `/v1/workforce/${employee}/tasks`)
      assert.deepEqual(body.data, [])
    }
    const { body: usage } = await server.request('GET', '/v1/workforce/usage')
    assert.deepEqual([usage.quota.used, usage.data], [0, []])
    const { body: events } = await server.request('GET', '/v1/events?type=workforce.task.queued')
    assert.deepEqual(events.data, [])
  })

  it('that only has strange labels is no hostile one: they come back as they are', async () => {
    const metadata = '{"__proto__":"a","constructor":"b","toString":"c"}'
    const raw = `{"employee":"emma","task":"sentiment_analysis","input":{"texts":["Good."]},"metadata":${metadata}}`
    const answer = await server.request('POST', '/v1/tasks', { raw, headers: { 'content-type': 'application/json' } })
    assert.equal(answer.status, 201, answer.text)
    assert.ok(answer.text.includes(`"metadata":${metadata}`), answer.text)
  })
})
