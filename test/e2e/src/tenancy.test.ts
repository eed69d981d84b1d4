/**
 * Nothing crosses from one account to another, nor between what is live and the sandbox: whoever asks for what is
 * another's, in whatever way, gets the very answer of what has never been.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Route } from '@millhand/api'
import {
  bodyOf,
  type Caller,
  callerWith,
  collectionPath,
  collections,
  make,
  makings,
  objectPath,
} from './account-resources.ts'
import type { Wire } from './http.ts'
import { assertSame, bare, unknownIn } from './indistinguishable-answers.ts'
import { queriesOf } from './list-queries.ts'
import { keyOf, newAccount } from './operator.ts'
import { collectionAt, collectionOf, routes as every, nameOf, namesNone, pathOf, valuesFor } from './routes.ts'
import { assertProblem } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

/** No call makes an invoice, and no month ends here: `services/billing` tests who sees them. */
const routes = every.filter(route => !route.segments.includes('invoices'))

let server: Visited
before(async () => {
  server = await visitServer()
})
after(() => server.leave())

type Mode = 'live' | 'test'
const pairs: readonly (readonly [title: string, owner: Mode, stranger: Mode, isSameAccount: boolean])[] = [
  ['another account', 'live', 'live', false],
  ['another account, in the sandbox', 'test', 'test', false],
  ['the sandbox of the same account', 'live', 'test', true],
  ['what is live, of the same account as a sandbox', 'test', 'live', true],
]

