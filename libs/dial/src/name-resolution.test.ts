import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { manualClock, systemClock } from '@millhand/process'
import { parseRanges } from './address-ranges.ts'
import { lookupFailure } from './dialer.ts'
import { addresses, type DnsServer, dnsServer, type Question, type Reply } from './dns-server.fixture.ts'
import { connectsOf, listening, ok, PUBLIC, rawReceiver, testDialer } from './receivers.fixture.ts'
import { createResolver } from './resolver.ts'

const NAME = 'hooks.example.com'
const LOOPBACK = '127.0.0.1'

/** A DNS server that knows one name. */
const knows = (t: TestContext, reply: (question: Question) => Reply): Promise<DnsServer> =>
  dnsServer(t, question => (question.name === NAME ? reply(question) : { rcode: 'NXDOMAIN' }))

const codeOf = (answer: { kind: string; code?: string }) => answer.code ?? answer.kind

test('a name is looked up, and posted to at its address, under its own name', async t => {
  const heard: string[] = []
  const receiver = await rawReceiver(t, ({ socket, text }) => {
    heard.push(text)
    socket.write(ok())
  })
  const dns = await knows(t, question => addresses(question, [PUBLIC]))
  const dialer = testDialer(t, { servers: [dns.address] })
  assert.equal(codeOf(await dialer.to(`http://${NAME}:${receiver.port}/a?b=c`)), 'answered')
  assert.match(heard[0] ?? '', /^POST \/a\?b=c HTTP\/1\.1\r\n/)
  assert.match(heard[0] ?? '', new RegExp(`\r\nhost: ${NAME}:${receiver.port}\r\n`, 'i'))
})

test('a name that leads elsewhere the second time is refused there, and nothing connects', async t => {
  const loopback = await listening(t, createServer(), LOOPBACK)
  const receiver = await rawReceiver(t, ({ socket }) => socket.end(ok('', 'connection: close')))
  const dns = await knows(t, question => addresses(question, [question.before === 0 ? PUBLIC : LOOPBACK], 0))
  const dialer = testDialer(t, { servers: [dns.address] })
  const connects = connectsOf(t)
  // The same port at both addresses, so that each post could go to either.
  assert.equal(codeOf(await dialer.to(`http://${NAME}:${receiver.port}/`)), 'answered')
  assert.equal(connects.length, 1)
  for (const port of [receiver.port, loopback.port]) {
    assert.equal(codeOf(await dialer.to(`http://${NAME}:${port}/`)), 'address_refused')
  }
  assert.deepEqual([connects.length, loopback.accepted], [1, 0])
})

test('a post connects to the address that was checked: there is no second look-up', async t => {
  const loopback = await listening(t, createServer(), LOOPBACK)
  const dns = await knows(t, question => addresses(question, [question.before === 0 ? PUBLIC : LOOPBACK], 0))
  // Nobody listens there at the public address: only who looks up again can reach the server.
  const answer = await testDialer(t, { servers: [dns.address] }).to(`http://${NAME}:${loopback.port}/`)
  assert.equal(codeOf(answer), 'connect_failed')
  assert.equal(dns.asked.filter(({ name, type }) => name === NAME && type === 'A').length, 1)
  assert.equal(loopback.accepted, 0)
})

test('what the socket says it is connected to counts, whatever was dialled', async t => {
  const loopback = await listening(
    t,
    createServer(socket => socket.resume()),
    LOOPBACK,
  )
  // Linux takes 0.0.0.0 for 127.0.0.1.
  const answer = await testDialer(t, { allow: parseRanges('0.0.0.0') }).to(`http://0.0.0.0:${loopback.port}/`)
  assert.equal(codeOf(answer), 'address_refused')
  await loopback.downTo(0)
})

