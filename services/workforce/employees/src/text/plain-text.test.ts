import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { wordsOf } from './english.ts'
import { folded, plainText } from './plain-text.ts'

describe('the text that a person reads', () => {
  for (const [written, read] of [
    ['<b>great</b>', 'great'],
    ['great<br>fast<BR />cheap', 'great\nfast\ncheap'],
    ['<p class="a">one</p><p>two</p>', '\none\n\ntwo\n'],
    ['a <!-- hidden --> b', 'a  b'],
    ['<style>p { color: red }</style>seen<script>bad()</script>', 'seen'],
    ['<!-- never closed', '<!-- never closed'],
    ['don&#39;t &amp; won&#x2019;t&nbsp;&mdash;', "don't & won’t —"],
    ['&amp;lt;b&amp;gt;', '&lt;b&gt;'],
    ['I <3 it, a < b and b > c, <name>', 'I <3 it, a < b and b > c, <name>'],
    ['cafe\u0301', 'café'],
    ['go\u200bod', 'good'],
    ['x&#0;&#1114112;&#8238;', 'x\ufffd\ufffd'],
  ] as const)
    it(`of ${JSON.stringify(written)}`, () => assert.equal(plainText(written), read))
})

describe('words are compared', () => {
  for (const [written, same] of [
    ['don’t ‘do’ “it”', "don't 'do' \"it\""],
    ['❤️ ☹️ 👍🏽', '❤ ☹ 👍'],
    ['🤷🏻‍♀️', '🤷'],
    ['ｇｏｏｄ', 'good'],
  ] as const)
    it(`as ${same}, written ${written}`, () => assert.equal(folded(written), same))

  it('cut at any punctuation, with their apostrophes', () => {
    assert.deepEqual(wordsOf('“great”—but don’t/won`t (slow)…'), ['great', 'but', "don't", "won't", 'slow'])
  })
})
