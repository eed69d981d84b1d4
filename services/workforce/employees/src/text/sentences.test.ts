import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sentencesOf } from './sentences.ts'

const split = (text: string) => sentencesOf(text).map(({ start, end }) => text.slice(start, end))

const cases: Readonly<Record<string, readonly string[]>> = {
  'full stops, marks and quotes': ['He said “no.”', 'I left!', 'Why?', 'No idea…'],
  'abbreviations and initials': ['Mr. J. Smith of the U.S. Army, e.g. this one.', 'And Dr. Who.'],
  'numbers, versions and addresses': ['It costs 3.50 for v1.2.3.', 'See https://a.example/b?c=1.d for more.'],
  'small letters after a stop': ['it broke.', 'i want a refund!!', 'now'],
  'wide signs': ['你好。', '我很好！', 'そうですか？'],
}
for (const [name, sentences] of Object.entries(cases))
  it(`sentences are told apart: ${name}`, () => {
    assert.deepEqual(split(sentences.join(' ')), sentences)
  })

it('a line is a sentence, and an emoticon belongs to the one before', () => {
  assert.deepEqual(split('First line\n\n  Second one. :) 😁\n- Third'), ['First line', 'Second one. :) 😁', '- Third'])
  assert.deepEqual(split(' \n '), [])
  assert.deepEqual(split('...'), ['...'])
})
