import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  constants,
  createSecureServer,
  type Http2Session,
  type SecureServerOptions,
  type ServerHttp2Stream,
  sensitiveHeaders,
} from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import { type TestContext, test } from 'node:test'
import { createServer, type TLSSocket } from 'node:tls'
import { manualClock } from '@millhand/process'
import { type Certificate, createAuthority, opensslMissing } from '@millhand/test-servers'
import { connectsOf, listening, PUBLIC, testDialer } from './receivers.fixture.ts'

const skip = opensslMissing
const authority = skip ? undefined : createAuthority()
const { ca } = authority ?? { ca: '' }
const certificate: Certificate = authority?.issue([PUBLIC]) ?? { cert: '', key: '' }

const codeOf = (answer: { kind: string; code?: string }) => answer.code ?? answer.kind

interface Heard {
  readonly stream: ServerHttp2Stream
  readonly session: Http2Session
  readonly headers: Record<string, unknown>
  readonly body: string
  /** How many posts came before it: in all, and on this connection. */
  readonly before: number
  readonly beforeHere: number
}

/** A server of HTTP/2 that does with each post what it is told to. */
async function receiver(t: TestContext, onPost: (post: Heard) => void, options: SecureServerOptions = {}) {
  const server = createSecureServer({ ...certificate, maxSendHeaderBlockLength: 100_000, ...options })
  const posts = new Map<Http2Session, number>()
  let before = 0
  server.on('sessionError', () => {})
  server.on('stream', (stream, headers) => {
    const session = stream.session as Http2Session
    const beforeHere = posts.get(session) ?? 0
    posts.set(session, beforeHere + 1)
    const nth = before++
    let body = ''
    stream.on('error', () => {})
    stream.on('data', data => {
      body += data
    })
    stream.once('end', () => onPost({ stream, session, headers, body, before: nth, beforeHere }))
  })
  const listens = await listening(t, server)
  return Object.assign(listens, { url: `https://${PUBLIC}:${listens.port}/hook?a=1` })
}

const answer = ({ stream }: Heard, text = 'ok') => {
  stream.respond({ ':status': 200 })
  stream.end(text)
}

test('a post over HTTP/2 says what it has to, and is answered', { skip }, async t => {
  const heard: Heard[] = []
  const { url, port } = await receiver(t, post => {
    heard.push(post)
    post.stream.respond({ ':status': 429, 'retry-after': '7', 'set-cookie': ['a=b'] })
    post.stream.end('later')
  })
  const got = await testDialer(t, { ca }).to(url)
  assert.deepEqual(got, { kind: 'answered', status: 429, retryAfter: '7', excerpt: 'later', ms: got.ms })
  const [post] = heard
  assert.deepEqual(
    { ...post?.headers, body: post?.body },
    {
      [sensitiveHeaders]: [],
      ':method': 'POST',
      ':scheme': 'https',
      ':authority': `${PUBLIC}:${port}`,
      ':path': '/hook?a=1',
      'content-type': 'application/json',
      'content-length': '14',
      body: '{"id":"evt_1"}',
    },
  )
})

test('posts go beside each other on one connection, and no two partitions share one', { skip }, async t => {
  const held: Heard[] = []
  const all = await receiver(t, post => {
    if (post.beforeHere === 0) return answer(post)
    held.push(post)
    if (held.length === 20) for (const each of held) answer(each)
  })
  const dialer = testDialer(t, { ca })
  for (const partition of ['a', 'b']) await dialer.to(all.url, { partition })
  const partitions = Array.from({ length: 20 }, (_, n) => (n < 10 ? 'a' : 'b'))
  const answers = await Promise.all(partitions.map(partition => dialer.to(all.url, { partition })))
  assert.deepEqual(answers.map(codeOf), Array(20).fill('answered'))
  assert.equal(all.accepted, 2)
})

test('a server that takes one post at a time gets one at a time on each connection', { skip }, async t => {
  const underWay = new Map<Http2Session, number>()
  const one = await receiver(
    t,
    post => {
      const count = (underWay.get(post.session) ?? 0) + 1
      underWay.set(post.session, count)
      assert.equal(count, 1)
      setImmediate(() => {
        underWay.set(post.session, 0)
        answer(post)
      })
    },
    { settings: { maxConcurrentStreams: 1 } },
  )
  const dialer = testDialer(t, { ca, maxSocketsPerPartition: 2 })
  const answers = await Promise.all(Array.from({ length: 20 }, () => dialer.to(one.url)))
  assert.deepEqual(answers.map(codeOf), Array(20).fill('answered'))
  assert.equal(one.accepted, 2)
})

test('a connection that takes no more is not waited for', { skip }, async t => {
  let held: Heard | undefined
  const options = { settings: { maxConcurrentStreams: 1 } }
  const one = await receiver(
    t,
    post => {
      if (post.before === 1) held = post
      else answer(post)
      if (post.before === 2 && held !== undefined) answer(held)
    },
    options,
  )
  const dialer = testDialer(t, { ca })
  await dialer.to(one.url)
  const answers = await Promise.all([dialer.to(one.url), dialer.to(one.url)])
  assert.deepEqual([...answers.map(codeOf), one.accepted], ['answered', 'answered', 2])
})

