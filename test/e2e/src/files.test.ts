import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { beginUpload, digestOf, sha256, upload } from './files.ts'
import { residentBytes } from './processes.ts'
import { connection, rawHead } from './raw-http.ts'
import { startServer, temporaryFolder } from './server.ts'
import { assertProblem, TIME, TYPE_ID } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

const run = promisify(execFile)

let server: Visited
before(async () => {
  server = await visitServer()
})
after(() => server.leave())

const get = (path: string, headers: Record<string, string> = {}) => server.request('GET', path, { headers })
const contentOf = (id: string, headers: Record<string, string> = {}) => get(`/v1/files/${id}/content`, headers)
const remove = (id: string) => server.request('DELETE', `/v1/files/${id}`)

test('a file comes back as it went, with what was said of it, and goes', async () => {
  const bytes = randomBytes(300_000)
  const query = 'filename=a%20b.bin&purpose=dataset&expires_after_s=3600&metadata[page]=7'
  const path = `/v1/files?${query}`
  const made = await server.request('POST', path, { raw: bytes, headers: { 'content-type': 'application/x-own' } })
  assert.equal(made.status, 201)
  const file = made.body
  assert.equal(made.headers.location, `/v1/files/${file.id}`)
  assert.match(file.id, TYPE_ID('file'))
  assert.match(file.created_at, TIME)
  assert.equal(Date.parse(file.expires_at) - Date.parse(file.created_at), 3_600_000)
  const { object, filename, purpose, media_type, mode, metadata } = file
  assert.deepEqual(
    { object, filename, purpose, media_type, mode, metadata },
    {
      object: 'file',
      filename: 'a b.bin',
      purpose: 'dataset',
      media_type: 'application/x-own',
      mode: 'live',
      metadata: { page: '7' },
    },
  )
  assert.deepEqual([file.bytes, file.sha256], [bytes.length, sha256(bytes)])
  const got = await get(`/v1/files/${file.id}`)
  assert.deepEqual(got.body, file)
  assert.equal((await get(`/v1/files/${file.id}`, { 'if-none-match': String(got.headers.etag) })).status, 304)
  const { body: list } = await get('/v1/files?purpose=dataset')
  assert.deepEqual(list.data, [file])
  const content = await contentOf(file.id)
  assert.ok(content.bytes.equals(bytes))
  assert.equal(content.headers['content-disposition'], 'attachment; filename="a b.bin"')
  assert.equal(content.headers['content-type'], 'application/x-own')
  const removed = await remove(file.id)
  assert.deepEqual(removed.body, { object: 'file_deletion', id: file.id, deleted: true })
  assertProblem(await contentOf(file.id), 404, 'not_found')
  assertProblem(await get(`/v1/files/${file.id}`), 404, 'not_found')
})

test('curl sends a form or a body, saves under the name, and goes on where it stopped', async () => {
  const folder = temporaryFolder('millhand-files-')
  const bytes = randomBytes(200_000)
  writeFileSync(join(folder, 'photo.jpg'), bytes)
  const curl = async (...words: string[]) => {
    const { stdout } = await run(
      'curl',
      ['-sS', '--fail-with-body', '-H', `Authorization: Bearer ${server.key}`, ...words],
      {
        cwd: folder,
      },
    )
    return stdout
  }
  const files = `${server.url}/v1/files`
  const sent = JSON.parse(await curl(files, '-F', 'purpose=input', '-F', 'metadata[a]=b', '-F', 'file=@photo.jpg'))
  assert.deepEqual([sent.filename, sent.media_type, sent.sha256], ['photo.jpg', 'image/jpeg', sha256(bytes)])
  assert.deepEqual(sent.metadata, { a: 'b' })
  const raw = JSON.parse(
    await curl(`${files}?filename=p.jpg`, '-H', 'Content-Type: image/jpeg', '--data-binary', '@photo.jpg'),
  )
  assert.deepEqual([raw.filename, raw.media_type, raw.sha256], ['p.jpg', 'image/jpeg', sha256(bytes)])
  await curl(`${files}/${raw.id}/content`, '-OJ')
  assert.ok(readFileSync(join(folder, 'p.jpg')).equals(bytes))
  writeFileSync(join(folder, 'rest.jpg'), bytes.subarray(0, 150_000))
  await curl(`${files}/${sent.id}/content`, '-C', '-', '-o', 'rest.jpg')
  assert.ok(readFileSync(join(folder, 'rest.jpg')).equals(bytes))
})

