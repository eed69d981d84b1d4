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
    [
      'f&uuml;r &szlig; &Uuml;ber &pound;5 &AMP; &bogus; &valueOf; &sect;&nbsp;3',
      'für ß Über £5 & &bogus; &valueOf; § 3',
    ],
    ['don&#146;t &#x93;x&#148; &#128;5', 'don’t “x” €5'],
    ['<o:p>a</o:p><big>b</big>', 'ab'],
    ['cafe\u0301', 'café'],
    ['jo\u200dhn@\u200dexample.com \u200cx 4111\u200d1', 'john@example.com x 41111'],
    ['می\u200cخواهم', 'می\u200cخواهم'],
    ['क\u094d\u200dष', 'क\u094d\u200dष'],
    ['👩🏽\u200d💻 ❤️\u200d🔥', '👩🏽\u200d💻 ❤️\u200d🔥'],
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
