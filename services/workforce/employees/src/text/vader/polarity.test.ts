/** The scores are those of the Python package, digit by digit. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { boosters, emojis, lexicon, negations, specialCases } from './lexicon.ts'
import { polarity } from './polarity.ts'
import { converted, labelledSets, type ReferenceScore, referenceMissing, referenceScores } from './reference.fixture.ts'

describe('VADER', { skip: referenceMissing }, () => {
  it('has the lexicon of the Python package, and words counted in its labelled texts', () => {
    assert.equal(readFileSync(join(import.meta.dirname, 'lexicon.tsv'), 'utf8'), converted('lexicon'))
    assert.equal(readFileSync(join(import.meta.dirname, '../english-words.tsv'), 'utf8'), converted('words'))
  })

  for (const [name, labelled] of referenceMissing ? [] : labelledSets())
    it(`scores all labelled ${name} as the reference does`, () => {
      assert.ok(labelled.length > 3_500)
      assertSame(labelled.map(({ text }) => text))
    })

  it('scores as the reference whatever words stand where', () => {
    const some = <T>(terms: Iterable<T>) => fc.constantFrom(...terms)
    const word = fc.oneof(
      some(lexicon.keys()),
      some(boosters.keys()),
      some(negations),
      some([...specialCases.keys()].flatMap(phrase => phrase.split(' '))),
      some(['but', 'But', 'no', 'least', 'at', 'never', 'so', 'this', 'without', 'doubt', 'kind', 'of', 'nor', 'the']),
    )
    const shaped = fc
      .tuple(word, some(['lower', 'upper', 'capital']), some(['', '', '!', '?', '.', '...', '!!!!!', '"', "n't"]))
      .map(([term, shape, end]) => {
        const letters = {
          lower: term,
          upper: term.toUpperCase(),
          capital: (term[0] ?? '').toUpperCase() + term.slice(1),
        }
        return letters[shape as keyof typeof letters] + end
      })
    const text = fc.array(fc.oneof({ weight: 8, arbitrary: shaped }, some(emojis.keys())), { maxLength: 14 })
    assertSame(
      sampled(
        text.map(words => words.join(' ')),
        6_000,
      ),
    )
  })

  it('scores as the reference every kind of character', () => {
    const character = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      fc.constantFrom(...'\t\v\f\r\n\u001c\u001f\u0085\u00a0\u2003\u200b\u2028\u3000\ufeff\u202e\u0000İßǅΣςﬁ❤\ufe0f'),
      fc.constantFrom(' ', ' ', 'good', 'BAD', 'not', 'but', '😁', ':)'),
    )
    assertSame(
      sampled(
        fc.array(character, { maxLength: 30 }).map(characters => characters.join('')),
        3_000,
      ),
    )
  })

  it('scores texts with many equal valences around a but as the reference does', () => {
    const word = fc.constantFrom('good', 'bad', 'great', 'awful', 'but', 'very', 'not', 'fine')
    assertSame(
      sampled(
        fc.array(word, { minLength: 20, maxLength: 80 }).map(words => words.join(' ')),
        1_000,
      ),
    )
  })
})

it('takes a time proportional to the text where a “but” weighs each of many words', { timeout: 300_000 }, () => {
  assert.equal(polarity(`${'good great '.repeat(50_000)} but ${'bad '.repeat(100_000)}`).compound, -1)
})

const seed = Date.now() % 1_000_000

function sampled(texts: fc.Arbitrary<string>, numRuns: number): string[] {
  return fc.sample(texts, { numRuns, seed })
}

function assertSame(texts: readonly string[]): void {
  const scores = texts.map((text): ReferenceScore => {
    const { compound, positive, neutral, negative } = polarity(text)
    return [compound, positive, neutral, negative]
  })
  referenceScores(texts).forEach((expected, at) => {
    // A zero of the reference may bear a sign.
    const [found, wanted] = [scores[at], expected].map(score => score?.map(value => value + 0))
    assert.deepEqual(found, wanted, `seed ${seed}, text ${JSON.stringify(texts[at])}`)
  })
}