const leadsInside: [string, (question: Question) => Reply][] = [
  ['an address that is not public', question => addresses(question, [LOOPBACK])],
  ['a public and another address at once', question => addresses(question, [PUBLIC, LOOPBACK])],
  ['another address that comes first', question => addresses(question, [LOOPBACK, PUBLIC])],
  ['a public IPv4 and another IPv6 address', question => addresses(question, [PUBLIC, '::1'])],
  ['0.0.0.0', question => addresses(question, ['0.0.0.0'])],
  ['metadata', question => addresses(question, ['169.254.169.254'])],
  ['metadata over IPv6', question => addresses(question, ['fd00:ec2::254'])],
  ['an IPv4-mapped address', question => addresses(question, ['::ffff:127.0.0.1'])],
  ['an IPv4-mapped address in hexadecimal', question => addresses(question, ['::ffff:7f00:1'])],
  ['NAT64', question => addresses(question, ['64:ff9b::7f00:1'])],
  ['6to4', question => addresses(question, ['2002:7f00:1::1'])],
  ['link-local IPv6', question => addresses(question, ['fe80::1'])],
  [
    'an alias of an alias of an address inside',
    ({ name, type }) => ({
      answers: [
        { name, type: 'CNAME', ttl: 60, data: 'a.example.net' },
        { name: 'a.example.net', type: 'CNAME', ttl: 60, data: 'localhost' },
        ...(type === 'A' ? [{ name: 'localhost', type, ttl: 60, data: LOOPBACK }] : []),
      ],
    }),
  ],
]

for (const [what, reply] of leadsInside) {
  test(`a name is refused that leads to ${what}`, async t => {
    const loopback = await listening(t, createServer(), LOOPBACK)
    const dns = await knows(t, reply)
    const connects = connectsOf(t)
    const dialer = testDialer(t, { servers: [dns.address] })
    for (const scheme of ['http', 'https']) {
      assert.equal(codeOf(await dialer.to(`${scheme}://${NAME}:${loopback.port}/`)), 'address_refused')
    }
    assert.deepEqual([connects.length, loopback.accepted], [0, 0])
  })
}

test('an alias of a name that is allowed is followed', async t => {
  const receiver = await rawReceiver(t, ({ socket }) => socket.write(ok()))
  const dns = await knows(t, ({ name, type }) => ({
    answers: [
      { name, type: 'CNAME', ttl: 60, data: 'a.example.net' },
      ...(type === 'A' ? [{ name: 'a.example.net', type, ttl: 60, data: PUBLIC }] : []),
    ],
  }))
  const answer = await testDialer(t, { servers: [dns.address] }).to(`http://${NAME}:${receiver.port}/`)
  assert.equal(codeOf(answer), 'answered')
})

test('plain http to a name is refused where only what the operator allows may have it', async t => {
  const receiver = await rawReceiver(t, ({ socket }) => socket.write(ok()))
  const dns = await knows(t, question => addresses(question, [question.type === 'A' ? '8.8.8.8' : '2a00::1']))
  const connects = connectsOf(t)
  const dialer = testDialer(t, { servers: [dns.address] })
  const answer = await dialer.to(`http://${NAME}:${receiver.port}/`, { plainHttp: false })
  assert.deepEqual([codeOf(answer), connects.length], ['address_refused', 0])
  const inside = await knows(t, question => addresses(question, [PUBLIC]))
  const allowed = testDialer(t, { servers: [inside.address] })
  assert.equal(codeOf(await allowed.to(`http://${NAME}:${receiver.port}/`, { plainHttp: false })), 'answered')
})

const ofTheName: [string, (question: Question) => Reply][] = [
  ['does not exist', () => ({ rcode: 'NXDOMAIN' })],
  ['has no address', () => ({})],
  ['has servers that fail', ({ name }) => (name === NAME ? { rcode: 'SERVFAIL' } : {})],
  ['has servers that are silent', ({ name }) => (name === NAME ? 'silent' : {})],
  ['has servers that refuse', ({ name }) => (name === NAME ? { rcode: 'REFUSED' } : {})],
]

for (const [what, reply] of ofTheName) {
  test(`a name that ${what} is the endpoint's failure`, async t => {
    const dns = await dnsServer(t, reply)
    const answer = await testDialer(t, { servers: [dns.address] }).to(`https://${NAME}/`)
    assert.equal(codeOf(answer), 'dns_failed')
  })
}

