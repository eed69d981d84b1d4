import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { keyOf, newAccount } from './operator.ts'
import { clear, clearAll, create, ended, FOREVER_MS, reaches, spin } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
before(async () => {
  server = await visitServer()
})
after(() => server.leave())
afterEach(() => clearAll(server))

test('tasks run by priority, then as they came', async () => {
  const blocker = await create(server, spin(FOREVER_MS))
  await reaches(server, blocker.id, 'running')
  const asked = ['low', 'normal', 'high', 'low', 'high', 'normal'] as const
  const made: { id: string; priority: string }[] = []
  for (const priority of asked) made.push(await create(server, spin(50, { priority })))
  await clear(server, blocker.id)
  const done = await Promise.all(made.map(({ id }) => ended(server, id)))
  const ran = done.toSorted((a, b) => (a.started_at < b.started_at ? -1 : 1)).map(task => task.id)
  assert.deepEqual(
    ran,
    [2, 4, 1, 5, 0, 3].map(at => made[at]?.id),
  )
})

test('a queued task tells about how many run before it', async () => {
  const blocker = await create(server, spin(FOREVER_MS))
  await reaches(server, blocker.id, 'running')
  const made: { id: string }[] = []
  for (let at = 0; at < 4; at++) made.push(await create(server, spin(1)))
  const places = await Promise.all(
    made.map(async ({ id }) => (await server.request('GET', `/v1/tasks/${id}`)).body.position),
  )
  for (const place of places) assert.ok(Number.isInteger(place) && place >= 0, String(places))
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  )
  assert.ok(places[3] > places[0], String(places))
  await clear(server, blocker.id, ...made.map(({ id }) => id))
})

test('the first task of an account runs while those of another hold every slot', async () => {
  const blockers = await Promise.all(Array.from({ length: 20 }, () => create(server, spin(FOREVER_MS))))
  const holding = async () => {
    const answers = await Promise.all(blockers.map(({ id }) => server.request('GET', `/v1/tasks/${id}`)))
    return answers.filter(({ body }) => body.status === 'running').length
  }
  while ((await holding()) === 0);
  const authorization = `Bearer ${await keyOf(server, await newAccount(server, 'newcomer'))}`
  const headers = { authorization, prefer: 'wait=120' }
  const { status, body } = await server.request('POST', '/v1/tasks', { json: spin(50), headers })
  assert.deepEqual([status, body.status], [201, 'succeeded'])
  assert.ok((await holding()) > 0)
  await clear(server, ...blockers.map(({ id }) => id))
})
