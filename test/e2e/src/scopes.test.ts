/** Each route is opened by the scope that the contract gives it and by no other, and counts in the contract's plan. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Route } from '@millhand/api'
import { contractAccess } from './contract-access.ts'
import type { Answer } from './http.ts'
import { keyOf, operate } from './operator.ts'
import { nameOf, pathOf, routes } from './routes.ts'
import { assertProblem } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

// Contract, section 3.
const resources = [
  'tasks',
  'models',
  'files',
  'instances',
  'workforce',
  'webhooks',
  'usage',
  'billing',
  'keys',
  'events',
]
const scopes = resources.flatMap(resource => [`${resource}:read`, `${resource}:write`])

let server: Visited
let account: string
before(async () => {
  server = await visitServer()
  // With the plans of a new account, of which answers tell.
  account = (await operate(server, 'accounts', 'create', 'scopes')).id
})
after(() => server.leave())

/** A call that is admitted before anything of it is looked at: its ids are unknown, and its body has nothing in it. */
async function call(route: Route, scopes: readonly string[]): Promise<Answer> {
  const values = Object.fromEntries(route.pathFields.map(field => [field, 'nothing_of_that_name']))
  const headers = { authorization: `Bearer ${await keyOf(server, account, { scopes })}` }
  return await server.request(route.method, pathOf(route, values), { headers, ...(route.body && { json: {} }) })
}

test('the routes are those of the API’s description', async () => {
  const { paths } = (await server.request('GET', '/openapi.json')).body
  const described = Object.entries<object>(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter(method => /^(get|put|post|delete|patch)$/.test(method))
      .map(method => `${method.toUpperCase()} ${path}`),
  )
  assert.deepEqual(described.sort(), routes.map(nameOf).sort())
  assert.deepEqual(described.sort(), Object.keys(contractAccess).sort())
})

for (const route of routes) {
  const [scope, family] = contractAccess[nameOf(route)] ?? ['no scope', 'no plan']

  test(`${nameOf(route)} is refused to a key that holds everything but ${scope}, and the answer names it`, async () => {
    assert.ok(scopes.includes(scope), `the contract has no scope ${scope}`)
    const answer = await call(
      route,
      scopes.filter(each => each !== scope),
    )
    assertProblem(answer, 403, 'insufficient_scope')
    assert.ok(answer.body.detail.includes(`\`${scope}\``), answer.text)
    const challenge = answer.headers['www-authenticate'] ?? ''
    assert.match(challenge, /^Bearer realm="millhand", error="insufficient_scope"/)
    assert.ok(challenge.includes(`scope="${scope}"`), challenge)
  })

  test(`${nameOf(route)} is open to a key that holds ${scope} alone, and counts in the plan of ${family}`, async () => {
    const answer = await call(route, [scope])
    assert.ok(answer.status !== 401 && answer.status !== 403, `${answer.status}: ${answer.text}`)
    assert.match(String(answer.headers['ratelimit-policy']), new RegExp(`^"${family}";`))
  })
}
