/** `GET /v1/billing`: a bill is what the tasks themselves say that they cost, and the plans by the second. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { callerWith } from './account-resources.ts'
import type { Wire } from './http.ts'
import { keyOf, newAccount } from './operator.ts'
import { assertProblem, digit } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
before(async () => {
  server = await visitServer()
})
after(() => server.leave())

const micros = ({ amount }: Wire): number => Math.round(Number(amount) * 1e6)

async function someone(mode: 'live' | 'test' = 'live') {
  const plans = { compute: 'starter', developer: 'free', workforce: 'starter' }
  const account = await newAccount(server, 'billed', plans)
  return callerWith(server, 'somebody', await keyOf(server, account, { mode }))
}

type Billed = Awaited<ReturnType<typeof someone>>

async function finished(caller: Billed, path: string, json: object): Promise<Wire> {
  let { body, text } = await caller.call('POST', path, { json, headers: { prefer: 'wait=10' } })
  while (body.finished_at === undefined) {
    assert.ok(body.id, text)
    ;({ body, text } = await caller.call('GET', `${path}/${body.id}`, { headers: { prefer: 'wait=10' } }))
  }
  return body
}

async function billOnce(caller: Billed, isSo: (bill: Wire) => boolean): Promise<Wire> {
  const deadline = performance.now() + 120_000
  for (;;) {
    const { status, body, text } = await caller.call('GET', '/v1/billing')
    assert.equal(status, 200, text)
    if (isSo(body)) return body
    assert.ok(performance.now() < deadline, text)
    await pause(50)
  }
}

it('a bill has the cost of each task on a line, and the line lists it', async () => {
  const caller = await someone()
  const tasks = [
    await finished(caller, '/v1/tasks', digit(3)),
    await finished(caller, '/v1/tasks', digit(4)),
    await finished(caller, '/v1/workforce/emma/tasks', { task: 'sentiment_analysis', input: { texts: ['Good.'] } }),
  ]
  const lineOf = (bill: Wire, kind: string) => bill.lines.find((line: Wire) => line.kind === kind)
  const costs = tasks.slice(0, 2).reduce((sum, { cost }) => sum + micros(cost), 0)
  const bill = await billOnce(
    caller,
    bill => lineOf(bill, 'tasks') && micros(lineOf(bill, 'compute')?.amount ?? { amount: '0' }) === costs,
  )
  const compute = lineOf(bill, 'compute')
  assert.equal(bill.object, 'billing')
  assert.deepEqual(
    [compute.family, compute.model, compute.gpu_type, compute.unit],
    ['compute', 'digits', 'cpu', 'second'],
  )
  assert.deepEqual(compute.unit_price, { amount: '1.000000', currency: 'USD' })
  assert.equal(lineOf(bill, 'tasks').employee, 'emma')
  assert.equal(micros(lineOf(bill, 'tasks').amount), micros(tasks[2]?.cost))
  assert.equal(
    bill.lines.reduce((sum: number, line: Wire) => sum + micros(line.amount), 0),
    micros(bill.total),
  )
  const [first, second] = bill.period.start.split('T')
  assert.match(`${first}T${second}`, /^\d{4}-\d\d-01T00:00:00\.000Z$/)
  assert.ok(micros(bill.forecast.total) >= micros(bill.total))
  assert.deepEqual(bill.invoices, [])
  const usage = (await caller.call('GET', '/v1/usage')).body
  assert.equal(micros(usage.total.cost), costs)

  const path = `/v1/billing/lines/${compute.id}/entries`
  const one = (await caller.call('GET', `${path}?limit=1&order=asc`)).body
  assert.deepEqual([one.data[0].task_id, one.data[0].amount, one.has_more], [tasks[0]?.id, tasks[0]?.cost, true])
  const two = (await caller.call('GET', `${path}?limit=1&order=asc&cursor=${encodeURIComponent(one.next_cursor)}`)).body
  assert.deepEqual(
    [two.data[0].task_id, two.data[0].quantity, two.has_more],
    [tasks[1]?.id, tasks[1]?.usage.compute_ms / 1000, false],
  )
  assert.match(two.data[0].event_id, /^evt_/)
  assertProblem(await caller.call('GET', `${path}?cursor=x`), 400, 'invalid_cursor', 'cursor')
  assertProblem(await caller.call('GET', '/v1/billing/lines/line_x/entries'), 404, 'not_found')
  assertProblem(await caller.call('GET', '/v1/billing/invoices/inv_x'), 404, 'not_found')
  assert.deepEqual((await caller.call('GET', '/v1/billing/invoices')).body.data, [])
})

it('plans change at once, and the bill has each of them', async () => {
  const caller = await someone()
  const plansOf = (bill: Wire) =>
    bill.lines.filter((line: Wire) => line.kind === 'subscription' && line.family === 'developer')
  const before = await billOnce(caller, bill => plansOf(bill).length === 1)
  assert.deepEqual(before.plans, { compute: 'starter', developer: 'free', workforce: 'starter' })
  const changed = await caller.call('PUT', '/v1/billing/plans', { json: { developer: 'pro' } })
  assert.equal(changed.status, 200, changed.text)
  assert.equal(changed.body.developer, 'pro')
  // A gateway hears of the change within a second.
  const bill = await billOnce(caller, bill => plansOf(bill).length === 2 && bill.plans.developer === 'pro')
  assert.deepEqual(
    plansOf(bill).map(({ unit_price, unit }: Wire) => [unit_price.amount, unit]),
    [
      ['0.000000', 'month'],
      ['49.000000', 'month'],
    ],
  )
  for (const [json, param] of [
    [{ developer: 'enterprise' }, 'developer'],
    [{ compute: 'nothing' }, 'compute'],
    [{ workforce: '' }, 'workforce'],
    [{ compute: 1 }, 'compute'],
  ] as const)
    assertProblem(await caller.call('PUT', '/v1/billing/plans', { json }), 400, 'invalid_parameter', param)
  assert.equal((await caller.call('PUT', '/v1/billing/plans', { json: {} })).body.developer, 'pro')
})

it('the sandbox is never billed, and says what it would have cost', async () => {
  const caller = await someone('test')
  await finished(caller, '/v1/tasks', digit(3))
  const bill = await billOnce(caller, ({ lines }) => lines.length > 0)
  assert.equal(bill.total.amount, '0.000000')
  assert.equal(bill.would_have_cost.amount, bill.lines[0].would_have_cost.amount)
  const { body: entries } = await caller.call('GET', `/v1/billing/lines/${bill.lines[0].id}/entries`)
  assert.deepEqual(
    entries.data.map((entry: Wire) => entry.would_have_cost.amount),
    [bill.would_have_cost.amount],
  )
  const changed = await caller.call('PUT', '/v1/billing/plans', { json: { developer: 'business' } })
  assert.deepEqual([changed.status, changed.body.developer], [200, 'business'])
  assert.equal((await billOnce(caller, () => true)).plans.developer, 'free')
})

it('a spending limit refuses creates of its family once it is reached, until it is raised', async () => {
  const caller = await someone()
  const usd = (amount: string) => ({ amount, currency: 'USD' })
  const set = (json: object) => caller.call('PUT', '/v1/billing/limits', { json })
  const limited = await set({ compute: usd('0.000001'), workforce: null })
  assert.equal(limited.status, 200, limited.text)
  assert.equal(limited.body.object, 'spending_limits')
  assert.deepEqual(
    limited.body.limits.map(({ family, limit, spent }: Wire) => [family, limit.amount, spent.amount]),
    [['compute', '0.000001', '0.000000']],
  )
  await finished(caller, '/v1/tasks', digit(3))
  await billOnce(caller, ({ limits }) => limits.length === 1 && micros(limits[0].spent) >= 1)

  const until = async (isSo: (answer: Awaited<ReturnType<typeof caller.call>>) => boolean) => {
    for (const deadline = performance.now() + 120_000; ; await pause(50)) {
      const answer = await caller.call('POST', '/v1/tasks', { json: digit(4) })
      if (isSo(answer)) return answer
      assert.ok(performance.now() < deadline, answer.text)
    }
  }
  const refused = await until(({ status }) => status !== 201)
  assertProblem(refused, 403, 'spending_limit_reached')
  assert.match(refused.body.detail, /of 0\.000001 USD are spent.*PUT \/v1\/billing\/limits/)
  const others: Readonly<Record<string, object>> = {
    '/v1/batches': { tasks: [digit(1)] },
    '/v1/instances': { gpu: 'cpu', image: 'acme/server' },
  }
  for (const [path, json] of Object.entries(others))
    assertProblem(await caller.call('POST', path, { json }), 403, 'spending_limit_reached')
  const work = { task: 'sentiment_analysis', input: { texts: ['Good.'] } }
  assert.equal((await caller.call('POST', '/v1/workforce/emma/tasks', { json: work })).status, 201)
  assert.equal((await caller.call('GET', '/v1/tasks')).status, 200)
  const other = await someone()
  assert.equal((await other.call('POST', '/v1/tasks', { json: digit(4) })).status, 201)

  for (const deadline = performance.now() + 120_000; ; await pause(50)) {
    const { body } = await caller.call('GET', '/v1/events?type=billing.limit_reached')
    if (body.data.length > 0) {
      assert.deepEqual(
        body.data.map(({ data }: Wire) => [data.object.object, data.object.family, data.object.limit.amount]),
        [['spending_limit', 'compute', '0.000001']],
      )
      break
    }
    assert.ok(performance.now() < deadline)
  }
  assert.equal((await set({ compute: usd('100.00') })).status, 200)
  await until(({ status }) => status === 201)
  assertProblem(await set({ compute: usd('-1') }), 400, 'invalid_parameter', 'compute.amount')
  assertProblem(await set({ compute: { amount: '1', currency: 'EUR' } }), 400, 'invalid_parameter', 'compute.currency')
})

it('nobody reports payments where no processor is configured', async () => {
  const headers = { 'stripe-signature': 't=1,v1=2' }
  const answer = await server.request('POST', '/payments/notifications', { raw: '{}', headers })
  assertProblem(answer, 404, 'not_found')
})

it('an invoice is had as JSON, CSV or PDF, and as nothing else', async () => {
  const caller = await someone()
  const get = (accept: string) => caller.call('GET', '/v1/billing/invoices/inv_x', { headers: { accept } })
  for (const accept of ['application/json', '*/*', 'text/csv', 'application/pdf'])
    assertProblem(await get(accept), 404, 'not_found')
  const refused = await get('image/png, text/html;q=0.5')
  assertProblem(refused, 406, 'not_acceptable')
  for (const type of ['application/json', 'text/csv', 'application/pdf']) assert.ok(refused.body.detail.includes(type))
})

