import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { parseRanges } from './address-ranges.ts'
import { connectsOf, listening, testDialer } from './receivers.fixture.ts'
import { readTarget, targetFault } from './target-policy.ts'

const https = { plainHttp: false, allow: parseRanges('') }
const http = { ...https, plainHttp: true }

/** Hosts that lead into the network where Millhand runs, or nowhere. */
const hosts = [
  // Loopback, in every way to write it that the URL standard knows
  ...['127.0.0.1', '127.1', '127.0.1', '127.255.255.254', '127.0.0.1.', '2130706433', '017700000001', '0x7f000001'],
  ...['0x7f.1', '0x7f.0.0.1', '0177.0.0.1', '0177.0x0.0.1', '00000177.1', '0x0000007F.0x1', '127.0.0x1', '1２7.0.0.1'],
  ...['１２７.0.0.1', '①②⑦.0.0.1', '127。0。0。1', '127.0.0%2e1', '%31%32%37.0.0.1', '%30%78%37%66.1'],
  ...['0.0.0.0', '0', '0x0', '00.0', '0.0.0.1', '0.255.255.255'],
  // Private and shared
  ...['10.0.0.1', '10.255.255.255', '012.0.0.1', '0xa.1', '167772161', '172.16.0.1', '172.31.255.255', '2886729729'],
  ...['192.168.0.1', '192.168.255.255', '0xc0a80001', '3232235521', '0300.0250.0.1', '192.168.257', '100.64.0.1'],
  '100.127.255.255',
  // Metadata
  ...['169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518', '169.16689662'],
  ...['169.254.170.2', '169.254.0.23', '100.100.100.200', '192.0.0.192', '168.63.129.16'],
  ...['[fd00:ec2::254]', '[fd20:ce::254]', '[::ffff:169.254.169.254]', '[64:ff9b::a9fe:a9fe]'],
  // What else is nobody's
  ...['192.0.0.8', '192.0.2.1', '192.31.196.1', '192.52.193.1', '192.88.99.1', '192.175.48.1', '198.18.0.1'],
  ...['198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255'],
  '4294967295',
  // IPv6
  ...['[::1]', '[0:0:0:0:0:0:0:1]', '[0000:0000::0001]', '[::0.0.0.1]', '[::]', '[0::0]', '[fe80::1]', '[fe80:0::a]'],
  ...['[febf::1]', '[fec0::1]', '[fc00::1]', '[fd12:3456:789a::1]', '[FD00::1]', '[ff02::1]', '[ff0e::1]', '[100::1]'],
  ...[
    '[100:0:0:1::1]',
    '[2001:db8::1]',
    '[3fff::1]',
    '[5f00::1]',
    '[2001:2::1]',
    '[2001:20::1]',
    '[4000::1]',
    '[e000::1]',
  ],
  '[2620:4f:8000::1]',
  // IPv4 within IPv6
  ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:7f00:0001]', '[::FFFF:10.0.0.1]', '[::ffff:8.8.8.8]'],
  ...['[::127.0.0.1]', '[::7f00:1]', '[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::10.0.0.1]'],
  ...['[64:ff9b:1::1]', '[64:ff9b:1:ffff::7f00:1]', '[2002:7f00:1::]', '[2002:a9fe:a9fe::1]', '[2002:808:808::1]'],
  ...['[2001::1]', '[2001:0:4136:e378:8000:63bf:3fff:fdd2]', '[2a00::5efe:7f00:1]', '[2a00:1:2:3:0:5efe:10.0.0.1]'],
  ...['[2a00:1:2:3:200:5efe:8.8.8.8]', '[2a00::200:5efe:0:0]'],
  // With a zone
  ...['[fe80::1%25eth0]', '[fe80::1%eth0]', '[::1%25lo]', '[2606:4700::1111%25eth0]'],
  // Names that no public DNS has
  ...['localhost', 'LOCALHOST', 'localhost.', 'sub.localhost', 'ⓛocalhost', 'printer.local', 'local', 'intranet'],
  ...['metadata', 'metadata.google.internal', 'instance-data.ec2.internal', 'db.internal', 'a.test', 'b.example'],
  ...[
    'c.invalid',
    'd.onion',
    'e.alt',
    'router.home.arpa',
    'example.com.',
    'kubernetes.default.svc.',
    '127.0.0.1.local',
  ],
  // No names at all
  ...[
    'a..example.com',
    '.example.com',
    '-a.example.com',
    `${'a'.repeat(64)}.com`,
    `${'abc.'.repeat(70)}com`,
    '*.a.com',
  ],
  ...["a'b.com", 'a,b.com', 'a;b.com', 'a(b).com', '256.256.256.256', '1.2.3.4.5', '0x7f.0.0.0.1', '127.0.0.08'],
]

