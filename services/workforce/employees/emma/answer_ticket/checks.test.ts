import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Constraints } from '../../src/brief.ts'
import { brief } from './brief.fixture.ts'
import { checks } from './checks.ts'
import { rules } from './engine.ts'
import type { Result } from './result.ts'

describe('of an answer it is measured whether', async () => {
  const made = await rules(brief({}))
  const [first] = made.citations ?? []
  assert.ok(first)
  const { source, quote } = first
  const failed = (changed: Partial<typeof made>, constraints: Constraints = {}) =>
    checks(brief({}, { constraints }), { ...made, ...changed }).flatMap(({ id, pass }) => (pass ? [] : id))
  const saying = (answer: string, more: Partial<Result> = {}) => ({ result: { ...made.result, answer, ...more } })
  const invented = 'It costs 900 euros to rotate a key.'

  it('all is as it was made', () => assert.deepEqual(failed({}), []))
  for (const [id, changed, constraints] of [
    ['answer_is_cited', saying(`${made.result.answer} And more.`)],
    ['quotes_stand_there', { ...saying(invented), citations: [{ source, quote: invented }] }],
    ['no_personal_data_in_the_answer', { warnings: ['Write to eve@evil.example.'] }],
    [
      'sentences_keep_to_their_quotes',
      { ...saying(invented, { phrased: [{ text: invented, quote }] }), citations: [first] },
    ],
    ['min_words', {}, { min_words: 1_000 }],
    ['max_words', {}, { max_words: 2 }],
    ['must_include', {}, { must_include: ['zebra'] }],
    ['avoid', {}, { avoid: ['key'] }],
  ] as readonly (readonly [string, Partial<typeof made>, Constraints?])[])
    it(`${id} and nothing else fails where it has to`, () => assert.deepEqual(failed(changed, constraints), [id]))
})