const ofOurs: [string, (question: Question) => Reply][] = [
  ['is silent', () => 'silent'],
  ['is cut off', () => ({ rcode: 'SERVFAIL' })],
  ['refuses everybody', () => ({ rcode: 'REFUSED' })],
]

for (const [what, reply] of ofOurs) {
  test(`a resolver that ${what} is not the endpoint's failure`, async t => {
    const dns = await dnsServer(t, reply)
    const answer = await testDialer(t, { servers: [dns.address] }).to(`https://${NAME}/`)
    assert.equal(codeOf(answer), 'dns_unavailable')
  })
}

test("a resolver that is not there is not the endpoint's failure", async t => {
  const { port } = await listening(t, createServer(), LOOPBACK) // So no UDP there but a port that is taken.
  const answer = await testDialer(t, { servers: [`127.0.0.1:${port}`] }).to(`https://${NAME}/`)
  assert.equal(codeOf(answer), 'dns_unavailable')
})

test('while one name has servers that fail, others are posted to', async t => {
  const receiver = await rawReceiver(t, ({ socket }) => socket.write(ok()))
  const dns = await dnsServer(t, question =>
    question.name === NAME ? addresses(question, [PUBLIC]) : { rcode: question.name === '.' ? 'NXDOMAIN' : 'SERVFAIL' },
  )
  const dialer = testDialer(t, { servers: [dns.address] })
  const failing = dialer.to('https://broken.example.com/')
  assert.equal(codeOf(await dialer.to(`http://${NAME}:${receiver.port}/`)), 'answered')
  assert.equal(codeOf(await failing), 'dns_failed')
})

test("a name of the machine's own that can't be looked up is the endpoint's failure only while others can be", async t => {
  const failing = (code: string) => Object.assign(new Error(), { code })
  const resolver = async (reply: () => Reply) => {
    const { address } = await dnsServer(t, reply)
    const opened = createResolver({ clock: systemClock, servers: [address], timeoutMs: 50 })
    t.after(() => opened.close())
    return opened
  }
  const [works, cutOff] = [await resolver(() => ({})), await resolver(() => ({ rcode: 'SERVFAIL' }))]
  const codes = await Promise.all([
    lookupFailure(failing('ENOTFOUND'), cutOff),
    lookupFailure(failing('EAI_AGAIN'), works),
    lookupFailure(failing('EAI_AGAIN'), cutOff),
  ])
  assert.deepEqual(
    codes.map(({ code }) => code),
    ['dns_failed', 'dns_failed', 'dns_unavailable'],
  )
})

test('an answer that is too long for UDP is asked for again over TCP', async t => {
  const receiver = await rawReceiver(t, ({ socket }) => socket.write(ok()))
  const dns = await knows(t, question =>
    question.over === 'udp' ? { truncated: true } : addresses(question, [PUBLIC, PUBLIC]),
  )
  const answer = await testDialer(t, { servers: [dns.address] }).to(`http://${NAME}:${receiver.port}/`)
  assert.equal(codeOf(answer), 'answered')
  assert.ok(dns.asked.some(({ over }) => over === 'tcp'))
})

test('a family that is not answered is not waited for', async t => {
  for (const silent of ['A', 'AAAA']) {
    const dns = await knows(t, question =>
      question.type === silent ? 'silent' : addresses(question, [PUBLIC, '2a00::1']),
    )
    const resolver = createResolver({ clock: systemClock, servers: [dns.address], timeoutMs: 60_000 })
    t.after(() => resolver.close())
    assert.deepEqual(await resolver.addresses(NAME), [silent === 'A' ? '2a00::1' : PUBLIC])
  }
})

test('the next address is tried when one does not answer', async t => {
  const receiver = await rawReceiver(t, ({ socket }) => socket.write(ok()))
  const dns = await knows(t, question => addresses(question, ['127.0.0.3', '127.0.0.4', PUBLIC]))
  const dialer = testDialer(t, { servers: [dns.address], allow: parseRanges('127.0.0.0/8') })
  assert.equal(codeOf(await dialer.to(`http://${NAME}:${receiver.port}/`)), 'answered')
})

