/** Every kind of work that is listed does what the list says of it. New kinds are found there. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type KindSpec, readCatalogue } from '@millhand/employees/catalogue'
import { faultsOf, measured } from '@millhand/employees/run-rules'
import type { Answer, Wire } from './http.ts'
import { assertProblem, ended } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

describe('each kind of work', () => {
  let server: Visited
  let listed: Map<string, Wire>
  before(async () => {
    server = await visitServer()
    const { body } = await server.request('GET', '/v1/workforce/employees')
    listed = new Map(body.data.flatMap(({ id, tasks }: Wire) => tasks.map((kind: Wire) => [`${id} ${kind.id}`, kind])))
  })
  after(() => server.leave())

  const kinds = readCatalogue().flatMap(employee => employee.kinds)

  it('is listed, and nothing else is', () => {
    assert.deepEqual([...listed.keys()].toSorted(), kinds.map(nameOf).toSorted())
  })

  for (const kind of kinds)
    it(`${nameOf(kind)} does its example as published, or says what it would need`, async () => {
      const published = listed.get(nameOf(kind))
      const made = await server.request('POST', `/v1/workforce/${kind.employee}/tasks`, { json: published.example })
      if (published.engines.length === 0) {
        const problem = assertProblem(made, 501, 'engine_unavailable', 'engine')
        assert.match(problem.detail, /MILLHAND_LLM_URL/)
        return
      }
      assert.equal(made.status, 201, made.text)
      const { status, error, usage, engine, output } = await ended(server, made.body.id)
      assert.equal(status, 'succeeded', JSON.stringify(error))
      assert.deepEqual([engine, output.engine.kind], ['rules', 'rules'])
      assert.deepEqual(output.usage, usage)
      assert.ok(output.text.trim() !== '')
      assert.equal(faultsOf(published.output_schema, output.result), undefined)
      assert.ok(output.checks.length > 0)
      for (const check of output.checks) assert.ok(check.pass, JSON.stringify(check))
      assert.deepEqual(output.checks, await measuredHere(kind, published.example, output))
    })

  it('does its example in the sandbox, with a result as published', async () => {
    const headers = { authorization: `Bearer ${server.testKey}`, prefer: 'wait=60' }
    const made = await Promise.all(
      kinds.map(kind =>
        server.request('POST', `/v1/workforce/${kind.employee}/tasks`, {
          json: listed.get(nameOf(kind)).example,
          headers,
        }),
      ),
    )
    for (const [at, kind] of kinds.entries()) {
      const { body, text } = made[at] as Answer
      assert.equal(body.status, 'succeeded', `${nameOf(kind)}: ${text}`)
      assert.deepEqual([body.engine, body.output.engine], ['mock', { kind: 'mock', name: 'mock' }])
      assert.equal(faultsOf(listed.get(nameOf(kind)).output_schema, body.output.result), undefined, nameOf(kind))
    }
  })

  /** What the kind's checks measure on what came over the wire, files included. */
  async function measuredHere(kind: KindSpec, { task: _, ...example }: Wire, output: Wire) {
    const brief = { topic: '', tone: '', input: {}, constraints: {}, files: [], seed: 0, ...example }
    const artifacts = await Promise.all(output.artifacts.map(withBytes))
    return (await measured(kind, brief, { ...output, artifacts })).checks
  }

  async function withBytes({ file, ...artifact }: Wire) {
    const content = await fetch(`${server.url}/v1/files/${file}/content`, {
      headers: { authorization: `Bearer ${server.key}` },
    })
    assert.equal(content.status, 200)
    assert.ok(content.headers.get('content-type')?.startsWith(artifact.media_type))
    return { ...artifact, bytes: new Uint8Array(await content.arrayBuffer()) }
  }
})

function nameOf({ employee, id }: KindSpec): string {
  return `${employee} ${id}`
}
