import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { manualClock } from '@millhand/process'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { type BacklogDeps, readBacklog } from './backlog.ts'
import { aDelivery } from './delivery/delivery.fixture.ts'
import { type Deliveries, type DeliveryRecord, deliveriesSpec } from './delivery.ts'
import { type SpilledEvent, spillSpec } from './intake/overflow-event.ts'
import { endpoint } from './intake/task-event.fixture.ts'
import { noon } from './webhook.fixture.ts'
import { type Webhooks, webhooksSpec } from './webhook.ts'

let folder: string
let db: SqliteDatabase
let deps: { deliveries: Deliveries; webhooks: Webhooks } & BacklogDeps
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millhand-backlog-'))
  db = openSqlite({ file: join(folder, 'millhand.db') })
  deps = {
    deliveries: db.collection(deliveriesSpec),
    webhooks: db.collection(webhooksSpec),
    spill: db.collection<SpilledEvent>(spillSpec),
    clock: manualClock(noon),
  }
})
afterEach(async () => {
  await db.close()
  await rm(folder, { recursive: true })
})

/** What is told, as `name mode state: value`. */
const told = async (of: Partial<BacklogDeps> = {}) =>
  Object.fromEntries(
    (await readBacklog({ ...deps, ...of })).map(({ name, labels, value }) => [
      [name.replace('millhand_webhook_', ''), ...Object.values(labels)].join(' '),
      value,
    ]),
  )

const add = (...rows: Partial<DeliveryRecord>[]) =>
  Promise.all(
    rows.map((row, n) => {
      const document = aDelivery({ id: `dlv_${crypto.randomUUID()}`, endpoint: `wh_${n}`, ...row })
      return deps.deliveries.write({ kind: 'insert', document, events: [] })
    }),
  )

test('an idle service has nothing to do', async () => {
  const values = await told()
  assert.equal(Object.keys(values).length, 12)
  assert.ok(Object.values(values).every(value => value === 0))
})

test('what is ready, waits and runs is told by mode, and for how long the oldest could have been tried', async () => {
  await add(
    { ready_at: noon - 4_000 },
    { ready_at: noon - 90_000, created_at: 1 },
    { status: 'waiting', due_at: noon + 60_000 },
    { status: 'running', due_at: 0, lease_id: 'l', ready_at: 1 },
    { status: 'succeeded', finished_at: noon, ready_at: 1 },
    { status: 'failed', finished_at: noon, ready_at: 1 },
    { mode: 'test', pool: 'test/webhooks', ready_at: noon - 1_000 },
  )
  const values = await told()
  assert.deepEqual(
    ['ready', 'waiting', 'running'].map(state => values[`deliveries live ${state}`]),
    [2, 1, 1],
  )
  assert.deepEqual([values['deliveries test ready'], values['deliveries test waiting']], [1, 0])
  assert.deepEqual([values['oldest_ready_seconds live'], values['oldest_ready_seconds test']], [90, 1])
})

test('one that is due and that no owner has made ready is as old as its time has passed', async () => {
  await add({ status: 'waiting', due_at: noon - 300_000 }, { ready_at: noon - 1_000 })
  assert.equal((await told())['oldest_ready_seconds live'], 300)
})

test('disabled endpoints are told by their reasons, and events whose deliveries are to be made', async () => {
  const off = [
    endpoint({ status: 'disabled', disabled_reason: 'failing' }),
    endpoint({ status: 'disabled', disabled_reason: 'failing', tenant: 'acct_b/test' }),
    endpoint({ status: 'disabled', disabled_reason: 'gone' }),
    endpoint({ status: 'deleted', disabled_reason: 'gone' }),
    endpoint(),
  ]
  for (const document of off) await deps.webhooks.write({ kind: 'insert', document, events: [] })
  const spill = db.collection<SpilledEvent>({ ...spillSpec, name: 'others' })
  await spill.write({ kind: 'insert', document: { tenant: 't', id: 'evt_1' }, events: [] })
  const values = await told({ spill })
  assert.deepEqual(
    ['requested', 'failing', 'gone'].map(reason => values[`endpoints_disabled ${reason}`]),
    [0, 2, 1],
  )
  assert.equal(values.spilled_events, 1)
})

test('the query of docs/operating.md names the endpoints that have most to be delivered', async () => {
  const page = readFileSync(new URL('../../../docs/operating.md', import.meta.url), 'utf8')
  const [, query = ''] = /^sqlite3 \.millhand\/millhand\.db "\n( +SELECT tenant, endpoint[^"]*)"/m.exec(page) ?? []
  await add(
    ...Array.from({ length: 3 }, () => ({ endpoint: 'wh_behind', ready_at: Date.now() - 90_000 })),
    { endpoint: 'wh_other', ready_at: Date.now() },
    { endpoint: 'wh_done', status: 'succeeded', finished_at: noon },
  )
  const found = db.read<[string, string, number, number]>(query)
  assert.deepEqual(
    found.map(([tenant, endpoint, count]) => [tenant, endpoint, count]),
    [
      ['acct_1/live', 'wh_behind', 3],
      ['acct_1/live', 'wh_other', 1],
    ],
  )
  assert.ok((found[0]?.[3] ?? 0) >= 89)
})

test('no more than 10,000 are looked at, however many there are', async () => {
  const limits: number[] = []
  const counting = <T extends Pick<Deliveries, 'count'>>({ count }: T, more: object = {}) =>
    ({
      ...more,
      count: (...[index, range, limit]: Parameters<T['count']>) => {
        limits.push(limit)
        return count(index, range, limit)
      },
    }) as T
  const { deliveries, webhooks, spill } = deps
  await told({
    deliveries: counting(deliveries, { find: deliveries.find }),
    webhooks: counting(webhooks as never),
    spill: counting(spill as never),
  })
  assert.deepEqual(limits, Array(10).fill(10_000))
})
