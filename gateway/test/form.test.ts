import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemIn } from './problem.ts'
import { start } from './start.ts'

const BOUNDARY = 'XyZ'
const type = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }

/** A form of these parts: each is the lines of its head, an empty line, and what it holds. */
const form = (...parts: readonly string[]) =>
  `${parts.map(part => `--${BOUNDARY}\r\n${part.replaceAll('\n', '\r\n')}\r\n`).join('')}--${BOUNDARY}--\r\n`
const field = (name: string, value: string) => `Content-Disposition: form-data; name="${name}"\n\n${value}`
const file = (value: string, more = '; filename="a.txt"\nContent-Type: text/plain') =>
  `Content-Disposition: form-data; name="file"${more}\n\n${value}`

test('a form of a browser or of curl is the file and what it is', async t => {
  const { call, services } = await start(t)
  const body = new FormData()
  body.append('purpose', 'model')
  body.append('metadata[a b]', 'ü')
  body.append('expires_after_s', '3600')
  body.append('file', new Blob([Buffer.alloc(300_000, 'x')], { type: 'image/png' }), 'café.png')
  const response = await call('/v1/files', { method: 'POST', body })
  assert.equal(response.status, 201, await response.clone().text())
  const { filename, media_type, purpose, bytes, metadata } = (await response.json()) as Record<string, unknown>
  assert.deepEqual([filename, media_type, purpose, bytes], ['café.png', 'image/png', 'model', 300_000])
  assert.deepEqual(metadata, { 'a b': 'ü' })
  const [stored] = services.files.stored.values()
  assert.ok(stored?.bytes.equals(Buffer.alloc(300_000, 'x')))
})

for (const [name, parts, expected] of [
  [
    'fields count before what the file part says',
    [field('filename', 'b'), field('media_type', 'c/d'), file('x')],
    ['b', 'c/d', 1],
  ],
  ['a file part without a name or a type', [file('x', '')], ['', 'text/plain', 1]],
  [
    'a file part whose type has parameters',
    [file('x', '\nContent-Type: Text/CSV; charset=utf-16')],
    ['', 'text/csv', 1],
  ],
  [
    'a field that says the type whole',
    [field('media_type', 'text/csv; charset=utf-16'), file('x')],
    ['a.txt', 'text/csv; charset=utf-16', 1],
  ],
  [
    'a filename in another character set counts before a plain one',
    [file('x', `; filename="=?utf-8?B?w5w=?="; filename*=utf-8''%C3%9Cbung.py`)],
    ['Übung.py', 'text/plain', 1],
  ],
  [
    'also where that comes later, and between empty parameters',
    [file('x', `;; filename*=iso-8859-1'de'%DCbung.py; filename="Ubung.py";`)],
    ['Übung.py', 'text/plain', 1],
  ],
  ['a path is no part of a filename', [file('x', '; filename="C:\\\\dir\\\\a.txt"')], ['a.txt', 'text/plain', 1]],
  ['an empty file', [file('')], ['a.txt', 'text/plain', 0]],
  ['bytes that look like a boundary', [file(`--${BOUNDARY.slice(0, 2)}\n--\n--xyz--`)], ['a.txt', 'text/plain', 17]],
] as const) {
  test(name, async t => {
    const { call, services } = await start(t)
    const response = await call('/v1/files', { method: 'POST', headers: type, body: form(...parts) })
    assert.equal(response.status, 201, await response.clone().text())
    const [stored] = [...services.files.stored.values()].map(({ file }) => [file.filename, file.mediaType, file.bytes])
    assert.deepEqual(stored, expected)
  })
}

test('the query may say what fields do not', async t => {
  const { call, services } = await start(t)
  const body = form(field('metadata[a]', '1'), file('x'))
  await call('/v1/files?purpose=model&metadata[b]=2', { method: 'POST', headers: type, body })
  const [stored] = services.files.stored.values()
  assert.deepEqual(stored?.file.metadata, { a: '1', b: '2' })
  const twice = await call('/v1/files?metadata[a]=2', { method: 'POST', headers: type, body })
  assert.equal((await problemIn(twice, 'invalid_parameter')).errors?.[0]?.code, 'repeated')
})

