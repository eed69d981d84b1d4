import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Posts, repeatsOf, tooManyRepeats } from './repeats.ts'
import { takeoversOf, tenuresOf } from './tenures.ts'

const accepted = (at: number, event = 'evt_1', path = '/a') => ({ path, event, at, isAccepted: true })
const refused = (at: number) => ({ ...accepted(at), isAccepted: false })
const causes = (posts: Partial<Posts> & Pick<Posts, 'arrivals'>) =>
  repeatsOf({ takeovers: [], tries: [], ...posts }).map(({ cause }) => cause)

test('a post is repeated only where one before it was accepted', () => {
  assert.deepEqual(causes({ arrivals: [refused(1_000), refused(2_000), accepted(3_000)] }), [])
  assert.deepEqual(causes({ arrivals: [accepted(3_000), refused(4_000)] }), ['needless'])
})

test('a takeover explains a repeat of what was accepted before it, and no second one', () => {
  const takeovers = [{ began: 5_000, over: 5_000 }]
  assert.deepEqual(causes({ takeovers, arrivals: [accepted(1_000), accepted(60_000)] }), ['takeover'])
  assert.deepEqual(causes({ takeovers, arrivals: [accepted(1_000), accepted(4_000)] }), ['needless'])
  assert.deepEqual(causes({ takeovers, arrivals: [accepted(6_000), accepted(7_000)] }), ['needless'])
  const thrice = [accepted(1_000), accepted(6_000), accepted(7_000)]
  assert.deepEqual(causes({ takeovers, arrivals: thrice }), ['takeover', 'needless'])
  const again = [...takeovers, { began: 6_500, over: 6_500 }]
  assert.deepEqual(causes({ takeovers: again, arrivals: thrice }), ['takeover', 'takeover'])
})

test('an owner that stood still and wakes may post what the next has posted', () => {
  const takeovers = [{ began: 5_000, over: 8_000 }]
  assert.deepEqual(causes({ takeovers, arrivals: [accepted(6_000), accepted(7_900)] }), ['takeover'])
  assert.deepEqual(causes({ takeovers, arrivals: [accepted(8_100), accepted(8_200)] }), ['needless'])
})

test('what was accepted, and not heard of in time, is posted again by the same owner', () => {
  const one = { path: '/a', event: 'evt_1', at: 900, isAnswered: false }
  const arrivals = [accepted(1_000), accepted(21_000)]
  assert.deepEqual(causes({ arrivals, tries: [one] }), ['unanswered'])
  assert.deepEqual(causes({ arrivals, tries: [{ ...one, isAnswered: true }] }), ['needless'])
  assert.deepEqual(
    causes({
      arrivals,
      tries: [
        { ...one, at: 100 },
        { ...one, isAnswered: true },
      ],
    }),
    ['needless'],
  )
})

test('a takeover repeats no more of an endpoint than it had under way', () => {
  const posts = (count: number, takeovers: number): Posts => ({
    arrivals: Array.from({ length: count }, (_, n) => [
      accepted(1_000, `evt_${n}`),
      accepted(9_000, `evt_${n}`),
    ]).flat(),
    takeovers: Array.from({ length: takeovers }, (_, n) => ({ began: 5_000 + n, over: 5_000 + n })),
    tries: [],
  })
  assert.deepEqual(tooManyRepeats(posts(16, 1)), [])
  assert.deepEqual(tooManyRepeats(posts(17, 1)), ['17 posts to /a were repeated; 1 takeovers cause 16'])
  assert.deepEqual(tooManyRepeats(posts(32, 2)), [])
})

test('takeovers are read from the logs of the processes', () => {
  const at = (second: number) => new Date(second * 1_000).toISOString()
  const line = (second: number, event: string) => `{"time":"${at(second)}","level":"info","event":"${event}"}`
  const killed = [
    `--- started ${at(1)}`,
    line(2, 'topics.ready'),
    line(3, 'ownership.begun'),
    `{"time":"${at(9)}","level":"in--- started ${at(12)}`, // Cut off by its end.
    line(30, 'ownership.begun'),
  ]
  const stoodStill = [`--- started ${at(1)}`, line(15, 'ownership.begun'), line(33, 'ownership.ended')]
  const tenures = [killed, stoodStill].flatMap(lines => tenuresOf(lines.join('\n')))
  assert.deepEqual(
    tenures.map(({ began, ended }) => [began / 1_000, ended / 1_000]),
    [
      [3, 12],
      [30, Number.POSITIVE_INFINITY],
      [15, 33],
    ],
  )
  assert.deepEqual(takeoversOf(tenures), [
    { began: 15_000, over: 15_000 },
    { began: 30_000, over: 33_000 },
  ])
})
