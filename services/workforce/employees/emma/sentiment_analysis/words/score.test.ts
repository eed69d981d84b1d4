import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { plainText } from '../../../src/text/plain-text.ts'
import { polarity } from '../../../src/text/vader/polarity.ts'
import { labelOf } from '../label.ts'
import { score } from './score.ts'

const labelOfText = (text: string) => labelOf(score(plainText(text)).compound)

const texts = {
  emojis: {
    positive: ['I love it ❤️', '❤️', '❤', '👍👍👍', '👍🏽', '👏🏿👏🏿', '❤️‍🔥', '👩‍❤️‍👨', 'great👍', '💯'],
    negative: ['☹️', '☹', '👎👎', '👎🏿', '🤬', '😡', '🤮', '💔', 'Great product 👎', 'I love it 👎'],
  },
  'what is not there': {
    positive: [
      'no issues',
      'no delays',
      'no bugs at all',
      'No scratches',
      'no fuss',
      'no complaints',
      'no problems at all',
      'zero issues',
      'no major issues so far',
      'I have had no issues, delays or problems',
      "I haven't had a single problem",
      'Never had any trouble with it',
      'Works without a hitch',
      'hassle-free setup',
      'The setup was problem free',
      'no regrets',
    ],
    negative: [
      'not without problems',
      'no end of problems',
      'nothing but problems',
      'many problems',
      'no support',
      'no help at all',
    ],
  },
  'what can be no better or worse': {
    positive: [
      'could not be happier',
      'Couldn’t be happier',
      "couldn't be better",
      'never been happier',
      'I could not be more pleased',
      "It couldn't have been easier",
      'Nothing could be better',
      'There is no better phone',
      'never had a better meal',
      "couldn't ask for more",
      'It never gets any better than this',
    ],
    negative: [
      'could be better',
      'could have been better',
      "couldn't be worse",
      'could not be more disappointed',
      'couldn’t be less happy',
      'never been so disappointed',
      'never had a worse meal',
      "isn't any better",
      "it's no better than the old one and broke",
    ],
  },
  'turns of phrase': {
    positive: [
      'cannot recommend it enough',
      "I can't thank them enough",
      "can't say enough good things",
      "Can't get enough of it",
      'nothing but praise',
      "can't complain",
      "You can't go wrong",
      "can't wait to go back",
      'would not hesitate to buy again',
      'never let me down',
      'I wouldn’t change a thing',
      'it could hardly be better',
      'it couldn’t have gone better',
      'nothing bad to say',
      'It never fails to impress',
      'Never fails to deliver',
    ],
    negative: [
      "can't recommend it",
      "don't waste your money",
      'leaves a lot to be desired',
      'it lets you down',
      'anything but good',
      'far from perfect',
      'hardly good',
      'not as good as I hoped',
      'They never fail to disappoint',
      'Oh great, another crash. /s',
      'Wow, what wonderful service /s',
      'I wish it were better',
      'would not buy again',
      'never again',
      'do not buy',
      "don't bother",
      'doesn’t work',
      'lots of issues',
    ],
  },
  'words in quotes, tags, dashes and wide letters': {
    positive: [
      'It is “great”',
      '‘great’ phone',
      '«great»',
      '*great*',
      '_great_',
      '#great_service',
      '<b>great</b>',
      'great<br>',
      '<p class="x">This is a <em>great</em> phone</p>',
      'great—but slow',
      'Excellent…really',
      'great,fast,cheap',
      'don’t hate it',
      'don&#39;t hate it',
      'ｇｒｅａｔ',
    ],
    negative: ['don’t buy, “terrible”', '<b>terrible</b>', 'awful—never again', 'Don’t like it'],
  },
}

describe('a text is labelled as people mean it by', () => {
  for (const [name, byLabel] of Object.entries(texts))
    for (const [label, all] of Object.entries(byLabel))
      for (const text of all) it(`${name}: ${text} is ${label}`, () => assert.equal(labelOfText(text), label))
})