for (const [title, ownerMode, strangerMode, isSameAccount] of pairs) {
  describe(`to ${title}`, () => {
    let owner: Caller
    let stranger: Caller
    /** By collection: two objects of the owner's. */
    const owned = new Map<string, readonly [Wire, Wire]>()

    before(async () => {
      const account = await newAccount(server, 'owner')
      const other = isSameAccount ? account : await newAccount(server, 'stranger')
      owner = callerWith(server, `the owner, ${ownerMode}`, await keyOf(server, account, { mode: ownerMode }))
      stranger = callerWith(server, 'the stranger', await keyOf(server, other, { mode: strangerMode }))
      for (const collection of collections) {
        owned.set(collection, [await make(owner, collection), await make(owner, collection)])
      }
    })

    for (const route of routes) {
      const collection = collectionOf(route)
      if (namesNone(route)) continue

      it(`${nameOf(route)} has no object of the owner's`, async () => {
        const [object] = ownedBy(collection)
        const tag = (await owner.call('GET', objectPath(collection, object))).headers.etag
        const values = valuesFor(route, object)
        for (const [field, known = ''] of Object.entries(values)) {
          if (field === 'employee') continue
          const path = (id: string) => pathOf(route, { ...values, [field]: id })
          for (const headers of variantsOf(route, tag)) {
            const ask = (id: string) =>
              stranger.call(route.method, path(id), { headers, ...(route.body && { json: bodyOf(route) }) })
            await assertSame(ask, known, unknownIn(known))
          }
          if (route.method !== 'GET') continue
          await assertSame(id => stranger.call('HEAD', path(id)), known, unknownIn(known))
        }
      })
    }

    it('deliveries of the owner’s are under no webhook of another', async () => {
      const [delivery] = ownedBy('deliveries')
      const { id } = await make(stranger, 'webhooks')
      for (const route of routes.filter(route => collectionOf(route) === 'deliveries')) {
        const ask = (delivery: string) =>
          stranger.call(route.method, pathOf(route, { webhook_id: id, id: delivery }), route.body && { json: {} })
        await assertSame(ask, delivery.id, unknownIn(delivery.id))
      }
      const { body } = await stranger.call('GET', `/v1/webhooks/${id}/deliveries?event_id=${delivery.event_id}`)
      assert.deepEqual(body.data, [])
    })

    it('has done nothing to them, by any of these calls', async () => {
      for (const [collection, objects] of owned) {
        if (collection === 'deliveries' || collection === 'lines') continue // They go on by themselves.
        for (const object of objects) {
          const now = (await owner.call('GET', objectPath(collection, object))).body
          const { key: _, secret: __, last_used_at: ___, ...before } = object
          const { last_used_at: ____, ...after } = now
          assert.deepEqual(after, before)
        }
      }
    })

    for (const route of routes.filter(isList)) {
      const collection = collectionAt(route)

      it(`${nameOf(route)} lists none of the owner's, whatever it is filtered by, and takes no cursor of theirs`, async () => {
        const [object, later] = ownedBy(collection)
        const path = collectionPath(collection)
        for (const query of queriesOf(route, object, owner)) {
          const seen = async () => (await owner.call('GET', `${path}?${query}`)).text
          // In ascending order what is two seconds old.
          if (query.includes('order=asc')) while (!(await seen()).includes(object.id)) await pause(100)
          else assert.ok((await seen()).includes(object.id), query)
          const told = await stranger.call('GET', `${path}?${query}`)
          assert.equal(told.status, 200, told.text)
          for (const { id } of [object, later]) assert.ok(!told.text.includes(id), `${query}: ${told.text}`)
        }
        const { next_cursor: cursor } = (await owner.call('GET', `${path}?limit=1`)).body
        assert.equal(typeof cursor, 'string')
        const answer = await stranger.call('GET', `${path}?limit=1&cursor=${encodeURIComponent(cursor)}`)
        assertProblem(answer, 400, 'invalid_cursor', 'cursor')
      })
    }

    for (const route of routes.filter(({ body }) => body !== undefined)) {
      for (const { name } of route.desc.input.fields.filter(isReference(route))) {
        it(`${nameOf(route)} takes no object of the owner's as its \`${name}\``, async () => {
          const collection = references[name]
          assert.ok(collection, `tenancy.test.ts does not say what ${name} names: add it to \`references\``)
          const [object] = ownedBy(collection)
          const making = await makings[route.segments.at(-1) as string]?.('nobody', stranger)
          assert.ok(making?.json, `account-resources.ts does not say how ${nameOf(route)} is filled`)
          const { input: _, tasks: __, ...json } = making.json as Wire
          const ask = (id: string) => stranger.call(route.method, pathOf(route, {}), { json: { ...json, [name]: id } })
          await assertSame(ask, object.id, unknownIn(object.id), [400, 404])
        })
      }
    }

    it('a stream token opens the one stream that it was made for', async () => {
      const [task, later] = ownedBy('tasks')
      const token = (await owner.call('POST', `/v1/tasks/${task.id}/stream_token`)).body.token
      assert.equal(typeof token, 'string')
      const open = (id: string, token: string) =>
        server.request('GET', `/v1/tasks/${id}/events?stream_token=${encodeURIComponent(token)}`, {
          headers: { authorization: '' },
        })
      assert.equal((await open(task.id, token)).status, 200)
      const others = await make(stranger, 'tasks')
      const forged = `${token.slice(0, -4)}AAAA`
      for (const id of [later.id, others.id, unknownIn(task.id)]) {
        assert.equal(bare(await open(id, token), id), bare(await open(id, forged), id))
      }
    })

    for (const route of routes.filter(({ method }) => method === 'POST')) {
      it(`${nameOf(route)} replays nothing of the owner's to who knows their Idempotency-Key`, async () => {
        const headers = { 'idempotency-key': `key of ${nameOf(route)}` }
        if (nameOf(route) === ROTATES_CALLBACKS) {
          const post = (caller: Caller) => caller.call('POST', '/v1/callback_secret/rotate', { json: {}, headers })
          const [theirs, mine] = [await post(owner), await post(stranger)]
          assert.equal(mine.status, 200, mine.text)
          assert.notEqual(mine.body.secret, theirs.body.secret)
          return
        }
        if (namesNone(route)) {
          const collection = collectionAt(route)
          const making = makings[collection]
          assert.ok(making, `account-resources.ts does not say how ${nameOf(route)} is filled`)
          const post = async (caller: Caller) => {
            const options = await making('both', caller)
            const sent = { ...options, headers: { ...options.headers, ...headers } }
            return await caller.call('POST', collectionPath(collection), sent)
          }
          const [theirs, mine] = [await post(owner), await post(stranger)]
          assert.equal(mine.status, 201, mine.text)
          assert.notEqual(mine.body.id, theirs.body.id)
          const { id } = (await stranger.call('GET', objectPath(collection, mine.body))).body
          assert.equal(id, mine.body.id)
          return
        }
        const path = pathOf(route, valuesFor(route, await make(owner, collectionOf(route))))
        const sent = { headers, ...(route.body && { json: bodyOf(route) }) }
        const theirs = await owner.call('POST', path, sent)
        assert.equal(theirs.status, route.answer.status, theirs.text)
        assertProblem(await stranger.call('POST', path, sent), 404, 'not_found')
      })
    }

    it('callbacks are signed with a secret of their own', async () => {
      const secretOf = async (caller: Caller) => (await caller.call('GET', '/v1/callback_secret')).body.secret
      assert.match(await secretOf(owner), /^whsec_/)
      assert.notEqual(await secretOf(stranger), await secretOf(owner))
    })

    it('usage counts nothing of the owner’s', async () => {
      const account = await newAccount(server, 'owner of usage')
      const other = isSameAccount ? account : await newAccount(server, 'stranger to usage')
      const owner = callerWith(server, 'the owner of usage', await keyOf(server, account, { mode: ownerMode }))
      const stranger = callerWith(server, 'the stranger', await keyOf(server, other, { mode: strangerMode }))
      await make(owner, 'tasks')
      const counted = async (caller: Caller, query = '') => (await caller.call('GET', `/v1/usage${query}`)).body
      while ((await counted(owner)).total.tasks.succeeded === 0) await pause(50)
      for (const query of ['', ...['day', 'model', 'type', 'gpu_type'].map(group => `?group_by=${group}`)]) {
        const { data, total } = await counted(stranger, query)
        assert.deepEqual(data, [])
        assert.deepEqual(total.tasks, { succeeded: 0, failed: 0, cancelled: 0, expired: 0 })
      }
      await make(owner, 'workforce')
      const done = async (caller: Caller) => (await caller.call('GET', '/v1/workforce/usage')).body
      while ((await done(owner)).total.tasks.succeeded === 0) await pause(50)
      const told = await done(stranger)
      assert.deepEqual([told.data, told.quota.used], [[], 0])
    })

    function ownedBy(collection: string): readonly [Wire, Wire] {
      const objects = owned.get(collection)
      assert.ok(
        objects,
        `account-resources.ts does not say how an object of /v1/${collection} is made: add it to \`makings\``,
      )
      return objects
    }
  })
}

