/** What a text in other words may say: what it was made from, and nothing that can be seen to come from elsewhere. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { beyond, isClose } from './phrased.ts'

const from = 'On Saturday 14 March twelve volunteers of Mill Lane mend 1,640 lamps; a repair is free.'

for (const [text, found] of [
  ['Mill Lane’s volunteers mend lamps on Saturday, and a repair is free.', []],
  ['12 volunteers mend 1640 lamps.', []],
  ['14 volunteers mend 15 lamps.', ['the figure “15”']],
  ['Five volunteers mend thousands of lamps.', ['the figure “five”', 'the figure “thousands”']],
  ['The best volunteers mend lamps.', ['the word “best”']],
  [
    'Volunteers mend lamps, certified and guaranteed.',
    ['the word “guaranteed”', 'the promise “guaranteed”', 'the word “certified”'],
  ],
  ['Volunteers mend lamps with Philips.', ['the name “philips”']],
  [
    'Volunteers mend lamps: see https://evil.example/a and @somebody #lamps #cheap',
    ['the address “https://evil.example/a”', 'the address “@somebody”', 'the address “#cheap”'],
  ],
  ['Volunteers mend lamps for [your name] <b>today</b>.', ['it has gaps or filler', 'it has markup']],
] as const)
  it(`says beyond what it was made from ${found.length === 0 ? 'nothing' : found.join(', ')}: ${text}`, () => {
    assert.deepEqual(beyond({ text, from }), found)
  })

it('may speak of what it is about, and claim nothing of it', () => {
  assert.deepEqual(
    beyond({ text: 'Welcome to Repair Café, where a repair is free.', from, about: 'Repair Café: the best' }),
    [],
  )
  assert.deepEqual(beyond({ text: 'We are the best.', from, about: 'Repair Café: the best' }), ['the word “best”'])
})

it('is close to what it was made from while most of its longer words stand there', () => {
  assert.ok(isClose({ text: 'Our volunteers are mending your lamps this Saturday.', from }))
  assert.ok(!isClose({ text: 'Everything about this evening will taste wonderful, with music.', from }))
  assert.ok(isClose({ text: 'Up we go!', from }))
})

it('is measured in time however long it is, and of whatever', { timeout: 300_000 }, () => {
  for (const part of [
    'a',
    '1',
    '1,',
    'A',
    'A ',
    'two ',
    '@',
    'www.',
    '’',
    '.',
    '[your ',
    '<a',
    'é',
    '漢',
    '\n',
    '1\u00a0',
  ])
    beyond({ text: part.repeat(100_000 / part.length), from: part.repeat(100_000 / part.length) })
})