test('a name with hundreds of addresses has a few of them dialled', async t => {
  const many = Array.from({ length: 200 }, (_, n) => `127.0.1.${n}`)
  const dns = await knows(t, question => (question.over === 'udp' ? { truncated: true } : addresses(question, many)))
  const dialer = testDialer(t, { servers: [dns.address], allow: parseRanges('127.0.0.0/8') })
  const connects = connectsOf(t)
  const { port } = await listening(t, createServer())
  assert.equal(codeOf(await dialer.to(`http://${NAME}:${port}/`)), 'connect_failed')
  assert.equal(connects.length, 6)
})

test('an answer is kept for its TTL, but no longer than 30 s', async t => {
  const clock = manualClock()
  const dns = await dnsServer(t, question =>
    addresses(question, [PUBLIC], question.name.startsWith('short') ? 5 : 86_400),
  )
  const resolver = createResolver({ clock, servers: [dns.address] })
  t.after(() => resolver.close())
  const asked = async (name: string) => {
    await Promise.all([resolver.addresses(name), resolver.addresses(name)])
    return dns.asked.filter(question => question.name === name && question.type === 'A').length
  }
  assert.deepEqual([await asked('short.example.com'), await asked('long.example.com')], [1, 1])
  await clock.advance(4_999)
  assert.deepEqual([await asked('short.example.com'), await asked('long.example.com')], [1, 1])
  await clock.advance(1)
  assert.deepEqual([await asked('short.example.com'), await asked('long.example.com')], [2, 1])
  await clock.advance(25_000)
  assert.equal(await asked('long.example.com'), 2)
})

test('an answer with a TTL of 0 is for those who wait for it, and what fails is asked for again', async t => {
  const dns = await dnsServer(t, question =>
    question.name === NAME ? addresses(question, [PUBLIC], 0) : { rcode: 'NXDOMAIN' },
  )
  const resolver = createResolver({ clock: systemClock, servers: [dns.address] })
  t.after(() => resolver.close())
  for (const name of [NAME, 'none.example.com']) {
    for (let n = 0; n < 3; n++) await Promise.allSettled([resolver.addresses(name), resolver.addresses(name)])
    assert.equal(dns.asked.filter(question => question.name === name && question.type === 'A').length, 3, name)
  }
})

test('an answer of very many addresses is not kept: names of such answers would fill the memory', async t => {
  const many = Array.from({ length: 65 }, (_, n) => `127.0.1.${n}`)
  const dns = await dnsServer(t, question =>
    question.over === 'udp' ? { truncated: true } : addresses(question, question.name === NAME ? many.slice(1) : many),
  )
  const resolver = createResolver({ clock: systemClock, servers: [dns.address] })
  t.after(() => resolver.close())
  for (const [name, times] of [
    [NAME, 1],
    ['many.example.com', 2],
  ] as const) {
    await resolver.addresses(name)
    await resolver.addresses(name)
    const asked = dns.asked.filter(({ name: of, type, over }) => of === name && type === 'A' && over === 'tcp')
    assert.equal(asked.length, times, name)
  }
})

test("the machine's own names are for what the operator allows", async t => {
  const receiver = await rawReceiver(t, ({ socket }) => socket.write(ok()))
  const local = await listening(
    t,
    createServer(socket => socket.end(ok('', 'connection: close'))),
    LOOPBACK,
  )
  const url = (port: number) => `http://localhost:${port}/`
  assert.equal(codeOf(await testDialer(t, { allow: parseRanges('') }).to(url(local.port))), 'address_refused')
  assert.equal(codeOf(await testDialer(t, { allow: parseRanges('10.0.0.0/8') }).to(url(local.port))), 'address_refused')
  assert.deepEqual([local.accepted, receiver.accepted], [0, 0])
  const dialer = testDialer(t, { allow: parseRanges('127.0.0.0/8,::1') })
  assert.equal(codeOf(await dialer.to(url(local.port))), 'answered')
})
