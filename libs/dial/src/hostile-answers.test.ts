import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { manualClock } from '@millhand/process'
import type { PostResult } from './dialer.ts'
import { endless, listening, ok, PUBLIC, rawReceiver, testDialer } from './receivers.fixture.ts'

const codeOf = (answer: { kind: string; code?: string }) => answer.code ?? answer.kind

const broken: [string, string, (socket: Socket) => void][] = [
  ['a connection that is closed before the answer', 'reset', socket => socket.end()],
  ['a reset before the answer', 'reset', socket => socket.resetAndDestroy()],
  ['half a status line', 'reset', socket => socket.end('HTTP/1.1 2')],
  ['half a head', 'reset', socket => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n')],
  ['a 1xx and nothing more', 'reset', socket => socket.end('HTTP/1.1 100 Continue\r\n\r\n')],
  ['another protocol', 'protocol_error', socket => socket.write('SSH-2.0-OpenSSH_9.2\r\n')],
  ['zeros', 'protocol_error', socket => socket.write('\0'.repeat(1_000))],
  ['HTTP/0.9', 'protocol_error', socket => socket.write('<html>hello</html>\n')],
  ['a status that is none', 'protocol_error', socket => socket.write('HTTP/1.1 20 OK\r\n\r\n')],
  ['a length that is none', 'protocol_error', socket => socket.write('HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n')],
  [
    'two lengths',
    'protocol_error',
    socket => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n'),
  ],
  [
    'a length and chunks',
    'protocol_error',
    socket => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n'),
  ],
  ['a header over several lines', 'protocol_error', socket => socket.write('HTTP/1.1 200 OK\r\na: b\r\n c\r\n\r\n')],
  ['a header that is too long', 'protocol_error', socket => socket.write(ok('', `a: ${'b'.repeat(17_000)}`))],
  ['too many headers', 'protocol_error', socket => socket.write(ok('', ...Array(4_500).fill('ab: cd')))],
  [
    'headers without end',
    'protocol_error',
    socket => {
      socket.write('HTTP/1.1 200 OK\r\n')
      endless(socket, 'a: b\r\n')
    },
  ],
  ['empty lines without end', 'protocol_error', socket => endless(socket, '\r\n')],
  ['a status line without end', 'protocol_error', socket => endless(socket, 'HTTP/1.1 200 OK OK OK OK OK OK OK OK ')],
  ['early hints without end', 'protocol_error', socket => endless(socket, 'HTTP/1.1 103 Early Hints\r\na: b\r\n\r\n')],
  ['100 Continue without end', 'protocol_error', socket => endless(socket, 'HTTP/1.1 100 Continue\r\n\r\n')],
  [
    'a change of protocol',
    'protocol_error',
    socket => socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
  ],
  ['silence', 'timeout', () => {}],
  ['early hints and silence', 'timeout', socket => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n')],
  [
    'a head that comes byte by byte',
    'timeout',
    socket => {
      let n = 0
      const timer = setInterval(() => socket.write(ok('a'.repeat(1_000))[n++ % 40] ?? ''), 100)
      socket.once('close', () => clearInterval(timer))
    },
  ],
]

for (const [what, code, answer] of broken) {
  test(`${what}: the post fails by ${code}, and the connection ends`, async t => {
    const receiver = await rawReceiver(t, ({ socket }) => answer(socket))
    const dialer = testDialer(t, { timeoutMs: code === 'timeout' ? 1_500 : 300_000 })
    const failed = await dialer.to(receiver.url)
    assert.equal(codeOf(failed), code)
    assert.equal(receiver.accepted, 1)
    await receiver.downTo(0)
  })
}

test('silence is waited for 15 s where nobody says for how long', { timeout: 300_000 }, async t => {
  const heard = Promise.withResolvers<void>()
  const receiver = await rawReceiver(t, () => heard.resolve())
  const clock = manualClock()
  const dialer = testDialer(t, { clock })
  const answers: PostResult[] = []
  const posted = dialer.to(receiver.url).then(answer => answers.push(answer))
  await heard.promise
  await clock.advance(14_999)
  assert.equal(answers.length, 0)
  await clock.advance(1)
  await posted
  assert.deepEqual(
    answers.map(answer => [codeOf(answer), answer.ms]),
    [['timeout', 15_000]],
  )
})

const answered: [string, number, string, (socket: Socket) => void][] = [
  [
    'a 100 Continue that nobody asked for',
    200,
    'ok',
    socket => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${ok('ok')}`),
  ],
  [
    'early hints',
    204,
    '',
    socket => socket.write('HTTP/1.1 103 Early Hints\r\na: b\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n'),
  ],
  ['HTTP/1.0', 200, 'to the end', socket => socket.end('HTTP/1.0 200 OK\r\n\r\nto the end')],
  [
    'chunks',
    200,
    'abc',
    socket => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n'),
  ],
  ['half a body', 500, 'half', socket => socket.end('HTTP/1.1 500 Error\r\ncontent-length: 8\r\n\r\nhalf')],
  [
    'a reset within the body',
    200,
    'a',
    socket =>
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n', () => {
        setImmediate(() => socket.resetAndDestroy())
      }),
  ],
  [
    'chunks that are none',
    200,
    'a',
    socket => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\nzz\r\n'),
  ],
  ['a long body', 200, 'b'.repeat(4_096), socket => socket.write(ok('b'.repeat(1_000_000)))],
  [
    'a body without end',
    200,
    'c'.repeat(4_096),
    socket => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      endless(socket, 'c'.repeat(1_000))
    },
  ],
  [
    'a chunk without end',
    200,
    'd'.repeat(4_096),
    socket => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffffff\r\n')
      endless(socket, 'd'.repeat(1_000))
    },
  ],
  [
    'a body that comes a byte a second',
    202,
    'e',
    socket => {
      socket.write('HTTP/1.1 202 Accepted\r\ncontent-length: 100\r\n\r\ne')
    },
  ],
  ['more than was said', 200, 'ok', socket => socket.write(`${ok('ok')}HTTP/1.1 500 Error\r\n\r\n`)],
]

for (const [what, status, excerpt, answer] of answered) {
  test(`${what}: the status counts, and what came of the body`, async t => {
    const receiver = await rawReceiver(t, ({ socket }) => answer(socket))
    const got = await testDialer(t).to(receiver.url)
    assert.deepEqual(got, { kind: 'answered', status, excerpt, ms: got.ms })
  })
}

test('a redirect is an answer: it is not followed', async t => {
  const inside = await rawReceiver(t, ({ socket }) => socket.write(ok('inside')))
  for (const status of [301, 302, 303, 307, 308]) {
    const to = status === 307 ? inside.url : 'http://169.254.169.254/latest/meta-data/'
    const head = `HTTP/1.1 ${status} Moved\r\nlocation: ${to}\r\ncontent-length: 0\r\n\r\n`
    const receiver = await rawReceiver(t, ({ socket }) => socket.write(head))
    const answer = await testDialer(t).to(receiver.url)
    assert.deepEqual(answer, { kind: 'answered', status, excerpt: '', ms: answer.ms })
  }
  assert.equal(inside.accepted, 0)
})

test('an answer that comes before the post was read counts, and ends the connection', async t => {
  const server = createServer(socket => {
    socket.once('readable', () => socket.write(ok('no, thanks'))) // And never reads on.
  })
  const receiver = await listening(t, server)
  const answer = await testDialer(t).to(`http://${PUBLIC}:${receiver.port}/`, { body: Buffer.alloc(16 * 1024 * 1024) })
  assert.deepEqual(answer, { kind: 'answered', status: 200, excerpt: 'no, thanks', ms: answer.ms })
  for (const socket of receiver.open) socket.resume()
  await receiver.downTo(0)
})

test('the excerpt is well-formed text, whatever the bytes are', async t => {
  const bodies: [Buffer, string][] = [
    [Buffer.from('Grüße, 世界 🎉\0\r\n'), 'Grüße, 世界 🎉\0\r\n'],
    [Buffer.from([0x61, 0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80]), 'a\ufffd\ufffd(\ufffd\ufffd\ufffd'],
    [Buffer.from([0x61, 0xf0, 0x9f]), 'a\ufffd'],
    // Cut off in the middle of a character
    [Buffer.from(`${'a'.repeat(4_094)}🎉`), 'a'.repeat(4_094)],
    [Buffer.from(`${'a'.repeat(4_092)}🎉b`), `${'a'.repeat(4_092)}🎉`],
    [Buffer.from('\ufeffmark'), 'mark'],
  ]
  for (const [body, text] of bodies) {
    const receiver = await rawReceiver(t, ({ socket }) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`)
      socket.write(body)
    })
    const answer = await testDialer(t).to(receiver.url)
    assert.equal(answer.kind === 'answered' && answer.excerpt, text)
    assert.ok(answer.kind === 'answered' && answer.excerpt.isWellFormed())
  }
})

test('Retry-After is passed on as it is, unless it can be none', async t => {
  const date = 'Wed, 21 Oct 2026 07:28:00 GMT'
  for (const [sent, told] of [
    ['120', '120'],
    [date, date],
    ['soon', 'soon'],
    ['9'.repeat(65), undefined],
  ] as const) {
    const receiver = await rawReceiver(t, ({ socket }) =>
      socket.write(`HTTP/1.1 503 Busy\r\nretry-after: ${sent}\r\ncontent-length: 0\r\n\r\n`),
    )
    const answer = await testDialer(t).to(receiver.url)
    assert.equal(answer.kind === 'answered' && answer.retryAfter, told)
  }
})

test('a post says what it has to and nothing more', async t => {
  const heard: string[] = []
  const receiver = await rawReceiver(t, ({ socket, text }) => {
    heard.push(text)
    socket.write(ok('', 'set-cookie: a=b'))
  })
  const dialer = testDialer(t)
  const headers = { 'content-type': 'application/json', 'webhook-id': 'evt_1' }
  for (let n = 0; n < 2; n++) await dialer.to(receiver.url, { headers, body: Buffer.from('{}') })
  const host = receiver.url.slice('http://'.length, -'/hook?a=1'.length)
  const lines = [
    'POST /hook?a=1 HTTP/1.1',
    'content-type: application/json',
    'webhook-id: evt_1',
    `host: ${host}`,
    'content-length: 2',
    'Connection: keep-alive',
    '',
    '{}',
  ]
  assert.deepEqual(heard, [lines.join('\r\n'), lines.join('\r\n')])
})

test('headers that are none are a mistake of who posts, and nothing is sent', async t => {
  const heard: string[] = []
  const receiver = await rawReceiver(t, ({ socket, text }) => {
    heard.push(text)
    socket.write(ok())
  })
  const dialer = testDialer(t)
  for (const headers of [{ 'a\r\nb': 'c' }, { a: 'b\r\nhost: c' }, { 'a b': 'c' }]) {
    await assert.rejects(dialer.to(receiver.url, { headers }), TypeError)
  }
  assert.equal(codeOf(await dialer.to(receiver.url)), 'answered')
  assert.equal(heard.length, 1)
})