test('a server that takes no posts has its time, and no more', { skip }, async t => {
  const none = await receiver(t, () => assert.fail('it was posted'), { settings: { maxConcurrentStreams: 0 } })
  assert.equal(codeOf(await testDialer(t, { ca, timeoutMs: 300 }).to(none.url)), 'timeout')
  await none.downTo(0)
})

const { NGHTTP2_NO_ERROR, NGHTTP2_CANCEL, NGHTTP2_INTERNAL_ERROR, NGHTTP2_REFUSED_STREAM, NGHTTP2_ENHANCE_YOUR_CALM } =
  constants

test('a post that the server says it has not begun is made again, once', { skip }, async t => {
  const refusing = await receiver(t, post =>
    post.before === 0 ? post.stream.close(NGHTTP2_REFUSED_STREAM) : answer(post),
  )
  assert.equal(codeOf(await testDialer(t, { ca }).to(refusing.url)), 'answered')
  assert.equal(refusing.accepted, 2)
  const always = await receiver(t, ({ stream }) => stream.close(NGHTTP2_REFUSED_STREAM))
  assert.equal(codeOf(await testDialer(t, { ca }).to(always.url)), 'reset')
  assert.equal(always.accepted, 2)
})

test('a post beyond the last that a leaving server reads is made again', { skip }, async t => {
  for (const code of [NGHTTP2_NO_ERROR, NGHTTP2_ENHANCE_YOUR_CALM]) {
    const leaving = await receiver(t, post =>
      post.before === 1 ? post.session.goaway(code, (post.stream.id as number) - 2) : answer(post),
    )
    const dialer = testDialer(t, { ca })
    await dialer.to(leaving.url)
    assert.equal(codeOf(await dialer.to(leaving.url)), 'answered')
    assert.equal(leaving.accepted, 2)
  }
})

test('a server that leaves answers what it has begun, and gets no more', { skip }, async t => {
  const leaving = await receiver(t, post => {
    post.session.close() // Which says so first.
    setImmediate(() => answer(post))
  })
  const dialer = testDialer(t, { ca })
  for (let n = 0; n < 5; n++) assert.equal(codeOf(await dialer.to(leaving.url)), 'answered')
  assert.equal(leaving.accepted, 5)
  await leaving.downTo(0)
})

test('a server that leaves and never closes is left', { skip }, async t => {
  const made = connectsOf(t)
  const leaving = await receiver(t, post => {
    post.session.goaway(NGHTTP2_NO_ERROR, post.stream.id as number)
    setImmediate(() => answer(post))
  })
  const dialer = testDialer(t, { ca })
  assert.equal(codeOf(await dialer.to(leaving.url)), 'answered')
  await dialer.close()
  assert.deepEqual(
    made.map(({ closed }) => closed),
    [true],
  )
})

test('a kept connection that closes before a byte of the answers is no failure for any of its posts', {
  skip,
}, async t => {
  let waiting = 0
  const closing = await receiver(t, post => {
    if (post.before === 0) return answer(post)
    if (post.before > 5) return answer(post)
    if (++waiting === 5) post.session.destroy()
  })
  const dialer = testDialer(t, { ca })
  await dialer.to(closing.url)
  const answers = await Promise.all(Array.from({ length: 5 }, () => dialer.to(closing.url)))
  assert.deepEqual(answers.map(codeOf), Array(5).fill('answered'))
})

const broken: [string, string, (post: Heard) => void][] = [
  ['a stream that is reset', 'reset', ({ stream }) => stream.close(NGHTTP2_INTERNAL_ERROR)],
  ['a stream that is cancelled', 'reset', ({ stream }) => stream.close(NGHTTP2_CANCEL)],
  ['a stream that is closed without an answer', 'reset', ({ stream }) => stream.close(NGHTTP2_NO_ERROR)],
  ['a connection that is closed', 'reset', ({ session }) => session.destroy()],
  ['a connection that is given up for an error', 'reset', ({ session }) => session.goaway(NGHTTP2_INTERNAL_ERROR)],
  [
    'a head that is too long',
    'protocol_error',
    ({ stream }) => stream.respond({ ':status': 200, a: 'b'.repeat(70_000) }),
  ],
  [
    'too many headers',
    'protocol_error',
    ({ stream }) =>
      stream.respond({ ':status': 200, ...Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`a${n}`, 'b'])) }),
  ],
  [
    'early hints without end',
    'protocol_error',
    ({ stream }) => {
      for (let n = 0; n < 1_000 && !stream.destroyed; n++) stream.additionalHeaders({ ':status': 103, a: 'b' })
    },
  ],
  ['silence', 'timeout', () => {}],
  ['early hints and silence', 'timeout', ({ stream }) => stream.additionalHeaders({ ':status': 103 })],
]