test('ranges, as RFC 9110 has them', async () => {
  const { id, sha256: digest } = await upload(server, '0123456789')
  for (const [range, status, contentRange, text] of [
    ['bytes=0-0', 206, 'bytes 0-0/10', '0'],
    ['bytes=2-4', 206, 'bytes 2-4/10', '234'],
    ['bytes=8-', 206, 'bytes 8-9/10', '89'],
    ['bytes=9-1000', 206, 'bytes 9-9/10', '9'],
    ['bytes=-3', 206, 'bytes 7-9/10', '789'],
    ['bytes=-1000', 206, 'bytes 0-9/10', '0123456789'],
    ['bytes=0-1,3-4', 200, undefined, '0123456789'],
    ['bytes=4-2', 200, undefined, '0123456789'],
    ['seconds=1-2', 200, undefined, '0123456789'],
    ['bytes=10-', 416, 'bytes */10', undefined],
    ['bytes=-0', 416, 'bytes */10', undefined],
    ['bytes=99999999999999999999-', 416, 'bytes */10', undefined],
  ] as const) {
    const answer = await contentOf(id, { range })
    assert.equal(answer.status, status, range)
    assert.equal(answer.headers['content-range'], contentRange, range)
    if (text === undefined) assertProblem(answer, 416, 'range_not_satisfiable')
    else assert.equal(answer.text, text, range)
  }
  const tag = `"${digest}"`
  assert.equal((await contentOf(id, { range: 'bytes=2-4', 'if-range': tag })).text, '234')
  assert.equal((await contentOf(id, { range: 'bytes=2-4', 'if-range': '"other"' })).text, '0123456789')
  assert.equal((await contentOf(id, { 'if-none-match': tag })).status, 304)
})

test('an empty file is one', async () => {
  const { id, bytes, sha256: digest } = await upload(server, '')
  assert.deepEqual([bytes, digest], [0, sha256('')])
  const content = await contentOf(id)
  assert.deepEqual([content.status, content.text, content.headers['content-length']], [200, '', '0'])
  // Its last five bytes are all of it (RFC 9110, section 14.1.2), and no `Content-Range` can say none.
  const last = await contentOf(id, { range: 'bytes=-5' })
  assert.deepEqual([last.status, last.text, last.headers['content-range']], [200, '', undefined])
  for (const range of ['bytes=0-', 'bytes=-0'])
    assertProblem(await contentOf(id, { range }), 416, 'range_not_satisfiable')
})

test('HEAD tells what GET would send', async () => {
  const { id, sha256: digest } = await upload(server, 'hello', 'filename=a.txt')
  const { status, headers, text } = await server.request('HEAD', `/v1/files/${id}/content`)
  assert.deepEqual([status, text, headers['content-length'], headers.etag], [200, '', '5', `"${digest}"`])
  assert.equal(headers['accept-ranges'], 'bytes')
  assert.equal(headers['repr-digest'], `sha-256=:${Buffer.from(digest, 'hex').toString('base64')}:`)
})

for (const [name, filename, mediaType, expected] of [
  ['a page with a script', 'page.html', 'text/html; charset=utf-8', 'attachment; filename="page.html"'],
  ['a picture that runs', 'x.svg', 'image/svg+xml', 'attachment; filename="x.svg"'],
  ['a path', '../../etc/passwd', 'text/plain', 'attachment; filename=".._.._etc_passwd"'],
  ['a line end', 'a\r\nSet-Cookie: b=c', 'text/plain', 'attachment; filename="a__Set-Cookie: b=c"'],
  [
    'quotes',
    '"; filename="b.exe',
    'text/plain',
    /^attachment; filename="_; filename=_b\.exe"; filename\*=UTF-8''%22%3B/,
  ],
  [
    'letters of the world',
    'Résumé 日本 😀.pdf',
    'a/b',
    /^attachment; filename="R_sum_ __ _\.pdf"; filename\*=UTF-8''R%C3%A9/,
  ],
] as const) {
  test(`${name} for a name or a type does no harm when it is downloaded`, async () => {
    const file = await upload(server, '<script>', `filename=${encodeURIComponent(filename)}`, mediaType)
    assert.equal(file.filename, filename)
    const { headers } = await contentOf(file.id)
    assert.match(String(headers['content-disposition']), typeof expected === 'string' ? /./ : expected)
    if (typeof expected === 'string') assert.equal(headers['content-disposition'], expected)
    assert.equal(headers['content-type'], mediaType)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['content-security-policy'], "default-src 'none'; sandbox")
    assert.equal(headers['set-cookie'], undefined)
  })
}

test('a file of one mode is not there for the other', async () => {
  const { id } = await upload(server, 'live')
  const authorization = `Bearer ${server.testKey}`
  for (const path of [`/v1/files/${id}`, `/v1/files/${id}/content`]) {
    assertProblem(await get(path, { authorization }), 404, 'not_found')
  }
  assertProblem(await server.request('DELETE', `/v1/files/${id}`, { headers: { authorization } }), 404, 'not_found')
  assert.deepEqual((await get('/v1/files', { authorization })).body.data, [])
  assert.equal((await contentOf(id)).text, 'live')
})