/** URLs that are refused wherever they lead. */
const urls = [
  ...['', ' ', '/hook', '//example.com/', 'example.com', 'hooks.example.com:8443/a', 'https:', 'https://', 'https:///'],
  ...['https:example.com', 'https:/example.com', 'https:\\\\example.com', 'https://example.com\\@127.0.0.1/'],
  ...['ftp://example.com/', 'file:///etc/passwd', 'gopher://example.com/', 'ws://example.com/', 'javascript:alert(1)'],
  ...[
    'data:text/plain,a',
    'unix:/var/run/docker.sock',
    'http+unix://%2Fvar%2Frun%2Fdocker.sock/',
    'HTTPS//example.com',
  ],
  ...[' https://example.com/', 'https://example.com/ ', 'https://exa mple.com/', 'https://example.com/a b'],
  ...['https://example.com/\r\nhost: a', 'ht\ntps://example.com/', 'https://exam\tple.com/', 'https://example.com/\0'],
  ...['https://user@example.com/', 'https://user:secret@example.com/', 'https://:secret@example.com/'],
  ...['https://example.com@127.0.0.1/', 'https://127.0.0.1:80@example.com/', 'https://example.com%40127.0.0.1/'],
  ...['https://example.com/#', 'https://example.com/#a', 'https://example.com#@127.0.0.1/', 'https://example.com/?a#b'],
  ...[0, 1, 19, 22, 23, 25, 53, 110, 143, 389, 465, 587, 993, 2049, 5060, 6000, 6667, 10080].map(
    port => `https://example.com:${port}/`,
  ),
  ...[
    'https://example.com:65536/',
    'https://example.com:-1/',
    'https://example.com:a/',
    'https://example.com:443:443/',
  ],
  `https://example.com/${'a'.repeat(2_029)}`,
]

const allowed = [
  ...['https://example.com', 'https://example.com/', 'HTTPS://EXAMPLE.COM/A', 'https://example.com:443/a?b=c&d=%0a'],
  ...[
    'https://hooks.example.com:8443/a/b',
    'https://example.com:80/',
    'https://bücher.example.com/',
    'https://_a.b_c.com/',
  ],
  ...[
    'https://8.8.8.8/',
    'https://134744072/',
    'https://[2606:4700:4700::1111]/',
    'https://[2a00:1450:4001::1]:8443/a',
  ],
  ...['https://127.0.0.1.nip.io/', 'https://localhost.example.com/', 'https://internal.example.com/', 'https://a.b/'],
  ...['https://172.15.0.1/', 'https://172.32.0.1/', 'https://100.63.0.1/', 'https://100.128.0.1/', 'https://11.0.0.1/'],
  `https://example.com/${'a'.repeat(2_028)}`,
]

test(`${hosts.length + urls.length} URLs that are refused: none makes a connection`, async t => {
  const connects = connectsOf(t)
  const loopback = await listening(t, createServer(), '127.0.0.1')
  const dialer = testDialer(t, { allow: parseRanges('') })
  const all = [...hosts.flatMap(host => [`https://${host}/`, `http://${host}:${loopback.port}/`]), ...urls]
  for (const url of all) {
    assert.equal(typeof targetFault(url, http), 'string', url)
    const answer = await dialer.to(url)
    assert.equal(answer.kind === 'failed' && answer.code, 'address_refused', url)
  }
  assert.deepEqual([connects.length, loopback.accepted], [0, 0])
  assert.ok(hosts.length + urls.length >= 110)
})

test('what is public is not refused', () => {
  for (const url of allowed) assert.equal(targetFault(url, https), undefined, url)
})

test('plain http is refused but where it is allowed: to all, or to what the operator allows', () => {
  const fault = 'is not https'
  const allow = parseRanges('10.0.0.0/8, fd00::/8')
  assert.equal(targetFault('http://example.com/', https), fault)
  assert.equal(targetFault('http://8.8.8.8/', https), fault)
  assert.equal(targetFault('http://example.com/', http), undefined)
  assert.equal(targetFault('http://8.8.8.8/', { plainHttp: false, allow }), fault)
  assert.equal(targetFault('http://10.1.2.3/', { plainHttp: false, allow }), undefined)
  assert.equal(targetFault('http://[fd00::1]/', { plainHttp: false, allow }), undefined)
  // Where a name leads is seen when it is dialled.
  assert.equal(targetFault('http://example.com/', { plainHttp: false, allow }), undefined)
})

test('what the operator allows is allowed, in every way to write it, and nothing beside it', () => {
  const allow = parseRanges('127.0.0.0/8')
  for (const host of ['127.0.0.1', '2130706433', '0x7f.1', 'localhost', 'intranet', 'receiver.internal']) {
    assert.equal(targetFault(`http://${host}:8080/`, { plainHttp: false, allow }), undefined, host)
  }
  // A name that only this machine knows leads nowhere else.
  for (const host of ['intranet', 'example.com']) {
    const target = readTarget(`https://${host}/`, { plainHttp: true, allow })
    assert.ok('mayReach' in target)
    const reached = ['127.0.0.1', '8.8.8.8', '10.0.0.1'].map(address => target.mayReach([address]))
    assert.deepEqual(reached, [true, host !== 'intranet', false])
  }
  for (const host of ['10.0.0.1', '[::1]', '169.254.169.254']) {
    assert.equal(typeof targetFault(`https://${host}/`, { plainHttp: false, allow }), 'string', host)
  }
})

test('a URL says what is wrong with it', () => {
  const said = (url: string) => targetFault(url, https)
  assert.equal(said('example.com'), 'is not an absolute http or https URL')
  assert.equal(said('https://a:b@example.com/'), 'has credentials in it')
  assert.equal(said('https://example.com/#a'), 'has a fragment')
  assert.equal(said('https://example.com:25/'), 'has port 25, which is for something else than HTTP')
  assert.equal(said('https://10.0.0.1/'), 'has an address that is not public')
  assert.equal(said('https://localhost/'), 'has a name that is not public')
  assert.equal(said('https://a..com/'), 'has a host that is not a name or an address')
  assert.equal(said(`https://example.com/${'a'.repeat(2_048)}`), 'is longer than 2048 characters')
})
