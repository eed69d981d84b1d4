import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isJson } from './is-json.ts'

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const agrees = (text: string) => assert.equal(isJson(Buffer.from(text)), parses(text), JSON.stringify(text))

test('what JSON.parse takes is JSON, and nothing else', () => {
  const texts = String.raw`0~-0~01~-~1.~.1~1e5~1E+5~1e~true~truex~nul~"\u00e9"~"\u00g0"~"\x"~"~[~]~[]~[,]~[1,]~[1 2]~{}~{"a"}~{"a":}`
  const more = String.raw`{"a":1,}~{"a":1}~{1:1}~[}~{]~1 2~1,2~,~"é"~{"a":[{}],"b":[]}~"\"\\"~-0.0~0.~1.e1~1e+~1e5.~-.5~2-~tru~"\u00`
  for (const text of [...texts.split('~'), ...more.split('~'), '', ' ', '[1]\n', '"a\nb"', '\ufeff1']) agrees(text)
  fc.assert(fc.property(fc.json(), agrees))
  const token = fc.constantFrom(
    '[',
    ']',
    '{',
    '}',
    ',',
    ':',
    '"a"',
    '1',
    'null',
    ' ',
    '\n',
    '"\\n"',
    '-',
    '"',
    '.5',
    'e',
    '0',
  )
  fc.assert(
    fc.property(fc.array(token, { maxLength: 9 }), tokens => agrees(tokens.join(''))),
    { numRuns: 2_000 },
  )
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 2 }), (text, at, more) => {
      const place = at % (text.length + 1)
      agrees(text.slice(0, place) + more + text.slice(place + more.length))
    }),
  )
})

test('what is no UTF-8 or nests too deep is none', () => {
  assert.equal(isJson(Uint8Array.of(0x22, 0xff, 0x22)), false)
  assert.equal(isJson(Buffer.from('['.repeat(10_000) + ']'.repeat(10_000))), true)
  assert.equal(isJson(Buffer.from('['.repeat(10_001) + ']'.repeat(10_001))), false)
})

test('64 MiB of small lists take no memory beside them', () => {
  const bytes = Buffer.from(`[${'[],'.repeat(2 ** 26 / 3 - 1)}[]]`)
  const before = process.memoryUsage().heapUsed
  assert.equal(isJson(bytes), true)
  assert.ok(process.memoryUsage().heapUsed - before < 16 * 2 ** 20)
})
