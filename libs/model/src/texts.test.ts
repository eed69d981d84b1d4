import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InputInvalid } from './tensors.ts'
import { MOST_TEXTS, readTexts } from './texts.ts'

const one = (text: string) => ({ texts: [text], isList: false })
const list = (...texts: string[]) => ({ texts, isList: true })

const taken: [input: string, texts: object][] = [
  ['A text.', one('A text.')],
  ['"a"', one('"a"')],
  ['{"text":"a"}', one('{"text":"a"}')],
  ['\ufeffA text.', one('A text.')],
  ['\ufeff["a"]', list('a')],
  ['[1] A footnote.', one('[1] A footnote.')],
  ['["a"', one('["a"')],
  ['["a","b"]', list('a', 'b')],
  [' \n[ "a" ]', list('a')],
  ['["[1]"]', list('[1]')],
]

for (const [input, texts] of taken) {
  test(`${JSON.stringify(input)} has its texts`, () => assert.deepEqual(readTexts(input), texts))
}

const refused: [input: string, says: RegExp][] = [
  ['', /the input is empty/],
  ['\ufeff', /the input is empty/],
  ['[]', /from 1 to 256, not 0/],
  [JSON.stringify(Array(MOST_TEXTS + 1).fill('a')), /from 1 to 256, not 257/],
  ['["a",""]', /item 1 of the list must be a string that is not empty/],
  ['["a",["b"]]', /item 1/],
  ['[1,2]', /item 0/],
]

for (const [input, says] of refused) {
  test(`${input.slice(0, 20)} is refused`, () => {
    assert.throws(
      () => readTexts(input),
      error => error instanceof InputInvalid && says.test(error.message),
    )
  })
}
