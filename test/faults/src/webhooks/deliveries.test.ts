import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Arrival, type Books, type Endpoint, type Happened, violations } from './deliveries.ts'

const tasks: Endpoint = {
  path: '/tasks',
  tenant: 'acct_a/live',
  patterns: ['task.*'],
  isLiving: true,
  asked: 9_900,
  made: 10_000,
}
const ends: Endpoint = { ...tasks, path: '/ends', patterns: ['task.succeeded'] }
const others: Endpoint = { ...tasks, path: '/others', tenant: 'acct_a/test' }
const late: Endpoint = { ...tasks, path: '/late', asked: 29_900, made: 30_000 }
const gone: Endpoint = { ...tasks, path: '/gone', isLiving: false, ended: 20_500 }
const dead: Endpoint = { ...tasks, path: '/dead', isLiving: false }

const event = (id: string, type: string, at: number, tenant = 'acct_a/live'): Happened => ({
  id,
  tenant,
  type,
  at,
  value: JSON.stringify({ id, type, created_at: new Date(at).toISOString(), data: { object: { n: 1 } } }),
})
const queued = event('evt_1', 'task.queued', 20_000)
const succeeded = event('evt_2', 'task.succeeded', 21_000)
const sandbox = event('evt_3', 'task.queued', 21_000, 'acct_a/test')

const arrival = ({ path }: Endpoint, { id, type, at, value }: Happened, more: Partial<Arrival> = {}): Arrival => ({
  path,
  event: id,
  at: at + 50,
  body: JSON.stringify({ id, type, timestamp: new Date(at).toISOString(), data: JSON.parse(value).data }),
  isAccepted: true,
  isSigned: true,
  ...more,
})

const kept: Books = {
  endpoints: [tasks, ends, others, late, gone, dead],
  events: [queued, succeeded, sandbox],
  arrivals: [
    arrival(tasks, queued, { isAccepted: false }),
    arrival(tasks, queued, { at: 25_000 }),
    arrival(tasks, succeeded),
    arrival(ends, succeeded),
    arrival(others, sandbox),
    arrival(gone, queued),
    arrival(dead, succeeded, { isAccepted: false }),
  ],
  windows: [],
  takeovers: [],
  tries: [],
}
const with_ = (more: readonly Arrival[], rest: Partial<Books> = {}): Books => ({
  ...kept,
  arrivals: [...kept.arrivals, ...more],
  ...rest,
})

test('deliveries in which every promise was kept have no violation', () => {
  assert.deepEqual(violations(kept), [])
})

const planted: readonly [fault: string, books: Books, said: RegExp][] = [
  [
    'a delivery is lost',
    { ...kept, arrivals: kept.arrivals.filter(({ path }) => path !== '/ends') },
    /^evt_2 \(task.succeeded, .*\) at \/ends: never came$/,
  ],
  [
    'a delivery was never accepted',
    { ...kept, arrivals: kept.arrivals.filter(({ at }) => at !== 25_000) },
    /^evt_1 .* at \/tasks: never came$/,
  ],
  [
    'a body is another at the second try',
    with_([arrival(tasks, queued, { at: 26_000, body: `${arrival(tasks, queued).body} ` })], {
      takeovers: [{ began: 25_500, over: 25_500 }],
    }),
    /^evt_1 at \/tasks: has another body than before$/,
  ],
  [
    'a body is not the event',
    { ...kept, arrivals: kept.arrivals.map(each => ({ ...each, body: each.body.replace('"n":1', '"n":2') })) },
    /^evt_\d at \/\w+: its body is not the event$/,
  ],
  ['a signature is wrong', with_([arrival(dead, queued, { isSigned: false })]), /^evt_1 at \/dead: its signature/],
  ['an event is of another account', with_([arrival(tasks, sandbox)]), /^evt_3 at \/tasks: is of acct_a\/test/],
  ['an event is of another type', with_([arrival(ends, queued)]), /^evt_1 at \/ends: is a task.queued, not asked for$/],
  ['an event is in no log', with_([arrival(dead, { ...queued, id: 'evt_9' })]), /^evt_9 at \/dead: is not in the log$/],
  ['a redirect is followed', with_([arrival({ ...dead, path: '/to' }, queued)]), /^evt_1 at \/to: nobody asked there$/],
  ['an endpoint is made later', with_([arrival(late, queued)]), /^evt_1 at \/late: happened before the endpoint/],
  ['an endpoint had ended before', with_([arrival(gone, succeeded)]), /^evt_2 at \/gone: happened after the end/],
  [
    'an endpoint ended long ago',
    { ...kept, arrivals: kept.arrivals.map(each => (each.path === '/gone' ? { ...each, at: 26_000 } : each)) },
    /^evt_1 at \/gone: came after the end of the endpoint$/,
  ],
  [
    'a delivery is doubled',
    with_([arrival(ends, succeeded, { at: 22_000 })]),
    /^evt_2 at \/ends: its owner posted it again at 1970-01-01T00:00:22.000Z$/,
  ],
]

for (const [fault, books, said] of planted)
  test(`it is found when ${fault}`, () => {
    const found = violations(books)
    assert.ok(found.length > 0, 'nothing was found')
    for (const words of found) assert.match(words, said)
  })

test('what was under way in a fault may come after the end of its endpoint', () => {
  const after = arrival(gone, queued, { at: 26_000, isAccepted: false })
  assert.deepEqual(
    violations(
      with_([after], { windows: [{ began: 20_000, over: 24_000 }], takeovers: [{ began: 24_000, over: 24_000 }] }),
    ),
    [],
  )
})
