import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { categoryOf } from '../triage/category.ts'
import { priorityOf } from '../triage/priority.ts'
import { measure, questions } from './bar.ts'

describe('two hundred questions over a handbook', async () => {
  const score = await measure(['tuning', 'held_out'])

  it('are of those that it answers and those that it does not, and name passages that are there', () => {
    assert.deepEqual([score.answerable, score.unanswerable], [100, 100])
    for (const { passages, handbook } of questions)
      for (const heading of passages) assert.ok(handbook.includes(`### ${heading}\n`))
  })

  it('have the right passage first in at least 85 of 100', () => {
    assert.ok(score.rightFirst >= 85, String(score.rightFirst))
  })

  it('are never answered without a citation', () => {
    assert.equal(score.uncited, 0)
  })

  it('are escalated where the handbook has no answer, in at least 95 of 100', () => {
    assert.ok(score.escalated >= 95, String(score.escalated))
  })
})

describe('questions that chose nothing', async () => {
  const score = await measure(['fresh'])

  it('are answered with a citation, rightly in most cases, or escalated', () => {
    assert.equal(score.uncited, 0)
    assert.ok(score.escalated >= 0.95 * score.unanswerable, String(score.escalated))
    assert.ok(score.answeredRight >= 0.9 * score.answered, `${score.answeredRight} of ${score.answered}`)
  })
})

// Over the second it is 94 of 100, which README.md says too: the aim is 95, and what is here may not become worse.
for (const [part, least] of [
  ['stranger', 95],
  ['untouched', 94],
] as const)
  describe(`questions over a handbook of another trade, which chose nothing either: ${part}`, async () => {
    const score = await measure([part])

    it('are a hundred that it answers and a hundred that it does not', () => {
      assert.deepEqual([score.answerable, score.unanswerable], [100, 100])
    })

    it('are never answered without a citation, and escalated where there is no answer', () => {
      assert.equal(score.uncited, 0)
      assert.ok(score.escalated >= least, String(score.escalated))
    })
  })

describe('questions that chose nothing, over three articles out of their handbook', async () => {
  for (const part of ['fresh', 'stranger', 'untouched'] as const) {
    const score = await measure([part], {}, 3)

    it(`of ${part} are answered rightly or escalated`, () => {
      assert.equal(score.uncited, 0)
      assert.ok(score.escalated >= 0.95 * score.unanswerable, String(score.escalated))
      assert.ok(score.answeredRight >= 0.9 * score.answered, `${score.answeredRight} of ${score.answered}`)
    })
  }
})

describe('of what is answered by words, at least nine of ten are right', () => {
  const CHOSE_NOTHING = ['fresh', 'stranger', 'untouched'] as const
  const TUNED = ['tuning', 'held_out', 'tuning_more', 'unseen'] as const
  for (const [what, articles] of [
    ['whole handbooks', undefined],
    ['ten articles', 10],
    ['three articles', 3],
  ] as const)
    for (const [which, parts] of [
      ['questions that chose no weight', CHOSE_NOTHING],
      ['questions that weights were chosen on', TUNED],
    ] as const)
      it(`${which}, over ${what}`, async t => {
        const { precision, answered, answeredRight, unanswerable, escalated } = await measure(parts, {}, articles)
        const wrongly = answered - answeredRight + unanswerable - escalated
        t.diagnostic(`${answeredRight} right, ${wrongly} wrong: ${precision.toFixed(3)}`)
        assert.ok(precision >= 0.9, `${answeredRight} right, ${wrongly} wrong`)
      })
})

describe('of what is answered by words from one plain text, at least nine of ten are right', () => {
  const CHOSE_NOTHING = ['fresh', 'stranger', 'untouched'] as const
  for (const form of ['questions and answers', 'titles', 'paragraphs alone'] as const)
    for (const [what, articles] of [
      ['of the whole handbook', undefined],
      ['of ten articles', 10],
      ['of three articles', 3],
    ] as const)
      it(`${form}, ${what}`, async t => {
        const { precision, answered, answeredRight, unanswerable, escalated } = await measure(
          CHOSE_NOTHING,
          {},
          articles,
          form,
        )
        const wrongly = answered - answeredRight + unanswerable - escalated
        t.diagnostic(`${answeredRight} right, ${wrongly} wrong: ${precision.toFixed(3)}`)
        assert.ok(precision >= 0.9 && answeredRight > 0, `${answeredRight} right, ${wrongly} wrong`)
      })
})

it('what a ticket says is not so does not make it urgent', () => {
  for (const ticket of ['This is not urgent.', 'No outage here, and it isn’t an emergency.', 'It was never hacked.'])
    assert.equal(priorityOf(ticket).level, 'normal', ticket)
  assert.equal(priorityOf('It is not working and urgent.').level, 'urgent')
})

it('37 tickets get the category and the priority that a person gave them, at most two apart', () => {
  const wrong = readFileSync(join(import.meta.dirname, 'triage.tsv'), 'utf8')
    .trim()
    .split('\n')
    .flatMap(line => {
      const [, category, level, ticket = ''] = line.split('\t')
      const found = [categoryOf(ticket).name, priorityOf(ticket).level]
      return found[0] === category && found[1] === level ? [] : [[ticket, ...found]]
    })
  assert.ok(wrong.length <= 2, JSON.stringify(wrong))
})
