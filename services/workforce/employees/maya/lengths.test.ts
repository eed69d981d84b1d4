import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import twitter from 'twitter-text'
import { graphemes, utf8Bytes, webLength, weightedLength, withEmojisAsBytes } from './lengths.ts'

const theirs = (text: string): number => twitter.parseTweet(text).weightedLength

const seed = 20_261_122
const pieces = [
  'a',
  'Z',
  ' ',
  '.',
  ',',
  '\n',
  'é',
  'e\u0301',
  'ß',
  'я',
  'ع',
  '漢',
  'か',
  '가',
  'ก',
  '—',
  '“',
  '…',
  '€',
  '#a',
  '@b',
  '1',
  '3.5',
  '😀',
  '👩‍👩‍👧‍👦',
  '🇩🇪',
  '👍🏽',
  '❤️',
  '1️⃣',
  '☕',
]
const addresses = [
  'http://a.de',
  'https://millhand.dev/a?b=c',
  'shop.com',
  'x.example',
  'a.de,b.de',
  'Node.js',
  'https://x.org/ä(b)',
  'ä.com',
  'e.g',
  'www.a.co.uk/x',
  'http://a.de。',
  'me@shop.com',
  'a.de/b.de',
]
const texts = (parts: string[]) => fc.array(fc.constantFrom(...parts), { maxLength: 60 }).map(list => list.join(''))

describe('the length of a text on X', () => {
  it('is that of the platform’s own library, where there are no addresses in it', () => {
    fc.assert(
      fc.property(texts(pieces.filter(piece => piece !== '.')), text => {
        assert.equal(weightedLength(text), theirs(text))
      }),
      { seed, numRuns: 1_000 },
    )
  })

  it('is never less than it, whatever may be taken for an address', () => {
    const mixed = fc.oneof(
      texts([...pieces, ...addresses, ' ']),
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.webUrl(),
    )
    fc.assert(
      fc.property(mixed, text => {
        assert.ok(weightedLength(text) >= theirs(text), `${weightedLength(text)} ${theirs(text)}`)
      }),
      { seed, numRuns: 3_000 },
    )
  })

  it('has 23 for the link of the brief, however long it is', () => {
    const link = `https://millhand.dev/${'a'.repeat(200)}`
    assert.equal(weightedLength(`See ${link}`, link), 27)
    assert.equal(theirs(`See ${link}`), 27)
  })
})

it('graphemes, bytes and addresses are counted as Bluesky, Threads and Mastodon count them', () => {
  assert.equal(graphemes('e\u0301👩‍👩‍👧‍👦🇩🇪'), 3)
  assert.equal(utf8Bytes('é😀'), 6)
  assert.equal(withEmojisAsBytes('aé漢😀'), 7)
  assert.equal(
    webLength('é https://millhand.dev/long/enough/to/be/cut', 'https://millhand.dev/long/enough/to/be/cut'),
    25,
  )
})
