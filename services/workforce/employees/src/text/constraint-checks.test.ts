import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wishes } from './constraint-checks.ts'
import { visibleText } from './visible-text.ts'

const passes = (wish: 'must_include' | 'avoid', looked: string, text: string) =>
  wishes({ [wish]: [looked] }, text).find(({ id }) => id === wish)?.pass

for (const [looked, text] of [
  ["don't", 'We don’t know.'],
  ['“free”', 'It is "free".'],
  ['Café', 'the cafe\u0301'],
  ['cheap', 'It is che\u00adap.'],
  ['cheap', 'It is che\u200bap.'],
  ['cheap', 'It is che\u200dap.'],
  ['money back', 'Your money\n  back.'],
  ['money back', 'Your money\u00a0back.'],
  ['❤️', 'with ❤'],
  ['ＦＲＥＥ', 'free'],
] as const)
  test(`${JSON.stringify(looked)} is found in ${JSON.stringify(text)}, wished and unwished`, () => {
    assert.equal(passes('must_include', looked, text), true)
    assert.equal(passes('avoid', looked, text), false)
  })

test('what does not stand there is not found', () => {
  assert.equal(passes('must_include', 'cheap', 'It is dear.'), false)
  assert.equal(passes('avoid', 'cheap', 'It is dear.'), true)
  for (const [looked, text] of [
    [' AI ', 'He said it.'],
    ['\u200b', 'Nothing.'],
    ['\ufe0f', 'Nothing.'],
    [' ', 'Nothing.'],
  ] as const) {
    assert.equal(passes('must_include', looked, text), false, looked)
    assert.equal(passes('avoid', looked, text), true, looked)
  }
})

test('joiners stay behind digits of the scripts that have joiners', () => {
  assert.equal(visibleText('۵\u200cتا 5\u200c5'), '۵\u200cتا 55')
})
