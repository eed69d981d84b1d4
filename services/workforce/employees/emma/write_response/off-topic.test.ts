/** Replies with paragraphs that say nothing, or nothing of what they answer. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Brief } from '../../src/brief.ts'
import corpus from '../../src/claims/corpus.fixture.json' with { type: 'json' }
import fourth from '../../src/claims/fourth-writer.fixture.json' with { type: 'json' }
import letters from '../../src/claims/letters.fixture.json' with { type: 'json' }
import outside from '../../src/claims/outside-writer.fixture.json' with { type: 'json' }
import inside from '../../src/claims/rule-writer.fixture.json' with { type: 'json' }
import third from '../../src/claims/third-writer.fixture.json' with { type: 'json' }
import unseen from '../../src/claims/unseen.fixture.json' with { type: 'json' }
import { faultsOf } from '../../src/run-rules.ts'
import { spoken } from '../../src/runner/spoken.fixture.ts'
import { checks } from './checks.ts'
import example from './example.json' with { type: 'json' }
import outputSchema from './output.schema.json' with { type: 'json' }
import { paragraphChecks } from './paragraphs.ts'
import type { Input } from './result.ts'
import shown from './shown.json' with { type: 'json' }

const football =
  'The match on the weekend was a thriller. Both teams ran a lot. The keeper held a penalty. Nobody left early from the stands.'
const answered = 'Das Spiel war spannend. Beide Mannschaften liefen viel. Der Torwart hielt einen Elfmeter.'

const measured = async (paragraphs: readonly string[], input: Input = example.input) => {
  const asked = example as unknown as Brief<Input>
  const all = await checks({ ...asked, files: [], seed: 0, input }, { result: { ...shown, paragraphs }, text: '' })
  return new Map(all.map(({ id, pass, value }) => [id, [pass, value]]))
}

describe('a reply with a paragraph about something else', () => {
  it('fails a check, which counts it', async () => {
    const all = await measured([...shown.paragraphs, football])
    assert.deepEqual(all.get('paragraphs_on_topic'), [false, '1 of 2 paragraphs'])
  })

  it('fails a check where it is cut into paragraphs of a sentence or two', async () => {
    const all = await measured(football.split('. '))
    assert.deepEqual(all.get('paragraphs_on_topic'), [false, '0 of 1 paragraphs'])
  })

  it('is asked for again, and told so', async () => {
    const strange = { ...shown, paragraphs: [...shown.paragraphs, football] }
    const { made, asked } = await spoken('emma/write_response', example as unknown as Partial<Brief>, [
      JSON.stringify(strange),
      JSON.stringify(shown),
    ])
    assert.match(asked[1] ?? '', /paragraphs on topic: 1 of 2 paragraphs, and should be all/)
    assert.deepEqual(made?.answer.result, shown)
  })

  it('that can not be compared is not said to be on topic, nor asked for again for that', async () => {
    assert.deepEqual((await measured([answered])).get('paragraphs_on_topic'), [
      false,
      'not checked: there are no rules for de',
    ])
    const brief: Partial<Brief<Input>> = { topic: 'Das Spiel', input: { message: 'Wie war das Spiel am Sonntag?' } }
    const reply = { ...shown, subject: 'Das Spiel', greeting: 'Hallo,', paragraphs: [answered], closing: 'Viele Grüße' }
    const { asked } = await spoken('emma/write_response', brief, [JSON.stringify(reply), JSON.stringify(reply)])
    assert.doesNotMatch(asked[1] ?? '', /topic/)
  })
})

describe('a reply with a paragraph without a word', () => {
  for (const nothing of ['—', '…', '***'])
    it(`fails a check: ${nothing}`, async () => {
      assert.deepEqual((await measured(shown.paragraphs)).get('no_empty_paragraph'), [true, 0])
      assert.deepEqual((await measured([...shown.paragraphs, nothing])).get('no_empty_paragraph'), [false, 1])
    })

  for (const part of ['subject', 'greeting', 'paragraphs', 'closing', 'unanswered'])
    for (const blank of ['', ' ', '\n\t'])
      it(`has not the form of one: ${part} is ${JSON.stringify(blank)}`, () => {
        const text = ['paragraphs', 'unanswered'].includes(part) ? [blank] : blank
        assert.equal(faultsOf(outputSchema, shown), undefined)
        assert.match(faultsOf(outputSchema, { ...shown, [part]: text }) ?? '', new RegExp(part))
      })
})

describe('a reply on its topic passes', () => {
  it('where it is shorter than three sentences: nothing is said of it', async () => {
    const all = await measured(['Yes, we do.'])
    assert.deepEqual([all.get('paragraphs_on_topic'), all.get('no_empty_paragraph')], [undefined, [true, 0]])
  })

  it('as all honest letters of the fixtures', () => {
    const briefs = [corpus, fourth, letters, outside, inside, third, unseen].flat()
    const honest = briefs
      .filter(({ kind }) => kind === 'emma/write_response')
      .flatMap(({ from, about, honest }) => honest.map(text => ({ from: [...from, ...about], text })))
    assert.equal(honest.length, 104)
    for (const { from, text } of honest)
      for (const { check } of paragraphChecks(text.split(/\n\n+/), from, 'en'))
        assert.ok(check.pass, `${check.id}: ${check.value}\n${text}`)
  })
})
