/** What an account can have: one of each kind, for tests of who sees it. */
import assert from 'node:assert/strict'
import type { RequestOptions, Wire } from './http.ts'
import type { Server } from './server.ts'
import { digit } from './tasks.ts'

/** One who calls, by a key. */
export interface Caller {
  readonly name: string
  call(method: string, path: string, options?: RequestOptions): ReturnType<Server['request']>
}

export const callerWith = (server: Server, name: string, key: string): Caller => ({
  name,
  call: (method, path, options = {}) =>
    server.request(method, path, { ...options, headers: { authorization: `Bearer ${key}`, ...options.headers } }),
})

/** How an object of a collection is made: the request of its `POST`. Each has the name of its owner in it. */
export const makings: Readonly<Record<string, (owner: string) => RequestOptions>> = {
  tasks: owner => ({ json: digit(3, { metadata: { of: owner } }) }),
  files: owner => ({ raw: `the file of ${owner}`, headers: { 'content-type': 'text/plain' } }),
  api_keys: owner => ({ json: { name: `the key of ${owner}`.slice(0, 64), scopes: ['*'] } }),
}

/** Collections whose objects belong to nobody, and are the same for all. */
export const shared: ReadonlySet<string> = new Set(['models'])

/** A new object of the caller's; a task has ended. */
export async function make(caller: Caller, collection: string): Promise<Wire> {
  const making = makings[collection]
  assert.ok(making, `belongings.ts does not say how an object of /v1/${collection} is made: add it to \`makings\``)
  const made = await caller.call('POST', `/v1/${collection}`, making(caller.name))
  assert.equal(made.status, 201, made.text)
  if (collection !== 'tasks') return made.body
  for (;;) {
    const task = await caller.call('GET', `/v1/tasks/${made.body.id}`, { headers: { prefer: 'wait=10' } })
    assert.equal(task.status, 200, task.text)
    if (task.body.finished_at !== undefined) return task.body
  }
}
