import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { likeness, standardised, type Vector } from './likeness.ts'
import { byMeaning, vectorsOf } from './meaning.ts'
import { type Passage, passagesOf } from './passages.ts'
import { ranker } from './rank.ts'
import { senses } from './senses.fixture.ts'
import { sharesOf } from './shares.ts'
import { viewsOf } from './views.ts'

const vector = (...numbers: number[]): Vector => Float32Array.from(numbers, number => number / Math.hypot(...numbers))

it('alike is what points the same way', () => {
  assert.deepEqual(
    [vector(1, 0), vector(0, 1), vector(-1, 0), vector(1, 1)].map(one => Math.round(100 * likeness(vector(2, 0), one))),
    [100, 0, -100, 71],
  )
})

it('measures are made comparable, and what is the same everywhere says nothing', () => {
  assert.deepEqual(standardised([1, 2, 3]).map(Math.round), [-1, 0, 1])
  assert.deepEqual(standardised([5, 5]), [0, 0])
})

describe('the share of a passage in what is asked', () => {
  it('is the exact solution for one text', () => {
    // It is as alike to itself as can be, and as much again is doubted.
    assert.deepEqual(sharesOf(vector(1, 0), [[vector(1, 0)]]), [0.5])
  })

  it('is larger where one passage alone says it than where several do', () => {
    const [first = 0, second = 0, alone = 0] = sharesOf(vector(1, 1), [[vector(1, 0)], [vector(1, 0)], [vector(0, 1)]])
    assert.ok(alone > first)
    assert.ok(Math.abs(first - second) < 1e-9)
  })
})

it('a passage is compared as a whole, by its heading, and by its sentences', () => {
  const [passage] = passagesOf({ name: 'a', text: '# Shop\n## Pay\n### Cards\nWe take cards. No cash.' })
  assert.deepEqual(viewsOf(passage as Passage), {
    whole: 'Pay: Cards. We take cards. No cash.',
    heading: 'Cards',
    sentences: [
      { text: 'We take cards.', kind: 'text', isFirst: true, withHeading: 'Cards. We take cards.' },
      { text: 'No cash.', kind: 'text', isFirst: false, withHeading: 'Cards. No cash.' },
    ],
  })
})

it('every text is asked for once, and never more than the platform takes at once', async () => {
  const asked: number[] = []
  const texts = Array.from({ length: 1300 }, (_, at) => `text ${at % 1200}`)
  const vectorOf = await vectorsOf(texts, async some => {
    asked.push(some.length)
    return some.map(text => Float32Array.of(Number(text.slice(5))))
  })
  assert.deepEqual(asked, [512, 512, 176])
  assert.deepEqual([...vectorOf('text 700')], [700])
})

describe('a passage is found', () => {
  const knowledge = [
    '# Help',
    '## Money',
    '### Paying',
    'You can pay by card.',
    '### Getting money back',
    'A refund takes five days.',
    '## Bikes',
    '### Punctures',
    'Report a flat tyre in the app.',
    '### Error `rate_limited`',
    'Wait a minute.',
  ]
  const passages = passagesOf({ name: 'a', text: knowledge.join('\n') })
  const find = async (ticket: string, among: readonly Passage[] = passages) => {
    const rank = ranker(among)
    return await byMeaning(ticket, among, question => rank(question, among.length), senses)
  }

  it('in other words, and surer than one that does not answer', async () => {
    const [first, second] = await find('my wheel is broken')
    assert.equal(first?.passage.heading, 'Punctures')
    assert.equal(first?.coverage, 0)
    assert.ok(first && second && first.score > second.score && first.fit > second.fit)
    const [other] = await find('what about the weather')
    assert.ok(first && other && first.fit > other.fit)
  })

  it('by its words, where they mean nothing to the model and others come nearer', async () => {
    const [first] = await find('rate_limited')
    assert.equal(first?.passage.heading, 'Error `rate_limited`')
    const nearer = Array.from({ length: 20 }, (_, at) => `### Note ${at}\nNothing.`)
    const found = await find('rate_limited', passagesOf({ name: 'a', text: [...nearer, ...knowledge].join('\n') }))
    assert.ok(found.some(({ passage }) => passage.heading === 'Error `rate_limited`'))
  })

  it('for the sentence of a long ticket that asks', async () => {
    const story = 'Yesterday our neighbours celebrated their anniversary beside the harbour with excellent musicians.'
    const [first] = await find(`${story} My wheel is broken. ${story}`)
    assert.equal(first?.passage.heading, 'Punctures')
  })

  it('among more than are looked at, by its words first', async () => {
    const filler = Array.from({ length: 600 }, (_, at) => `### Note ${at}\nNothing of interest.`)
    const many = passagesOf({ name: 'a', text: [...filler, ...knowledge].join('\n') })
    assert.equal((await find('flat wheel', many))[0]?.passage.heading, 'Punctures')
  })

  it('nowhere where there is nothing', async () => {
    assert.deepEqual(await find('my wheel is broken', []), [])
  })
})
