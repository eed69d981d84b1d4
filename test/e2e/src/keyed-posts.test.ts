/** Whatever is posted with an `Idempotency-Key` is done once, by any route. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Route } from '@millhand/api'
import { bodyOf, type Caller, callerWith, collectionPath, make, makings } from './account-resources.ts'
import type { RequestOptions, Wire } from './http.ts'
import { collectionAt, collectionOf, nameOf, namesNone, pathOf, routes, valuesFor } from './routes.ts'
import { assertProblem } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
let caller: Caller
before(async () => {
  server = await visitServer()
  caller = callerWith(server, 'the caller', server.key)
})
after(() => server.leave())

interface Request {
  readonly path: string
  readonly options: RequestOptions
}

/** A request of a route, and others that are not the same. */
async function requestsOf(route: Route): Promise<readonly [Request, ...Request[]]> {
  const making = makings[collectionAt(route)]
  if (namesNone(route) && making) {
    const path = collectionPath(collectionAt(route))
    const [one, another] = [await making('one', caller), await making('another', caller)]
    return [
      { path, options: one },
      { path, options: another },
    ]
  }
  const pathTo = async () =>
    pathOf(route, route.pathFields.length === 0 ? {} : valuesFor(route, await make(caller, collectionOf(route))))
  const [path, another] = [await pathTo(), await pathTo()]
  if (!route.body) return [path, another].map(path => ({ path, options: {} })) as [Request, Request]
  const sent = (path: string, raw: string) => ({
    path,
    options: { raw, headers: { 'content-type': 'application/json' } },
  })
  const text = JSON.stringify(bodyOf(route))
  return [sent(path, text), ...(another === path ? [] : [sent(another, text)]), sent(path, `${text} `)]
}

/** The ids of all that the caller has, but for what a batch makes later. */
async function belongings(): Promise<string[]> {
  const lists = Object.keys(makings).map(async collection => {
    const { data, has_more } = (await caller.call('GET', `${collectionPath(collection)}?limit=100`)).body
    assert.equal(has_more, false, 'a page does not hold all')
    const isOwn = ({ batch_id, purpose }: Wire) => batch_id === undefined && purpose !== 'output'
    return data.filter(isOwn).map(({ id }: Wire) => id)
  })
  return (await Promise.all(lists)).flat()
}

for (const route of routes.filter(({ method }) => method === 'POST')) {
  test(`${nameOf(route)} with a key is done once, answered twice with the same bytes, and not taken for another`, async () => {
    const [one, ...others] = await requestsOf(route)
    const key = { 'idempotency-key': randomUUID() }
    const post = ({ path, options }: Request) =>
      caller.call('POST', path, { ...options, headers: { ...options.headers, ...key } })
    const before = await belongings()
    const first = await post(one)
    assert.equal(first.status, route.answer.status, first.text)
    assert.equal(first.headers['idempotent-replayed'], undefined)
    const made = await belongings()
    if (first.status === 201 && 'id' in first.body)
      assert.equal(made.filter(id => !before.includes(id)).join(), first.body.id)
    else assert.deepEqual(made, before)

    const again = await post(one)
    assert.equal(again.status, first.status)
    assert.ok(again.bytes.equals(first.bytes), again.text)
    assert.equal(again.headers['idempotent-replayed'], 'true')
    for (const other of others) assertProblem(await post(other), 422, 'idempotency_mismatch')
    assert.deepEqual(await belongings(), made)
  })
}