for (const [name, body, code, param] of [
  ['no file', form(field('purpose', 'input')), 'missing_parameter', 'file'],
  ['nothing', form(), 'missing_parameter', 'file'],
  ['two files', form(file('x'), file('y')), 'invalid_parameter', undefined],
  ['a file under another name', form(file('x').replace('"file"', '"photo"')), 'unknown_parameter', 'photo'],
  ['a field after the file', form(file('x'), field('purpose', 'input')), 'invalid_parameter', 'purpose'],
  ['a field that is unknown', form(field('name', 'x'), file('x')), 'unknown_parameter', 'name'],
  [
    'a field twice',
    form(field('purpose', 'input'), field('purpose', 'input'), file('x')),
    'invalid_parameter',
    'purpose',
  ],
  ['a field without a name', form('Content-Disposition: form-data\n\nx', file('x')), 'invalid_parameter', undefined],
  ['a field that breaks a rule', form(field('purpose', 'output'), file('x')), 'invalid_parameter', 'purpose'],
  [
    'a field that is far too long',
    form(field('metadata[a]', 'x'.repeat(5_000)), file('x')),
    'invalid_parameter',
    undefined,
  ],
  ['far too many fields', form(...Array(40).fill(field('purpose', 'x')), file('x')), 'invalid_parameter', undefined],
  ['NUL in a field', form(field('filename', 'a\0b'), file('x')), 'invalid_parameter', 'filename'],
  [
    'a file that is encoded',
    form(file('eA==', '\nContent-Transfer-Encoding: base64')),
    'unsupported_media_type',
    undefined,
  ],
  ['a part that does not end', form(file('x')).slice(0, -9), 'invalid_parameter', undefined],
  ['no end', form(file('x')).slice(0, -4), 'invalid_parameter', undefined],
  ['no form at all', 'hello', 'invalid_parameter', undefined],
  ['empty', '', 'invalid_parameter', undefined],
] as const) {
  test(`a form with or of ${name} is refused, and nothing is stored`, async t => {
    const { call, services } = await start(t)
    const problem = await problemIn(await call('/v1/files', { method: 'POST', headers: type, body }), code)
    assert.equal(problem.param, param)
    assert.equal(services.files.stored.size, 0)
    assert.equal(services.files.begun, services.files.broken)
  })
}

