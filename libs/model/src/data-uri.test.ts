import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBytesUri, readDataUri, toDataUri } from './data-uri.ts'
import { InputInvalid } from './tensors.ts'

const png = Buffer.from(`\x89PNG\r\n\x1a\n${'IHDR'.repeat(100)}`, 'latin1')
const encoded = png.toString('base64')
/** As `base64` and mail programs write it. */
const inLines = encoded.replaceAll(/.{76}/g, '$&\r\n')

test('the bytes of a data URI are read, in one line or in many', () => {
  for (const data of [encoded, inLines, `\n${encoded} \t`])
    assert.deepEqual(readDataUri(`data:image/png;base64,${data}`, 'image'), png)
  assert.deepEqual(readBytesUri(`data:;base64,${inLines}`), png)
})

test('data are what their bytes are, whatever they are said to be', () => {
  for (const type of ['image/jpeg', 'image/bmp', 'application/octet-stream'])
    assert.deepEqual(readDataUri(`data:${type};base64,${encoded}`, 'image'), png)
  assert.match(toDataUri(png, 'image') ?? '', /^data:image\/png;/)
})

test('what is no base64 is refused', () => {
  for (const data of [`${encoded}*`, `${encoded.slice(0, 40)}=${encoded.slice(40)}`, `${encoded}\v`, 'a text'])
    assert.throws(() => readDataUri(`data:image/png;base64,${data}`, 'image'), InputInvalid)
})
