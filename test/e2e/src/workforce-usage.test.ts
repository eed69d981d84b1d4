/** `GET /v1/workforce/usage`: what it counts is what the tasks themselves say, by employee and by kind of work. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Wire } from './http.ts'
import { clear, create, ended, run } from './tasks.ts'
import { counted, sumOf } from './usage-sums.ts'
import { type Visited, visitServer } from './visited-server.ts'

const review = { employee: 'emma', task: 'sentiment_analysis', input: { texts: ['Not bad at all for the price.'] } }
const knowledge = [{ title: 'Returns', text: 'You have 30 days after delivery to return an item.' }]
const ticket = {
  employee: 'emma',
  task: 'answer_ticket',
  input: { subject: 'Parcel', ticket: 'How long do I have to return my parcel?', knowledge },
}

/** Some 10 s of work on one core. */
const long = (more: object = {}) => {
  const values = Array.from({ length: 4000 }, (_, i) => (i * 7919) % 1009)
  const series = Array.from({ length: 20 }, () => ({ values }))
  return { employee: 'david', task: 'forecast', input: { horizon: 100, season_length: 24, series }, ...more }
}

let server: Visited
before(async () => {
  server = await visitServer()
})
after(() => server.leave())

it('the usage of the workforce equals the sum over the listed tasks: in all, by employee, by kind of work', async () => {
  await Promise.all([review, review, ticket].map(task => run(server, task)))
  assert.equal((await ended(server, (await create(server, long({ timeout_s: 2 }))).id)).status, 'failed')
  const running = await create(server, long())
  while ((await server.request('GET', `/v1/tasks/${running.id}`)).body.status !== 'running') await pause(20)
  await clear(server, running.id)

  const listed = async (employee: string): Promise<Wire[]> =>
    (await server.request('GET', `/v1/workforce/${employee}/tasks?limit=100`)).body.data
  const tasks = [...(await listed('david')), ...(await listed('emma'))]
  const { data, employees, total } = await counted(() => server.request('GET', '/v1/workforce/usage'), tasks.length)

  assert.deepEqual(total, used(tasks))
  assert.deepEqual(total.tasks, { succeeded: 3, failed: 1, cancelled: 1, expired: 0 })
  assert.deepEqual(
    employees,
    sums(tasks, ({ employee }) => ({ employee })),
  )
  assert.deepEqual(
    data,
    sums(tasks, ({ employee, task }) => ({ employee, task })),
  )
  const [david] = employees
  assert.deepEqual([david.tasks.failed, david.tasks.cancelled], [1, 1])
  assert.ok(david.compute_seconds > 2 && Number(david.cost.amount) > 2, 'runs that were stopped have run')
})

/** Tasks of the workforce have no items. */
function used(tasks: readonly Wire[]): Wire {
  const { items: _, ...sum } = sumOf(tasks)
  return sum
}

/** A line for each of what tasks are told by, in their order. */
function sums(tasks: readonly Wire[], by: (task: Wire) => Wire): Wire[] {
  const groups = Map.groupBy(tasks, task => Object.values(by(task)).join('/'))
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, some]) => ({ ...by(some[0] as Wire), ...used(some) }))
}