for (const [what, part, says] of [
  [
    'headers that can not be read',
    `X: a\rb\n${file('x')}`,
    /no `Content-Disposition` among the headers that can be read/,
  ],
  ['another disposition', file('x').replace('form-data', 'attachment'), /is not `form-data`/],
  ['two filenames', file('x', '; filename="a.txt"; filename="b.txt"'), /says `filename` twice/],
  ['a filename with an open quote', file('x', '; filename="a.txt'), /a quote without an end/],
  ['a filename in pieces', file('x', '; filename*0="a"; filename*1=".txt"'), /`filename` comes in pieces/],
  ['a broken filename', file('x', "; filename*=UTF-8''%ZZ.txt"), /`filename\*` is not written as UTF-8''/],
  [
    'two dispositions',
    file('x').replace('\n\n', '\nContent-Disposition: form-data; name="purpose"\n\n'),
    /has two `Content-Disp/,
  ],
  ['no name but one in another set', file('x').replace('name="file"', "name*=UTF-8''file"), /a part has no name/],
  ['a filename of two lines', file('x', "; filename*=UTF-8''a%0D%0Ab.txt"), /`filename` has control characters/],
] as const)
  test(`a form with a part of ${what} is told so`, async t => {
    const { call, services } = await start(t)
    const init = { method: 'POST', headers: type, body: form(part) }
    assert.match((await problemIn(await call('/v1/files', init), 'invalid_parameter')).detail, says)
    assert.equal(services.files.stored.size, 0)
  })

for (const [what, body, says] of [
  [
    'lines that end with LF',
    form(file('x')).replaceAll('\r\n', '\n'),
    /ends without the line `--XyZ--`: it is cut off, or its lines do not end with CR LF/,
  ],
  ['another boundary', form(file('x')).replaceAll(BOUNDARY, 'other'), /has no line `--XyZ`/],
  [
    'a field in a set that it does not say',
    Buffer.from(form(field('metadata[a]', '\xfc'), file('x')), 'latin1'),
    /`metadata\[a\]` is not valid utf-8/,
  ],
  [
    'a field in a set that nobody knows',
    form(field('metadata[a]', 'x').replace('\n', '\nContent-Type: text/plain; charset=bogus\n'), file('x')),
    /`metadata\[a\]` has the unknown character set bogus/,
  ],
  ['parts without heads', `--XyZ\r\n--XyZ\r\n${form(file('x'))}`, /a part has no empty line behind its headers/],
  [
    'a field without an empty line',
    form(field('purpose', 'x').replace('\n\n', '\n'), file('x')),
    /no empty line behind/,
  ],
] as const)
  test(`a form of ${what} is told so`, async t => {
    const { call } = await start(t)
    const init = { method: 'POST', headers: type, body: body as unknown as string }
    assert.match((await problemIn(await call('/v1/files', init), 'invalid_parameter')).detail, says)
  })

for (const [what, more, filename] of [
  ['a broken one in another character set', `; filename="ok.txt"; filename*=UTF-8''%ZZ`, 'ok.txt'],
  ['bytes that are no UTF-8', `; filename="ok.txt"; filename*=UTF-8''%C3`, 'ok.txt'],
  ['an empty one', `; filename="ok.txt"; filename*=UTF-8''`, 'ok.txt'],
  ['a set that nobody knows', `; filename="ok.txt"; filename*=bogus''a.txt`, 'ok.txt'],
  ['one without its set', '; filename="ok.txt"; filename*=a.txt', 'ok.txt'],
  ['blanks and no quotes', '; filename=a b.txt', 'a b.txt'],
  ['quotes and semicolons', '; filename="a \\"b\\"; c.txt"', 'a "b"; c.txt'],
  ['a path of Windows that escapes nothing', '; filename="C:\\dir\\a.txt"', 'a.txt'],
  ['blanks around its =', ' ; FILENAME = "a.txt" ;', 'a.txt'],
  ['an empty filename', '; filename=""', ''],
  ['a backslash at its end', '; filename="a.txt\\"', ''],
  ['a quote within', '; filename=5".txt', '5".txt'],
  ['a tab', '; filename="a\tb.txt"', 'a\tb.txt'],
  ['a type that says two sets', '; filename="a.txt"\nContent-Type: text/plain; charset=utf-8; charset=utf-16', 'a.txt'],
  ['a type with an open quote', '; filename="a.txt"\nContent-Type: text/plain; charset="utf-8', 'a.txt'],
] as const)
  test(`a filename with ${what} is ${filename || 'none'}`, async t => {
    const { call, services } = await start(t)
    const response = await call('/v1/files', { method: 'POST', headers: type, body: form(file('x', more)) })
    assert.equal(response.status, 201, await response.clone().text())
    const [stored] = services.files.stored.values()
    assert.equal(stored?.file.filename, filename)
  })

test('names and fields in the character sets of old programs are read', async t => {
  const { call, services } = await start(t)
  const label = `Content-Disposition: form-data; name="metadata[a]"\nContent-Type: text/plain; charset=ISO-8859-1\n\n\xfc`
  const body = Buffer.from(form(label, file('x', '; filename="\xdcbung.txt"')), 'latin1')
  await call('/v1/files', { method: 'POST', headers: type, body: body as unknown as string })
  const [stored] = services.files.stored.values()
  assert.deepEqual([stored?.file.filename, stored?.file.metadata], ['Übung.txt', { a: 'ü' }])
})

test('a field whose type names an empty character set is UTF-8', async t => {
  const { call, services } = await start(t)
  const label = field('metadata[a]', 'ü').replace('\n', '\nContent-Type: text/plain; charset=\n')
  const response = await call('/v1/files', { method: 'POST', headers: type, body: form(label, file('x')) })
  assert.equal(response.status, 201, await response.clone().text())
  assert.deepEqual([...services.files.stored.values()][0]?.file.metadata, { a: 'ü' })
})

test('the name of a field may have any character', async t => {
  const { call, services } = await start(t)
  const body = form(field('metadata[Á~\x0f\u{f669b}]', 'ü'), file('x'))
  const response = await call('/v1/files', { method: 'POST', headers: type, body })
  assert.equal(response.status, 201, await response.clone().text())
  assert.deepEqual([...services.files.stored.values()][0]?.file.metadata, { 'Á~\x0f\u{f669b}': 'ü' })
})

test('a boundary that is too long is told', async t => {
  const { call } = await start(t)
  for (const [length, status] of [
    [252, 201],
    [253, 400],
  ] as const) {
    const boundary = 'b'.repeat(length)
    const init = { method: 'POST', headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }
    const response = await call('/v1/files', { ...init, body: form(file('x')).replaceAll(BOUNDARY, boundary) })
    assert.equal(response.status, status, await response.clone().text())
  }
})

test('a boundary may be in quotes, with blanks and signs', async t => {
  const { call, services } = await start(t)
  for (const [boundary, written] of [
    ['a b', '"a b"'],
    ["a;b'", `"a;b\\'"`],
    ['=_x.y', '"=_x.y"; charset=utf-8;'],
  ] as const) {
    const headers = { 'content-type': `Multipart/Form-Data;; BOUNDARY=${written}` }
    const body = form(file('x')).replaceAll(BOUNDARY, boundary)
    assert.equal((await call('/v1/files', { method: 'POST', headers, body })).status, 201, boundary)
  }
  assert.equal(services.files.stored.size, 3)
})

test('a form whose type names no boundary is refused', async t => {
  const { call } = await start(t)
  for (const contentType of [
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data;charset=utf-8',
  ]) {
    const headers = { 'content-type': contentType }
    await problemIn(await call('/v1/files', { method: 'POST', headers, body: form(file('x')) }), 'invalid_parameter')
  }
})

test('what comes around the parts is no part of them, and one byte at a time is read as well', async t => {
  const { call, services } = await start(t)
  const body = `preamble\r\n${form(field('purpose', 'model'), file('hello'))}epilogue`
  const bytes = [...Buffer.from(body)].map(byte => Buffer.from([byte]))
  const stream = ReadableStream.from(bytes)
  const init = { method: 'POST', headers: type, body: stream, duplex: 'half' } as RequestInit
  const response = await call('/v1/files', init as { headers: Record<string, string> })
  assert.equal(response.status, 201, await response.clone().text())
  const [stored] = services.files.stored.values()
  assert.equal(stored?.bytes.toString(), 'hello')
})

test('a form whose file is larger than the limit is refused, however much comes around it', async t => {
  const { call, services } = await start(t, { limits: { uploadBytes: 100_000 } })
  const post = (bytes: number) =>
    call('/v1/files', {
      method: 'POST',
      headers: type,
      body: form(field('metadata[a]', 'x'.repeat(500)), file('x'.repeat(bytes))),
    })
  assert.equal((await post(100_000)).status, 201)
  await problemIn(await post(100_001), 'payload_too_large')
  await problemIn(await post(1_000_000), 'payload_too_large')
  assert.equal(services.files.stored.size, 1)
})
