import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { createAuthority, opensslMissing } from '@millhand/test-servers'
import { addresses, dnsServer } from './dns-server.fixture.ts'
import { listening, ok, PUBLIC, rawReceiver, testDialer } from './receivers.fixture.ts'

const skip = opensslMissing
const authority = skip ? undefined : createAuthority()
const { ca } = authority ?? { ca: '' }
const issue = (hosts: readonly string[], days?: number) => authority?.issue(hosts, days) ?? assert.fail()

const NAME = 'hooks.example.com'
const codeOf = (answer: { kind: string; code?: string }) => answer.code ?? answer.kind
const messageOf = (answer: { kind: string; message?: string }) => answer.message ?? answer.kind

test('a certificate that an authority gave for the name is good, and the name is sent', { skip }, async t => {
  const names: (string | false)[] = []
  const receiver = await rawReceiver(
    t,
    ({ socket }) => {
      names.push((socket as { servername?: string | false }).servername ?? false)
      socket.write(ok())
    },
    issue([NAME]),
  )
  const dns = await dnsServer(t, question => addresses(question, [PUBLIC]))
  const dialer = testDialer(t, { ca, servers: [dns.address] })
  for (let n = 0; n < 3; n++) assert.equal(codeOf(await dialer.to(`https://${NAME}:${receiver.port}/`)), 'answered')
  assert.deepEqual([receiver.accepted, names], [1, [NAME, NAME, NAME]])
})

test('a certificate for an address is good for the address', { skip }, async t => {
  const receiver = await rawReceiver(t, ({ socket }) => socket.write(ok()), issue([PUBLIC]))
  assert.equal(codeOf(await testDialer(t, { ca }).to(receiver.url)), 'answered')
})

const bad: [string, string, () => { cert: string; key: string }][] = [
  ['for another name', 'the certificate is for another name', () => issue(['example.com', '*.hooks.example.com'])],
  ['for an address', 'the certificate is for another name', () => issue([PUBLIC])],
  ['that has expired', 'the certificate has expired', () => issue([NAME], -1)],
  [
    'of an unknown authority',
    'the certificate is from an authority that is not known, or the one between was not sent',
    () => createAuthority().issue([NAME]),
  ],
]

for (const [what, message, certificate] of bad) {
  test(`a certificate ${what} is refused, and nothing is sent`, { skip }, async t => {
    const receiver = await rawReceiver(t, () => assert.fail('it was posted'), certificate())
    const dns = await dnsServer(t, question => addresses(question, [PUBLIC]))
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    t.after(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED)
    const answer = await testDialer(t, { ca, servers: [dns.address] }).to(`https://${NAME}:${receiver.port}/`)
    assert.deepEqual([codeOf(answer), messageOf(answer)], ['tls_failed', message])
    await receiver.downTo(0)
  })
}

test('TLS 1.1 is refused', { skip }, async t => {
  const old = { ...issue([PUBLIC]), minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' } as const
  const receiver = await rawReceiver(t, () => assert.fail('it was posted'), old)
  assert.equal(codeOf(await testDialer(t, { ca }).to(receiver.url)), 'tls_failed')
})

test('an endpoint that wants a certificate of ours fails by tls_failed', { skip }, async t => {
  const receiver = await rawReceiver(t, () => assert.fail('it was posted'), {
    ...issue([PUBLIC]),
    requestCert: true,
    rejectUnauthorized: true,
  })
  assert.equal(codeOf(await testDialer(t, { ca }).to(receiver.url)), 'tls_failed')
})

const silent: [string, string, (socket: Socket) => void][] = [
  ['speaks plain HTTP', 'tls_failed', socket => socket.once('data', () => socket.write(ok()))],
  ['closes', 'tls_failed', socket => socket.end()],
  ['resets', 'tls_failed', socket => socket.once('data', () => socket.resetAndDestroy())],
  ['is silent', 'timeout', () => {}],
]

for (const [what, code, talk] of silent) {
  test(`a server that ${what} where TLS was asked for`, async t => {
    const server = createServer(talk)
    const { port, open, downTo } = await listening(t, server)
    const dialer = testDialer(t, { timeoutMs: code === 'timeout' ? 300 : 15_000 })
    assert.equal(codeOf(await dialer.to(`https://${PUBLIC}:${port}/`)), code)
    for (const socket of open) socket.resume()
    await downTo(0)
  })
}

test('a kept connection over TLS that closes before a byte of the answer is no failure', { skip }, async t => {
  const receiver = await rawReceiver(
    t,
    ({ socket, beforeHere }) => (beforeHere === 0 ? socket.write(ok()) : socket.destroy()),
    issue([PUBLIC]),
  )
  const dialer = testDialer(t, { ca })
  for (let n = 0; n < 5; n++) assert.equal(codeOf(await dialer.to(receiver.url)), 'answered')
  assert.equal(receiver.accepted, 5)
})

test('a kept connection over TLS that closes within the answer is a failure', { skip }, async t => {
  const receiver = await rawReceiver(
    t,
    ({ socket, beforeHere }) => (beforeHere === 0 ? socket.write(ok()) : socket.end('HTTP')),
    issue([PUBLIC]),
  )
  const dialer = testDialer(t, { ca })
  await dialer.to(receiver.url)
  assert.equal(codeOf(await dialer.to(receiver.url)), 'reset')
  assert.equal(receiver.accepted, 1)
})
