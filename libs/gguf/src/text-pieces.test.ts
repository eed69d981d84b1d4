import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { textPieces } from './text-pieces.ts'

/** Tokens are bytes. */
const decode = (tokens: readonly number[]) => Buffer.from(tokens).toString()

function read(text: string, stops: readonly string[]) {
  const pieces = textPieces(decode, stops)
  const given: string[] = []
  for (const byte of Buffer.from(text)) {
    const piece = pieces.push(byte)
    given.push(piece.text)
    if (piece.isOver) return given
  }
  given.push(pieces.end().text)
  return given
}

it('gives whole characters, and in all the text up to the first stop sequence', () => {
  const words = fc.constantFrom('a', 'b', 'é', '漢', '🙂', '\n', 'ab')
  const texts = fc.array(words, { maxLength: 30 }).map(parts => parts.join(''))
  const stops = fc.array(
    fc.array(words, { minLength: 1, maxLength: 4 }).map(parts => parts.join('')),
    { maxLength: 4 },
  )
  fc.assert(
    fc.property(texts, stops, (text, ends) => {
      const pieces = read(text, ends)
      const first = Math.min(text.length, ...ends.map(end => text.indexOf(end)).filter(at => at >= 0))
      assert.equal(pieces.join(''), text.slice(0, first))
      for (const piece of pieces) assert.ok(piece.isWellFormed() && !piece.includes('\uFFFD'), piece)
    }),
  )
})

it('holds back no more than what may become a stop sequence', () => {
  assert.deepEqual(read('a<|b', ['<|end|>']), ['a', '', '', '<|b', ''])
})

it('ends at the stop sequence that begins first, although another ends before it', () => {
  assert.equal(read('_abc', ['_ab', 'a']).join(''), '')
  assert.equal(read('_ac', ['_ab', 'a']).join(''), '_')
})

it('gives bytes that are no text as what stands for them', () => {
  const pieces = textPieces(decode, [])
  const given = Array.from({ length: 16 }, () => pieces.push(0xff).text)
  assert.equal(given.join('').length > 0, true)
})

it('gives whole characters where tokens end one and begin the next', () => {
  const text = '漢'.repeat(6)
  const bytes = Buffer.from(text)
  const pieces = textPieces((tokens: readonly Buffer[]) => Buffer.concat([...tokens]).toString(), [])
  const tokens = [bytes.subarray(0, 2), ...[2, 5, 8, 11, 14, 17].map(at => bytes.subarray(at, at + 3))]
  assert.equal([...tokens.map(token => pieces.push(token).text), pieces.end().text].join(''), text)
})