it('an account that has reached its limit may scale its instances down and end them, and not up', async () => {
  const caller = await someone('test')
  const made = await caller.call('POST', '/v1/instances', { json: { gpu: 'cpu', image: 'acme/server', replicas: 3 } })
  assert.equal(made.status, 201, made.text)
  const limited = await caller.call('PUT', '/v1/billing/limits', {
    json: { compute: { amount: '0.000001', currency: 'USD' } },
  })
  assert.equal(limited.status, 200, limited.text)
  await finished(caller, '/v1/tasks', digit(3))
  const scale = (replicas: number) => caller.call('POST', `/v1/instances/${made.body.id}/scale`, { json: { replicas } })
  const deadline = performance.now() + 120_000
  // A second apart, for the plan allows 100 requests in a minute.
  for (let more = await scale(4); more.status !== 403; more = await scale(4)) {
    assert.ok(performance.now() < deadline, more.text)
    await pause(1_000)
    assert.equal((await scale(3)).status, 200)
    await pause(1_000)
  }
  const another = { json: { gpu: 'cpu', image: 'acme/server' } }
  assertProblem(await caller.call('POST', '/v1/instances', another), 403, 'spending_limit_reached')
  for (const replicas of [3, 2, 0]) {
    const scaled = await scale(replicas)
    assert.deepEqual([scaled.status, scaled.body.desired], [200, { replicas }], scaled.text)
    assertProblem(await scale(replicas + 1), 403, 'spending_limit_reached')
  }
  assert.equal((await caller.call('DELETE', `/v1/instances/${made.body.id}`)).status, 200)
})
