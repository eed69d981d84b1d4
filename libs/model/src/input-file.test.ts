import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelPackage } from './catalogue.ts'
import { checkInputFile, INPUT_HEAD_BYTES } from './input-file.ts'
import { parseManifest } from './manifest.ts'
import { InputInvalid } from './tensors.ts'
import { textModel } from './text-model.fixture.ts'
import { readUtf8 } from './utf8.ts'

const model = (fields: object): ModelPackage => ({
  ...textModel('a'),
  manifest: parseManifest(JSON.stringify({ name: 'A', ...fields })),
  inputs: [{ name: 'x', dtype: 'float32', shape: [-1, 2] }],
})

const MIB = 2 ** 20
const image = model({ pipeline: { name: 'ocr' }, files: { detection: 'a', recognition: 'b', dictionary: 'c' } })
const audio = model({ pipeline: { name: 'speech' } })
const bytes = model({ pipeline: { name: 'file_type' }, files: { model: 'a', config: 'b', types: 'c' } })
const tensors = model({})
const text = model({ preprocess: { name: 'text' } })
const numbers = model({ preprocess: { name: 'numbers', count: 3 } })

const latin1 = (bytes: string) => Buffer.from(bytes, 'latin1')
const png = latin1('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')
const wav = latin1('RIFF\0\0\0\0WAVEfmt ')

const table: [what: string, model: ModelPackage, head: Buffer, bytes: number, says: RegExp | undefined][] = [
  ['a picture', image, png, 64 * MIB, undefined],
  ['a picture that is too large', image, png, 64 * MIB + 1, /at most 67108864/],
  ['a recording for a picture', image, wav, 100, /no picture that is read here/],
  ['a drawing', image, latin1('<svg xmlns="http://www.w3.org/2000/svg">'), 100, /no picture/],
  ['a picture that is hardly there', image, png.subarray(0, 8), 8, /no picture/],
  ['a recording', audio, wav, 256 * MIB, undefined],
  ['a recording that is too large', audio, wav, 256 * MIB + 1, /at most/],
  ['a picture for a recording', audio, png, 100, /no recording that is read here: give WAV/],
  ['any bytes', bytes, Buffer.from([0xff]), 1, undefined],
  ['no bytes', bytes, Buffer.alloc(0), 0, undefined],
  ['the most bytes', bytes, Buffer.alloc(INPUT_HEAD_BYTES), 512 * MIB, undefined],
  ['more bytes than a file may have', bytes, Buffer.alloc(INPUT_HEAD_BYTES), 512 * MIB + 1, /at most 536870912/],
  ['numbers', numbers, latin1('[1,2,3]'), 7, undefined],
  ['too few numbers', numbers, latin1('[1,2]'), 5, /list of 3 numbers/],
  ['numbers after a byte order mark', numbers, Buffer.from('\ufeff[1,2,3]'), 10, undefined],
  [
    'tensors of another shape',
    tensors,
    latin1('{"x":{"dtype":"float32","shape":[1],"data":[1]}}'),
    48,
    /must have shape/,
  ],
  ['text', text, Buffer.from('ü'), 2, undefined],
  ['nothing', text, Buffer.alloc(0), 0, /empty/],
  ['bytes that are no text', text, Buffer.from([0xc3]), 1, /not UTF-8/],
  ['text that is too long', text, Buffer.alloc(INPUT_HEAD_BYTES, 'a'), 16 * MIB + 1, /at most 16777216/],
  // What is cut in the middle of a letter or of a list is looked at where the model runs.
  ['the beginning of text', text, Buffer.alloc(INPUT_HEAD_BYTES, 0xc3), INPUT_HEAD_BYTES + 1, undefined],
  ['the beginning of numbers', numbers, Buffer.alloc(INPUT_HEAD_BYTES, '['), 16 * MIB, undefined],
]

for (const [what, model, head, bytes, says] of table) {
  test(`a file of ${what}: ${says ? 'refused' : 'taken'}`, () => {
    const reason = checkInputFile(model, bytes, head)
    if (says) assert.match(reason ?? '', says)
    else assert.equal(reason, undefined)
  })
}

test('a text file is UTF-8, or UTF-16 that says so; another one is told what it is', () => {
  assert.equal(readUtf8(Buffer.from('\ufeffaé')), 'aé')
  const utf16 = Buffer.from('\ufeffaé', 'utf16le')
  assert.equal(readUtf8(utf16), 'aé')
  assert.equal(readUtf8(Buffer.from(utf16).swap16()), 'aé')
  for (const [bytes, says] of [
    [Buffer.from([0xff]), /not UTF-8 text: save it as UTF-8/],
    [Buffer.from('café', 'latin1'), /not UTF-8/],
    [Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), /in UTF-32/],
    [Buffer.from([0, 0, 0xfe, 0xff, 0, 0, 0, 0x61]), /in UTF-32/],
    [Buffer.from([0xff, 0xfe, 0x61]), /in UTF-16LE, or cut off/],
    [Buffer.from('hello', 'utf16le'), /NUL characters.*UTF-16 without a byte order mark/],
  ] as const)
    assert.throws(() => readUtf8(bytes), refusal(says))
})

const refusal = (says: RegExp) => (error: unknown) => error instanceof InputInvalid && says.test(error.message)
