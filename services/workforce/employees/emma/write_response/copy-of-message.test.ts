/** Replies that give the customer's message back, and replies that only speak of it. */
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
import { spoken } from '../../src/runner/spoken.fixture.ts'
import { checks } from './checks.ts'
import { copyCheck } from './copy-of-message.ts'
import example from './example.json' with { type: 'json' }
import type { Input } from './result.ts'
import shown from './shown.json' with { type: 'json' }

const copyOf = async (paragraphs: string[], input: Input = example.input, topic = example.topic) => {
  const asked = example as unknown as Brief<Input>
  const brief = { ...asked, files: [], seed: 0, topic, input }
  const all = await checks(brief, { result: { ...shown, paragraphs }, text: '' })
  return all.find(({ id }) => id === 'no_copy_of_the_message')
}

const { message } = example.input

describe('a reply that copies the message of the customer', () => {
  for (const [how, paragraphs] of [
    ['as it is', [message]],
    ['in other letters and signs', [message.toUpperCase().replaceAll('.', ' …')]],
    ['with a sentence of its own', ['Thank you for your message.', message]],
    ['by its longest sentence alone', ['Hello, my teapot arrived with a broken lid.']],
  ] as const)
    it(`fails a check: ${how}`, async () => assert.equal((await copyOf([...paragraphs]))?.pass, false))

  it('is asked for again, and told how much it copies', async () => {
    const copy = { ...shown, paragraphs: [...example.input.points, message] }
    const { made, asked } = await spoken('emma/write_response', example as unknown as Partial<Brief>, [
      JSON.stringify(copy),
      JSON.stringify(shown),
    ])
    assert.match(
      asked[1] ?? '',
      /no copy of the message: 3 of 5 sentences stand in the message, and should be at most a quarter/,
    )
    assert.deepEqual(made?.answer.result, shown)
  })
})

it('a reply to no message has no such check: its topic is often all that it is written from', async () => {
  const { message: _, ...unsent } = example.input
  const topic = 'My kettle leaks at its base. Can you send me another one this week?'
  assert.equal(await copyOf([topic], unsent, topic), undefined)
})

describe('a reply that speaks of the message passes', () => {
  it('where it quotes one short sentence', async () => {
    const quote = '“Do I have to send back the whole set?” No, only the lid is replaced.'
    const check = await copyOf([quote])
    assert.deepEqual([check?.pass, check?.value], [true, '1 of 2 sentences stand in the message'])
  })

  it('where its own words beside a quotation are short', async () => {
    const check = await copyOf(['“Do I have to send back the whole set?” Yes.'])
    assert.deepEqual([check?.pass, check?.value], [true, '1 of 2 sentences stand in the message'])
  })

  it('where both have the same courtesies', async () => {
    const courtesies = 'Thank you very much. I look forward to hearing from you. Kind regards'
    const both = { ...example.input, message: `${message}\n${courtesies}` }
    const check = await copyOf([`Only the lid has to be replaced.\n${courtesies}`], both)
    assert.deepEqual([check?.pass, check?.value], [true, '0 of 1 sentences stand in the message'])
    assert.equal((await copyOf([both.message], both))?.pass, false)
  })

  it('where it says what it was given, which the customer had said before', async () => {
    const { points } = example.input
    const check = await copyOf(points, { ...example.input, message: `I read: ${points.join(' ')} Is that so?` })
    assert.deepEqual([check?.pass, check?.value], [true, '0 of 2 sentences stand in the message'])
  })

  it('as all honest letters of the fixtures', async () => {
    const briefs = [corpus, fourth, letters, outside, inside, third, unseen].flat()
    const honest = briefs
      .filter(({ kind }) => kind === 'emma/write_response')
      .flatMap(({ from, about: [, message = ''], honest }) => honest.map(text => ({ from, message, text })))
    assert.equal(honest.length, 104)
    for (const { from, message, text } of honest) {
      assert.equal(copyCheck(message, from, [text])[0]?.pass, true, text)
      assert.equal(copyCheck(message, from, [message])[0]?.pass, false, message)
    }
  })
})
