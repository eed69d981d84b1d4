import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelPackage } from './catalogue.ts'
import { checkInput, checkTensors } from './check-input.ts'
import { parseManifest, type TensorSpec } from './manifest.ts'
import { readTensors } from './tensors.ts'
import { textModel } from './text-model.fixture.ts'

function model(fields: object, inputs: TensorSpec[] = []): ModelPackage {
  return { ...textModel('a'), manifest: parseManifest(JSON.stringify({ name: 'A', ...fields })), inputs }
}

const numbers = model({ preprocess: { name: 'numbers', count: 3, min: 0, max: 16 } })
const ocr = { pipeline: { name: 'ocr' }, files: { detection: 'a', recognition: 'b', dictionary: 'c' } }
const image = model(ocr)
const audio = model({ pipeline: { name: 'speech' } })
const bytes = model({ pipeline: { name: 'file_type' }, files: { model: 'a', config: 'b', types: 'c' } })
const texts = model({ pipeline: { name: 'embedding' }, files: { model: 'a', tokenizer: 'b' } })
const tensors = model({}, [{ name: 'x', dtype: 'float32', shape: [-1, 2] }])
const text = model({ preprocess: { name: 'text' } })

const uri = (type: string, head: string) => `data:${type};base64,${Buffer.from(head, 'latin1').toString('base64')}`
const png = uri('image/png', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR')
const wav = uri('audio/wav', 'RIFF\0\0\0\0WAVEfmt ')
const tensor = (fields: object) => JSON.stringify({ x: { dtype: 'float32', shape: [1, 2], data: [1, 2], ...fields } })

const table: [what: string, model: ModelPackage, input: string, says: RegExp | undefined][] = [
  ['numbers', numbers, '[0,16,1.5]', undefined],
  ['too few numbers', numbers, '[0,16]', /list of 3 numbers, not 2/],
  ['a number out of range', numbers, '[0,17,1]', /number 1 of the input must be from 0 to 16/],
  ['a string among numbers', numbers, '[0,"1",1]', /number 1/],
  ['no JSON', numbers, 'abc', /not JSON/],
  ['nothing', text, '', /empty/],
  ['text', text, 'any', undefined],
  ['a picture', image, png, undefined],
  ['a picture with parameters in its type', image, png.replace(';', ';charset=x;'), undefined],
  ['a picture of another type than it says', image, png.replace('png', 'jpeg'), undefined],
  ['a picture in lines', image, png.replace(/base64,.{7}/, '$&\r\n'), undefined],
  ['no picture of the type that it says', image, uri('image/png', 'hello, all of you'), /data is no image\/png/],
  ['numbers after a byte order mark', numbers, '\ufeff[0,16,1.5]', undefined],
  ['SVG', image, uri('image/svg+xml', '<svg xmlns="">'), /media type image\/svg\+xml is not read/],
  ['a recording for a picture', image, wav, /media type audio\/wav/],
  ['no data URI', image, 'https://example.com/a.png', /must be a data URI/],
  ['a data URI without base64', image, 'data:image/png,abc', /must be a data URI with base64/],
  ['a data URI without data', image, 'data:image/png;base64,', /no data behind its comma/],
  ['a recording', audio, wav, undefined],
  ['any bytes', bytes, uri('application/vnd.ms-excel', 'x'), undefined],
  ['bytes of no type', bytes, 'data:;base64,', undefined],
  ['a picture as bytes', bytes, png, undefined],
  ['bytes without base64', bytes, 'data:text/plain,abc', /must be a data URI with base64: data:application/],
  ['text for bytes', bytes, 'abc', /must be a data URI with base64/],
  ['a text to embed', texts, '[1] any', undefined],
  ['texts to embed', texts, '["a","b"]', undefined],
  ['no texts to embed', texts, '[]', /a list of texts must have from 1 to 256, not 0/],
  ['a number to embed', texts, '["a",1]', /item 1 of the list must be a string/],
  ['tensors', tensors, tensor({}), undefined],
  ['tensors of more rows', tensors, tensor({ shape: [2, 2], data: [1, 2, 3, 4] }), undefined],
  ['a tensor of another type', tensors, tensor({ dtype: 'int32' }), /`x` must be float32, not int32/],
  ['a tensor of another shape', tensors, tensor({ shape: [2, 1] }), /must have shape \[-1,2\]/],
  ['a tensor of another rank', tensors, tensor({ shape: [2] }), /must have shape/],
  ['no tensor', tensors, '{}', /`x` is missing/],
  ['an unknown tensor', tensors, tensor({}).replace('"x"', '"y"'), /has no input `y`; it has `x`/],
]

test('names are told back in part, the model’s own too', () => {
  const long = 'n'.repeat(400_000)
  const odd = model({}, [{ name: long, dtype: 'float32', shape: Array(10_000).fill(1) }])
  const named = (name: string, dtype: string) => JSON.stringify({ [name]: { dtype, shape: [1], data: [1] } })
  const parsed = (input: string) => {
    try {
      checkTensors(odd.inputs, readTensors(input))
    } catch (error) {
      return (error as Error).message
    }
    return ''
  }
  for (const [input, says] of [
    [named('x', 'float32'), /has no input `x`/],
    [named(`${long}x`, 'float32'), /has no input `n+…`/],
    ['{}', /the tensor `n+…` is missing/],
    [named(long, 'int8'), /must be float32, not int8/],
    [named(long, 'float32'), /must have shape \[1,1,.*…\]/],
  ] as const) {
    const message = parsed(input)
    assert.match(message, says)
    assert.ok(message.length < 500, `${message.length} characters`)
  }
})

for (const [what, model, input, says] of table) {
  test(`${what}: ${says ? 'refused' : 'taken'}`, () => {
    const reason = checkInput(model, input)
    if (says) assert.match(reason ?? '', says)
    else assert.equal(reason, undefined)
  })
}
