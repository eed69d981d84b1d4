/** What an account can have: one of each kind, for tests of who sees it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Route } from '@millhand/api'
import type { RequestOptions, Wire } from './http.ts'
import { nameOf } from './routes.ts'
import type { Served } from './server.ts'
import { digit, ownModels } from './tasks.ts'

/** One who calls, by a key. */
export interface Caller {
  readonly name: string
  call(method: string, path: string, options?: RequestOptions): ReturnType<Served['request']>
}

export const callerWith = (server: Served, name: string, key: string): Caller => ({
  name,
  call: (method, path, options = {}) =>
    server.request(method, path, { ...options, headers: { authorization: `Bearer ${key}`, ...options.headers } }),
})

type Making = (owner: string, caller: Caller) => RequestOptions | Promise<RequestOptions>

/** How an object of a collection is made: the request of its `POST`. Each has the name of its owner in it. */
export const makings: Readonly<Record<string, Making>> = {
  tasks: owner => ({ json: digit(3, { metadata: { of: owner } }) }),
  batches: owner => ({ json: { tasks: [digit(3)], metadata: { of: owner } } }),
  files: owner => ({ raw: `the file of ${owner}`, headers: { 'content-type': 'text/plain' } }),
  models: async (owner, caller) => ({ json: { name: `the model of ${owner}`, file: await uploadModel(caller) } }),
  workforce: owner => ({
    json: { task: 'sentiment_analysis', input: { texts: ['Good.'] }, metadata: { of: owner } },
  }),
  instances: owner => ({ json: { gpu: 'cpu', image: 'acme/server', metadata: { of: owner } } }),
  webhooks: owner => ({ json: { url: NOBODY, events: ['batch.completed'], description: owner } }),
  api_keys: owner => ({ json: { name: `the key of ${owner}`.slice(0, 64), scopes: ['*'] } }),
}

/** The id of a file that can become a model. */
async function uploadModel(caller: Caller): Promise<string> {
  const file = await caller.call('POST', '/v1/files?purpose=model', {
    raw: readFileSync(join(ownModels, 'double/model.onnx')),
  })
  assert.equal(file.status, 201, file.text)
  return file.body.id
}

/** An address at which nobody listens. */
const NOBODY = 'https://127.0.0.1:4/hooks'

/** So long no next try of a delivery may begin: while one runs it can't be retried. */
const AT_REST_MS = 3_000

/** How an object comes to be that no `POST` makes, of one that it belongs to. */
const comings: Readonly<Record<string, (owner: Caller) => Promise<Wire>>> = {
  async events(owner) {
    const { id } = await make(owner, 'api_keys')
    const [event] = (await seen(owner, `/v1/events?resource_id=${id}`, ({ data }) => data.length > 0)).data
    return event
  },
  async deliveries(owner) {
    const { id } = await make(owner, 'webhooks')
    const tested = await owner.call('POST', `/v1/webhooks/${id}/test`, { json: {} })
    assert.equal(tested.status, 202, tested.text)
    const isAtRest = ({ next_attempt_at }: Wire) => Date.parse(next_attempt_at) - Date.now() > AT_REST_MS
    return await seen(owner, objectPath('deliveries', tested.body), isAtRest)
  },
  lines: lineOf,
}

/** The line of the bill that a task is on. */
async function lineOf(owner: Caller): Promise<Wire> {
  const hasLine = ({ lines }: Wire) => lines.some(({ kind }: Wire) => kind === 'compute')
  await make(owner, 'tasks')
  const { lines } = await seen(owner, '/v1/billing', hasLine)
  return lines.find(({ kind }: Wire) => kind === 'compute')
}

/** Collections whose objects belong to somebody. */
export const collections: readonly string[] = [...Object.keys(makings), ...Object.keys(comings)]

/** Where a collection is listed, and its objects are made. */
export const collectionPath = (collection: string): string =>
  collection === 'workforce' ? '/v1/workforce/emma/tasks' : `/v1/${collection}`

/** Where an object is got. */
export const objectPath = (collection: string, { id, webhook_id }: Wire): string =>
  collection === 'deliveries'
    ? `/v1/webhooks/${webhook_id}/deliveries/${id}`
    : collection === 'lines'
      ? `/v1/billing/lines/${id}/entries`
      : `${collectionPath(collection)}/${id}`

const bodies: Readonly<Record<string, () => object>> = {
  'POST /v1/webhooks/{id}/replay': () => ({ since: new Date(Date.now() - 60_000).toISOString() }),
  'POST /v1/instances/{id}/scale': () => ({ replicas: 2 }),
}

/** What a `POST` to an object has to say, where that is not nothing. */
export const bodyOf = (route: Route): object => bodies[nameOf(route)]?.() ?? {}

/** What is answered, once it is as it should be. */
async function seen(owner: Caller, path: string, isSo: (body: Wire) => unknown): Promise<Wire> {
  const deadline = performance.now() + 300_000
  for (;;) {
    const { body, text } = await owner.call('GET', path)
    if (isSo(body)) return body
    assert.ok(performance.now() < deadline, text)
    await pause(50)
  }
}

/** A new object of the caller's; a task or a batch has ended. */
export async function make(caller: Caller, collection: string): Promise<Wire> {
  const coming = comings[collection]
  if (coming) return await coming(caller)
  const making = makings[collection]
  assert.ok(
    making,
    `account-resources.ts does not say how an object of /v1/${collection} is made: add it to \`makings\``,
  )
  const made = await caller.call('POST', collectionPath(collection), await making(caller.name, caller))
  assert.equal(made.status, 201, made.text)
  if (collection === 'batches')
    return await seen(caller, objectPath(collection, made.body), ({ finished_at }) => finished_at !== undefined)
  if (collection === 'instances')
    return await seen(caller, objectPath(collection, made.body), ({ status }) => status === 'running')
  if (collection !== 'tasks' && collection !== 'workforce') return made.body
  for (;;) {
    const task = await caller.call('GET', objectPath(collection, made.body), { headers: { prefer: 'wait=10' } })
    assert.equal(task.status, 200, task.text)
    if (task.body.finished_at !== undefined) return task.body
  }
}