describe('a phrase that only looks like one keeps its sign', () => {
  for (const text of [
    "I can't recommend this product any more.",
    "I can't recommend it anymore",
    'It is not free of bugs.',
    'It is not entirely free of bugs.',
    'Not a problem free product.',
    "They won't change anything about this bug.",
    'They will not change anything.',
    'I cannot wait for a refund any longer.',
    "I can't wait for them anymore.",
  ])
    it(`${text} is not positive`, () => assert.notEqual(labelOfText(text), 'positive'))
  for (const text of [
    'It never stopped working.',
    'It has never once stopped working.',
    'This update fixes several issues I had.',
    'They solved the many issues of the old one.',
    "It's not that I don't like it",
    'I love it. Nobody needs sleep anyway. /s',
  ])
    it(`${text} is not negative`, () => assert.notEqual(labelOfText(text), 'negative'))
  for (const text of [
    "I can't recommend it any more highly",
    'free of bugs',
    "can't wait for the next one",
    'I would not change anything',
    'Great throughput of 500 MB /s',
    'The best folder is /s',
  ])
    it(`${text} is positive`, () => assert.equal(labelOfText(text), 'positive'))
  for (const text of [
    'could not feel any better after eating there, I was sick',
    'It stopped working.',
    'several issues',
    'It has many problems, none of them fixed',
  ])
    it(`${text} is negative`, () => assert.equal(labelOfText(text), 'negative'))
})

describe('a list behind a negation', () => {
  const valences = (text: string) => score(text).words.map(({ word, valence }) => [word, Math.sign(valence)])
  for (const text of [
    'It is not good, fast or cheap.',
    "It isn't smart, handsome, nor funny.",
    'It is not good, really fast, pretty, or fun',
    'VADER is not smart, handsome, nor funny.',
  ])
    it(`${text} is negated to its end`, () => {
      assert.ok(valences(text).every(([, sign]) => sign === -1) && valences(text).length > 0, text)
      assert.equal(labelOfText(text), 'negative')
    })
  for (const text of [
    'Never again, terrible food or service.',
    'Not worth it, terrible or broken.',
    "Don't buy this, horrible or broken.",
    'Not happy, terrible or lazy support',
  ])
    it(`${text} is no list`, () => {
      assert.ok(valences(text).at(-1)?.[1] === -1, text)
      assert.equal(labelOfText(text), 'negative')
    })
  for (const text of ['Never disappointed, great or better.', "Can't complain, great or even excellent."])
    it(`${text} is no list`, () => assert.ok(valences(text).at(-1)?.[1] === 1, text))
  for (const text of ['It is not cheap, but good and fun.', 'I did not pay, great phone', 'Not bad, great, fun!'])
    it(`${text} is no list`, () => assert.ok(valences(text).at(-1)?.[1] === 1, text))
  it('is read in time', { timeout: 300_000 }, () => {
    assert.ok(score('not good, '.repeat(100_000)).words.length > 0)
  })
})

it('names of code are words of their own', () => {
  for (const text of [
    'Switch to URL instead of url.resolve',
    'calls fs::perfect_match() and is_good',
    'see src/hate/x',
  ])
    assert.equal(score(text).compound, 0, text)
  assert.ok(score('It was great.love it').compound > 0.8)
})

it('the words of a phrase are named with what they weigh', () => {
  assert.deepEqual(score('There were no issues.').words, [
    { word: 'issues', valence: 1.2, negated: true, emphasis: 'none' },
  ])
})

it('a clause does not negate the next one', () => {
  assert.equal(labelOfText('I did not. Great phone'), 'positive')
  assert.equal(labelOf(polarity('I did not. Great phone').compound), 'negative')
})

it('texts without any of this have the score of VADER', () => {
  for (const text of [
    'The food was very good, but the service was SO bad!!',
    'Not bad at all for the price.',
    'Meh :(',
  ]) {
    const { compound, positive, neutral, negative } = polarity(text)
    const found = score(text)
    assert.deepEqual(
      [found.compound, found.positive, found.neutral, found.negative],
      [compound, positive, neutral, negative],
    )
  }
})
