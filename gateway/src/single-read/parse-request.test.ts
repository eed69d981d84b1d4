import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import { type ParsedHead, parseRequest } from './parse-request.ts'

const create = request(
  'POST /v1/tasks',
  ['Content-Type: application/json', 'Content-Length: 7', 'Prefer: wait=5'],
  '{"a":1}',
)
const read = request('GET /v1/tasks/task_01h2xcejqtf2nbrexx3vqjhp41?a=%20b&c', [
  'If-None-Match: W/"x", "y"',
  'Connection: keep-alive',
])

function request(line: string, headers: readonly string[], body = ''): string {
  return `${[`${line} HTTP/1.1`, 'Host: a.test:80', 'Authorization: Bearer key', ...headers].join('\r\n')}\r\n\r\n${body}`
}

const parsed = (text: string, before?: ParsedHead) => parseRequest(Buffer.from(text, 'latin1'), before)

test('the head of the request before is parsed once, and a body must be as long as it says', () => {
  const first = parsed(create)
  const again = parsed(create.replace('"a"', '"b"'), first?.head)
  assert.equal(again?.head, first?.head)
  assert.equal(again?.body.toString(), '{"b":1}')
  assert.equal(parsed(`${create} `, first?.head), undefined)
  const other = parsed(create.replace('wait=5', 'wait=6'), first?.head)
  assert.deepEqual([other?.head.headers.prefer, first?.head.headers.prefer], ['wait=6', 'wait=5'])
})

test('a request with a body and one without are parsed', () => {
  assert.deepEqual(seenBy(create), {
    method: 'POST',
    url: '/v1/tasks',
    headers: {
      host: 'a.test:80',
      authorization: 'Bearer key',
      'content-type': 'application/json',
      'content-length': '7',
      prefer: 'wait=5',
    },
    body: '{"a":1}',
  })
  assert.equal(seenBy(read)?.headers['if-none-match'], 'W/"x", "y"')
  assert.equal(seenBy(read)?.body, '')
})

for (const [name, text] of [
  ['a head without its end', create.slice(0, create.indexOf('\r\n\r\n') + 2)],
  ['a body that is not whole', create.slice(0, -1)],
  ['a body with more behind it', `${create} `],
  ['two requests', read + read],
  ['a POST without a length', create.replace('Content-Length: 7\r\n', '')],
  ['a GET with a length', read.replace('Connection: keep-alive', 'Content-Length: 0')],
  ['a length with a sign', create.replace('Length: 7', 'Length: +7')],
  ['a length with a zero before it', create.replace('Length: 7', 'Length: 07')],
  ['two lengths', create.replace('Prefer: wait=5', 'content-length: 7')],
  ['chunks', create.replace('Prefer: wait=5', 'Transfer-Encoding: chunked')],
  ['an expectation', create.replace('Prefer: wait=5', 'Expect: 100-continue')],
  ['an upgrade', read.replace('Connection: keep-alive', 'Upgrade: h2c')],
  ['the end of the connection', read.replace('keep-alive', 'close')],
  ['a header of which node makes a list', read.replace('Connection: keep-alive', 'Set-Cookie: a=b')],
  ['no host', read.replace('Host: a.test:80\r\n', '')],
  ['a header that is folded', read.replace('Bearer', '\r\n Bearer')],
  ['a header with a space before its colon', read.replace('Host:', 'Host :')],
  ['a header twice', read.replace('If-None-Match:', 'authorization:')],
  ['a header that is not ASCII', read.replace('Bearer key', 'Bearer k\u00e9y')],
  ['a line feed alone', read.replace('\r\nAuth', '\nAuth')],
  ['another version', read.replace('HTTP/1.1', 'HTTP/1.0')],
  ['a path that is not of the API', read.replace('/v1/tasks/', '/healthz/')],
  ['a whole address', read.replace('/v1/', 'http://a.test/v1/')],
  ['a fragment', read.replace(' HTTP', '#a HTTP')],
  ['another method', read.replace('GET', 'HEAD')],
  ['a large head', read.replace('Bearer key', `Bearer ${'k'.repeat(5_000)}`)],
] as const) {
  test(`${name}: node's parser is asked`, () => {
    assert.equal(parsed(text), undefined)
  })
}

/** What replaces a byte: what ends or parts something in a head, or is none of its characters. */
const bytes = ['\r', '\n', '\r\n', '\t', ' ', ':', ',', ';', 'X', '0', '1', '%', '"', '\0', '\x7f', '\x80', '\xff', '']

test('what is parsed of a request in which a byte is another is what node sees', async () => {
  let compared = 0
  for (const text of [create, read]) {
    const before = parsed(text)?.head
    for (let at = 0; at < text.length; at++) {
      for (const byte of bytes) {
        const changed = text.slice(0, at) + byte + text.slice(at + 1)
        const seen = seenBy(changed, before)
        if (seen === undefined) continue
        compared++
        assert.deepEqual(seen, await seenByNode(changed), JSON.stringify(changed))
      }
    }
  }
  assert.ok(compared > 500, `${compared} were parsed`)
})

interface Seen {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

function seenBy(text: string, before?: ParsedHead): Seen | undefined {
  const found = parsed(text, before)
  if (found === undefined) return undefined
  const { method, url, headers } = found.head
  return { method, url, headers: { ...headers }, body: found.body.toString('latin1') }
}

/** Undefined where node sees no whole request, or anything behind it. */
async function seenByNode(text: string): Promise<Seen | undefined> {
  const seen: (Seen | undefined)[] = []
  const server = createServer(async req => {
    const { method, url, headers } = req
    const body = Buffer.concat(await req.toArray()).toString('latin1')
    seen.push({ method, url, headers: { ...headers }, body })
  })
  server.on('clientError', () => seen.push(undefined))
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
  server.emit('connection', socket)
  socket.push(Buffer.from(text, 'latin1'))
  for (let turns = 0; turns < 10 && seen.length === 0; turns++) await new Promise(resolve => setImmediate(resolve))
  socket.destroy()
  server.close()
  return seen.length === 1 ? seen[0] : undefined
}
