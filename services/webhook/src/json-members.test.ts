import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jsonMembers, writtenMembers } from './json-members.ts'

const all = (text: string) =>
  [...jsonMembers(text)].map(({ key, value }) => [
    text.slice(key.start, key.end),
    text.slice(value.start, value.end).trim(),
  ])

test('members are found as they are written', () => {
  const text = '{"a":12345678901234567890, "b" : 1.10,"c":{"a":[1,{"b":2}]},"d":"\\"}:,{","e":[],"f":null }'
  assert.deepEqual(all(text), [
    ['"a"', '12345678901234567890'],
    ['"b"', '1.10'],
    ['"c"', '{"a":[1,{"b":2}]}'],
    ['"d"', '"\\"}:,{"'],
    ['"e"', '[]'],
    ['"f"', 'null'],
  ])
  assert.deepEqual(writtenMembers(text, ['b', 'c', 'x']), { b: '1.10', c: '{"a":[1,{"b":2}]}' })
})

test('nothing but an object has members', () => {
  for (const text of ['', '{}', 'null', '"a"', '["a",{"b":1}]', '[]', '{"a']) assert.deepEqual(all(text), [], text)
})

test('whatever an object holds, its members are what it says', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat({ max: 3 }), (object, indent) => {
      const text = JSON.stringify(object, null, indent)
      const read = all(text).map(([key = '', value = '']) => [JSON.parse(key), JSON.parse(value)])
      assert.deepEqual(read, Object.entries(JSON.parse(text)))
    }),
  )
})
