import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Refusal } from '../brief.ts'
import { textIn, textOfFile } from './text-files.ts'

const read = (bytes: Uint8Array, media_type = 'text/plain') =>
  textOfFile({ name: 'letter.txt', media_type, bytes }, 'files[0]')
const little = Buffer.from('\ufeffgrün 👍', 'utf16le')

describe('a file of text', () => {
  for (const [name, bytes] of [
    ['UTF-8', Buffer.from('grün 👍')],
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffgrün 👍')],
    ['UTF-16, little end first', little],
    ['UTF-16, big end first', Buffer.from(little).swap16()],
  ] as const)
    it(`is read in ${name}`, () => assert.equal(read(bytes), 'grün 👍'))

  it('is read where it is empty, and as one line of 10 MB', () => {
    assert.equal(read(Buffer.alloc(0)), '')
    assert.equal(read(Buffer.alloc(10_000_000, 'a')).length, 10_000_000)
  })

  for (const [name, bytes] of [
    ['in Latin-1', Buffer.from('grün', 'latin1')],
    ['in broken UTF-8', Buffer.from([0x61, 0xe2, 0x82])],
    ['in half a character of UTF-16', little.subarray(0, -1)],
    ['in UTF-16 that does not say so', Buffer.from('abc', 'utf16le')],
    ['with NUL bytes', Buffer.from('a\0b')],
  ] as const)
    it(`is refused by its name ${name}`, () =>
      assert.throws(
        () => read(bytes),
        (fault: unknown) => fault instanceof Refusal && fault.message.includes('letter.txt'),
      ))

  it('is told that it is in UTF-32, which begins as UTF-16 does', () => {
    for (const bytes of [
      Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]),
      Buffer.from([0, 0, 0xfe, 0xff, 0, 0, 0, 0x61]),
    ])
      assert.throws(() => read(bytes), /letter\.txt is UTF-32; save it as UTF-8/)
  })

  it('is refused by its name where it says that it is something else', () => {
    assert.throws(() => read(Buffer.from('a'), 'image/png'), /letter\.txt is image\/png/)
  })

  it('is read whatever it says that it is where any text will do, and refused by its name where it is none', () => {
    const file = { name: 'facts.json', media_type: 'application/json', bytes: little }
    assert.equal(textIn(file, 'files[0]'), 'grün 👍')
    assert.throws(() => textIn({ ...file, bytes: Buffer.from('a\0b') }, 'files[0]'), /facts\.json has NUL/)
  })
})