for (const [what, code, act] of broken) {
  test(`over HTTP/2, ${what}: the post fails by ${code}`, { skip }, async t => {
    const server = await receiver(t, act)
    const dialer = testDialer(t, { ca, timeoutMs: code === 'timeout' ? 300 : 15_000 })
    assert.equal(codeOf(await dialer.to(server.url)), code)
    assert.equal(server.accepted, 1)
    await dialer.close()
    await server.downTo(0)
  })
}

const counts: [string, string, (post: Heard) => void][] = [
  ['a long body', 'b'.repeat(4_096), post => answer(post, 'b'.repeat(1_000_000))],
  [
    'a body that breaks off',
    'half',
    ({ stream }) => {
      stream.respond({ ':status': 200, 'content-length': 8 })
      stream.write('half', () => setImmediate(() => stream.close(NGHTTP2_INTERNAL_ERROR)))
    },
  ],
  [
    'a body that does not end',
    'c',
    ({ stream }) => {
      stream.respond({ ':status': 200 })
      stream.write('c')
    },
  ],
  [
    'early hints and trailers',
    'd',
    ({ stream }) => {
      stream.additionalHeaders({ ':status': 103, a: 'b' })
      stream.respond({ ':status': 200 }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ a: 'b' }))
      stream.end('d')
    },
  ],
]

for (const [what, excerpt, act] of counts) {
  test(`over HTTP/2, ${what}: the status counts, and the connection goes on`, { skip }, async t => {
    const streams: ServerHttp2Stream[] = []
    const server = await receiver(t, post => {
      streams.push(post.stream)
      return post.before === 0 ? act(post) : answer(post)
    })
    const dialer = testDialer(t, { ca })
    const got = await dialer.to(server.url)
    assert.deepEqual(got, { kind: 'answered', status: 200, excerpt, ms: got.ms })
    assert.equal(codeOf(await dialer.to(server.url)), 'answered')
    assert.equal(server.accepted, 1)
    for (const stream of streams) if (!stream.closed) await new Promise(resolve => stream.once('close', resolve))
  })
}

test('an answer before all of the post was read counts', { skip }, async t => {
  const server = createSecureServer(certificate)
  server.on('stream', stream => {
    stream.on('error', () => {})
    stream.respond({ ':status': 413 })
    stream.end('too much') // And never reads.
  })
  const { port } = await listening(t, server)
  const got = await testDialer(t, { ca }).to(`https://${PUBLIC}:${port}/`, { body: Buffer.alloc(4 * 1024 * 1024) })
  assert.deepEqual(got, { kind: 'answered', status: 413, excerpt: 'too much', ms: got.ms })
})

test('a connection on which an answer did not come in time gets no more posts', { skip }, async t => {
  const server = await receiver(t, post => (post.before === 1 ? undefined : answer(post)))
  const dialer = testDialer(t, { ca, timeoutMs: 500 })
  const codes = []
  for (let n = 0; n < 3; n++) codes.push(codeOf(await dialer.to(server.url)))
  assert.deepEqual([codes, server.accepted], [['answered', 'timeout', 'answered'], 2])
  await server.downTo(1)
})

test('a connection that is idle for some seconds is closed', { skip }, async t => {
  const clock = manualClock()
  const server = await receiver(t, post => answer(post))
  const dialer = testDialer(t, { ca, clock })
  await dialer.to(server.url)
  await clock.advance(4_500)
  await server.downTo(0)
})

test('what agrees to HTTP/2 and does not speak it is a failure', { skip }, async t => {
  const talks: [string, (socket: TLSSocket) => void][] = [
    ['protocol_error', socket => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['protocol_error', socket => socket.write(Buffer.alloc(100, 255))],
    ['reset', socket => socket.end()],
    ['timeout', () => {}],
  ]
  for (const [code, talk] of talks) {
    const server = createServer({ ...certificate, ALPNProtocols: ['h2'] }, socket => {
      socket.on('error', () => {})
      talk(socket.resume())
    })
    const { port, downTo } = await listening(t, server)
    const dialer = testDialer(t, { ca, timeoutMs: code === 'timeout' ? 300 : 15_000 })
    assert.equal(codeOf(await dialer.to(`https://${PUBLIC}:${port}/`)), code)
    await downTo(0)
  }
})

test('a server that has both protocols is spoken to in HTTP/2, one that has HTTP/1.1 alone in that', {
  skip,
}, async t => {
  for (const allowHTTP1 of [true, false]) {
    const versions: string[] = []
    const server = allowHTTP1
      ? createSecureServer({ ...certificate, allowHTTP1 })
      : createHttpsServer({ ...certificate })
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      versions.push(request.httpVersion)
      request.resume()
      response.end('ok')
    })
    const { port } = await listening(t, server)
    await testDialer(t, { ca }).to(`https://${PUBLIC}:${port}/`)
    assert.deepEqual(versions, [allowHTTP1 ? '2.0' : '1.1'])
  }
})