test('what can be known to be refused is refused before it is sent', async () => {
  for (const [headers, status] of [
    [['Content-Length: 536870913'], 413],
    [['Content-Length: 10', 'Content-Encoding: gzip'], 415],
    [['Content-Length: 10', `Idempotency-Key: ${'a'.repeat(256)}`], 400],
  ] as const) {
    const wire = await connection(server.url)
    wire.write(rawHead('POST', '/v1/files', server, [...headers, 'Expect: 100-continue']))
    assert.match(await wire.response(), new RegExp(`^HTTP/1\\.1 ${status} `))
    wire.destroy()
  }
  const answer = await server.request('POST', '/v1/files?purpose=output&size=5', { raw: 'x' })
  assert.deepEqual(
    assertProblem(answer, 400, 'unknown_parameter')
      .errors.map(({ param }: { param: string }) => param)
      .sort(),
    ['purpose', 'size'],
  )
})

test('uploads that break off, many and fast, leave nothing', async () => {
  const before = (await get('/v1/files?limit=100')).body.data.length
  const mark = randomBytes(24).toString('hex')
  for (let round = 0; round < 10; round++) {
    const uploads = await Promise.all(Array.from({ length: 30 }, () => connection(server.url)))
    for (const [at, wire] of uploads.entries()) {
      const head = rawHead('POST', '/v1/files', server, ['Content-Length: 200000', 'Expect: 100-continue'])
      wire.write(head)
      await wire.response()
      wire.write(mark.repeat(at * 60))
    }
    for (const [at, wire] of uploads.entries()) {
      if (at % 2 === 0) wire.destroy()
      else wire.close()
      await wire.ended()
    }
  }
  const whole = await upload(server, 'x')
  await remove(whole.id)
  assert.equal((await get('/v1/files?limit=100')).body.data.length, before)
  assert.deepEqual(filesWith(server.dataDir, mark), [])
})

test('64 MiB go up and come down the same, four at once, and no process holds them', async t => {
  // With little room for what is new, less of what nobody holds is there to see.
  await using frugal = await startServer({ env: { NODE_OPTIONS: '--max-semi-space-size=2' } })
  const chunk = randomBytes(1024 * 1024)
  await digestOf(frugal, (await upload(frugal, chunk)).id)
  const start = residentBytes(frugal.pid)
  let most = 0
  const look = () => {
    for (const [pid, bytes] of residentBytes(frugal.pid)) most = Math.max(most, bytes - (start.get(pid) ?? bytes))
  }
  const parts = Array.from({ length: 64 }, (_, at) => {
    const part = Buffer.from(chunk)
    part.writeUInt32LE(at)
    return part
  })
  const whole = { bytes: parts.length * chunk.length, sha256: sha256(Buffer.concat(parts)) }
  const uploads = await Promise.all(Array.from({ length: 4 }, () => beginUpload(frugal, whole.bytes)))
  for (const part of parts) {
    await Promise.all(uploads.map(each => each.send(part)))
    look()
  }
  const files = await Promise.all(uploads.map(each => each.end()))
  for (const file of files) assert.deepEqual({ bytes: file.bytes, sha256: file.sha256 }, whole)
  let chunks = 0
  const lookNowAndThen = () => {
    if (chunks++ % 16 === 0) look()
  }
  const came = await Promise.all(files.map(file => digestOf(frugal, file.id, lookNowAndThen)))
  assert.deepEqual(came, [whole, whole, whole, whole])
  t.diagnostic(`at most ${Math.round(most / 1e6)} MB more resident in one process`)
  assert.ok(most < BOUND_BYTES, `a process has ${most} bytes more`)
})

/** Who held what goes through would have 256 MiB. V8 looks for buffers that nobody holds at 64 MiB, and later when busy. */
const BOUND_BYTES = 192 * 1024 * 1024

test('an upload that is on when the server stops is stored whole, or not at all', async () => {
  const { length: before } = (await get('/v1/files?limit=100')).body.data
  const half = randomBytes(500_000)
  const finished = await beginUpload(server, 2 * half.length)
  const unfinished = await beginUpload(server, 2 * half.length)
  await Promise.all([finished.send(half), unfinished.send(half)])
  const stopped = server.stop()
  await finished.send(half)
  const made = await finished.end()
  await stopped
  await assert.rejects(unfinished.end())
  await server.restart()
  const { data } = (await get('/v1/files?limit=100')).body
  assert.deepEqual([data.length, data[0]], [before + 1, made])
  const content = await server.request('GET', `/v1/files/${made.id}/content`)
  assert.ok(content.bytes.equals(Buffer.concat([half, half])))
})

/** The files below a folder that hold a text. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => readFileSync(path).includes(text))
}
