import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkDataUri, readBytesUri, readDataUri, toDataUri } from './data-uri.ts'
import { InputInvalid } from './tensors.ts'

const png = Buffer.from(`\x89PNG\r\n\x1a\n${'IHDR'.repeat(100)}`, 'latin1')
const encoded = png.toString('base64')
/** As `base64` and mail programs write it. */
const inLines = encoded.replaceAll(/.{76}/g, '$&\r\n')

test('the bytes of a data URI are read, in one line or in many', () => {
  const indented = `${encoded.slice(0, 54)}${encoded.slice(54).replaceAll(/.{1,76}/g, '\n    $&')}`
  for (const data of [encoded, inLines, indented, `\n${encoded} \t`])
    assert.deepEqual(readDataUri(`data:image/png;base64,${data}`, 'image'), png)
  assert.deepEqual(readBytesUri(`data:;base64,${inLines}`), png)
})

test('data are what their bytes are, whatever they are said to be', () => {
  for (const type of ['image/jpeg', 'image/bmp', 'application/octet-stream'])
    assert.deepEqual(readDataUri(`data:${type};base64,${encoded}`, 'image'), png)
  assert.match(toDataUri(png, 'image') ?? '', /^data:image\/png;/)
})

test('the head of a data URI may have any parameters, in any case and with spaces', () => {
  for (const head of [
    'DATA:IMAGE/PNG;BASE64,',
    ' data: image/png ; base64,',
    'data:image/png;charset=utf-8;base64,',
    'data:image/png;name="a, b.png";base64,',
    'data:image/png;name=a%20b.png;base64,',
    `data:image/png;name=${'n'.repeat(300)};base64,`,
    'data:image/png;;base64;charset=utf-8,',
    'data:application/x_own!;base64,',
    'data:;base64,',
  ])
    assert.deepEqual(readDataUri(head + encoded, 'image'), png, head)
  for (const head of ['data:image/png,', 'data:image/png;base64', 'data:base64,', 'image/png;base64,', ''])
    assert.throws(() => readDataUri(head + encoded, 'image'), refusal(/must be a data URI with base64/), head)
})

/** Its base64 has + and /. */
const signs = Buffer.from(Array.from({ length: 256 }, (_, value) => value))

test('base64 is read in the alphabet of URLs, percent-encoded, and without padding', () => {
  const plain = signs.toString('base64')
  for (const data of [plain, signs.toString('base64url'), encodeURIComponent(plain), plain.replaceAll('=', '')])
    assert.deepEqual(readBytesUri(`data:;base64,${data}`), signs)
  for (const data of ['QUJD=', 'QUI==']) assert.match(readBytesUri(`data:;base64,${data}`).toString(), /^ABC?$/)
})

test('what is no base64 is refused when the task is made, with the reason', () => {
  for (const [data, says] of [
    [`${encoded}*`, /its character 545, without white space, is "\*"/],
    [`${encoded.slice(0, 400)}=${encoded.slice(400)}`, /character 401, .*is "="/],
    [`${encoded}\v`, /not base64/],
    [`${encoded.slice(0, 401)}`, /401 characters are no whole groups of four; it may be cut off/],
    ['', /no data behind its comma/],
    ['AAAA', /the data is no image\/png: give PNG, JPEG/],
  ] as const) {
    assert.throws(() => readDataUri(`data:image/png;base64,${data}`, 'image'), refusal(says), data)
    assert.throws(() => checkDataUri(`data:image/png;base64,${data}`, 'image'), refusal(says), data)
  }
})

test('a + that became a space is told, and never left out', () => {
  for (const bytes of [signs, signs.subarray(0, 255), signs.subarray(0, 254)]) {
    const data = bytes.toString('base64').replaceAll('+', ' ')
    assert.match(data, / /)
    assert.throws(() => readBytesUri(`data:;base64,${data}`), refusal(/write \+ as %2B/))
  }
  assert.throws(() => readBytesUri(`data:;base64,${'A'.repeat(16)} AAAAAA=`), refusal(/write \+ as %2B/))
  const inGroups = encoded.replaceAll(/.{8}/g, '$& ')
  assert.deepEqual(readDataUri(`data:image/png;base64,${inGroups}`, 'image'), png)
})

test('a long URI takes no more than its length', { timeout: 60_000 }, () => {
  for (const text of [
    `data:${'"'.repeat(1e6)}`,
    `data:${';'.repeat(1e6)},`,
    `data:;base64,${' '.repeat(2e6)}*`,
    `data:;base64,${'%2'.repeat(1e6)}`,
    `data:;base64,${'A '.repeat(1e6)}B`,
  ])
    assert.throws(() => readBytesUri(text), InputInvalid)
})

const refusal = (says: RegExp) => (error: unknown) => error instanceof InputInvalid && says.test(error.message)