it('knows every route', () => {
  const known = new Set([
    'GET /v1/usage',
    'GET /v1/gpu_types',
    'GET /v1/billing',
    'PUT /v1/billing/plans',
    'PUT /v1/billing/limits',
    'GET /v1/callback_secret',
    'GET /v1/workforce/employees',
    'GET /v1/employees',
    'GET /v1/workforce/usage',
  ])
  const unknown = routes.filter(
    route => route.pathFields.length === 0 && route.method !== 'POST' && !isList(route) && !known.has(nameOf(route)),
  )
  assert.deepEqual(unknown.map(nameOf), [], 'tenancy.test.ts does not say how these are asked for what is another’s')
})

const ROTATES_CALLBACKS = 'POST /v1/callback_secret/rotate'

/** A page of objects that belong to somebody. */
function isList(route: Route): boolean {
  const { fields } = route.desc.output
  const isPage = fields.some(({ name }) => name === 'next_cursor')
  return route.method === 'GET' && namesNone(route) && isPage
}

/** Whether a field of its body names an object. */
function isReference({ pathFields }: Route): (field: { readonly name: string }) => boolean {
  return ({ name }) => /(^|_)(file|id)$/.test(name) && !pathFields.includes(name)
}

/** Which collection a field of a request names an object of. */
const references: Readonly<Record<string, string>> = { file: 'files', input_file: 'files' }

/** What else a request may say, by which it could be answered in another way. */
function variantsOf({ kind, method, answer }: Route, tag: string | undefined): Record<string, string>[] {
  return [
    {},
    ...(method === 'GET' && tag !== undefined ? [{ 'if-none-match': tag }] : []),
    ...(answer.wait ? [{ prefer: 'wait=1' }] : []),
    ...(kind === 'events' ? [{ accept: 'text/event-stream', 'last-event-id': '1' }] : []),
    ...(kind === 'download' ? [{ range: 'bytes=0-3' }] : []),
  ]
}
