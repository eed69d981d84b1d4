import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOf } from '@millhand/api'
import { checkShape } from './json-body.ts'

/** The text in a body that is large enough to be looked at. */
const large = (text: string) => Buffer.from(`{"pad":"${' '.repeat(70_000)}","a":${text}}`)
const keys = (count: number) => `{${Array.from({ length: count }, (_, at) => `"${at}":1`).join(',')}}`
const list = (count: number, item: string) => `[${Array.from({ length: count }, () => item).join(',')}]`

const refusal = (body: Buffer): string | undefined => {
  try {
    checkShape(body)
    return undefined
  } catch (error) {
    assert.equal(codeOf(error), 'invalid_parameter')
    return (error as { rawMessage: string }).rawMessage
  }
}

test('what a body may hold', () => {
  for (const [name, text] of [
    ['as many levels as a request may nest', '['.repeat(63) + ']'.repeat(63)],
    ['an object with as many members as one may have', keys(4_096)],
    ['many objects with many members together', list(20_000, '{"a":1,"b":2,"c":3}')],
    ['as many numbers as fit', list(400_000, '1')],
    ['structure within a string', JSON.stringify('[{":'.repeat(100_000))],
    ['escaped quotes and backslashes', JSON.stringify('"\\"[\\\\'.repeat(50_000))],
    ['a number of very many digits', '9'.repeat(900_000)],
    ['what is no JSON, for the parser to say', ']'.repeat(100_000)],
    ['a string without an end, for the parser to say', `"${'['.repeat(100_000)}`],
    ['a last backslash', `"${'\\'.repeat(99_999)}`],
  ] as const) {
    assert.equal(refusal(large(text)), undefined, name)
  }
})

test('what takes long to parse is refused, and the answer says what it is', () => {
  for (const [says, text] of [
    [/deeper than 64 levels/, '['.repeat(64)],
    [/deeper than 64 levels/, '{"a":'.repeat(150_000)],
    [/more than 4096 members/, keys(4_097)],
    [/more than 4096 members/, `{${list(200_000, '"a":1').slice(1, -1)}}`],
    [/more than 4096 members/, `[[{"b":[{}],${keys(5_000).slice(1)}]]`],
    [/more than 100000 objects and lists/, list(300_000, '{}')],
    [/more than 100000 objects and lists/, list(150_000, '[[]]')],
  ] as const) {
    assert.match(refusal(large(text)) ?? '', says)
  }
})

test('a small body is left to its reader, which says where the fault is', () => {
  assert.equal(refusal(Buffer.from('['.repeat(60_000))), undefined)
})
