import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import os from 'node:os'
import { type TestContext, test } from 'node:test'
import { systemClock } from '@millhand/process'
import { parseRanges } from './address-ranges.ts'
import { addresses, dnsServer } from './dns-server.fixture.ts'
import { connectFirst } from './happy-eyeballs.ts'
import { connectsOf, listening, ok, PUBLIC, rawReceiver, testDialer } from './receivers.fixture.ts'
import { readTarget, targetFault } from './target-policy.ts'

/** Public addresses, which this machine has for the time of a test beside those that it has. */
const OWN = ['8.8.8.8', '2606:4700::1111']
const policy = { plainHttp: true, allow: parseRanges('') }

function withOwnAddresses(t: TestContext, own: readonly string[]) {
  const interfaces = os.networkInterfaces()
  const lists = own.map(address => ({ ...Object.values(interfaces)[0]?.[0], address }) as os.NetworkInterfaceInfo)
  return t.mock.method(os, 'networkInterfaces', () => ({ ...interfaces, eth9: lists }))
}

test('a URL with a public address of this machine is refused, as long as the machine has it', t => {
  const urls = ['https://8.8.8.8/', 'http://134744072:8080/', 'https://[2606:4700:0::1111]/']
  for (const url of urls) assert.equal(targetFault(url, policy), undefined, url)
  const interfaces = withOwnAddresses(t, OWN)
  for (const url of urls) assert.equal(targetFault(url, policy), 'has an address that is not public', url)
  assert.equal(targetFault('https://8.8.4.4/', policy), undefined)
  interfaces.mock.restore()
  for (const url of urls) assert.equal(targetFault(url, policy), undefined, url)
})

test('a name that leads to a public address of this machine is refused, and nothing connects', async t => {
  withOwnAddresses(t, OWN)
  for (const own of [OWN, OWN.slice(0, 1), OWN.slice(1), ['8.8.4.4', ...OWN]]) {
    const dns = await dnsServer(t, question => addresses(question, own))
    const connects = connectsOf(t)
    for (const scheme of ['http', 'https']) {
      const answer = await testDialer(t, { servers: [dns.address] }).to(`${scheme}://hooks.example.com/`)
      assert.equal(answer.kind === 'failed' && answer.code, 'address_refused')
    }
    assert.equal(connects.length, 0)
  }
})

test("a connection whose both ends have one address is this machine's own, whatever the interfaces say", async t => {
  const target = readTarget('https://hooks.example.com/', policy)
  assert.ok('mayReach' in target)
  assert.ok(target.mayReach(['8.8.8.8'], '192.0.2.1'))
  assert.ok(!target.mayReach(['8.8.8.8'], '8.8.8.8'))
  // That the check has both ends, once there is a connection.
  const { port } = await listening(t, createServer())
  const mayReach = (to: readonly string[], from?: string) => from === undefined || !to[0]?.startsWith('127.')
  const reached = connectFirst({ addresses: [PUBLIC], port, mayReach }, systemClock, new AbortController().signal)
  await assert.rejects(reached, /may not be dialled/)
})

test("what the operator allows may be this machine's own", async t => {
  withOwnAddresses(t, [...OWN, PUBLIC])
  const receiver = await rawReceiver(t, ({ socket }) => socket.write(ok()))
  const answer = await testDialer(t, { allow: parseRanges(PUBLIC) }).to(`http://${PUBLIC}:${receiver.port}/`)
  assert.equal(answer.kind, 'answered')
  assert.equal(targetFault('https://8.8.8.8/', { plainHttp: false, allow: parseRanges('8.8.8.0/24') }), undefined)
})

test('where the own addresses can not be read nothing is dialled, which is not the fault of the endpoint', async t => {
  const fail = () => {
    throw new Error('EMFILE')
  }
  t.mock.method(os, 'networkInterfaces', fail)
  const connects = connectsOf(t)
  const dns = await dnsServer(t, question => addresses(question, ['8.8.4.4']))
  for (const host of ['8.8.4.4', 'hooks.example.com']) {
    assert.equal(targetFault(`https://${host}/`, policy), undefined)
    const answer = await testDialer(t, { servers: [dns.address] }).to(`https://${host}/`)
    assert.equal(answer.kind === 'failed' && answer.code, 'no_sockets')
  }
  assert.equal(connects.length, 0)
  // Also when they can't be once there is a connection.
  const { port } = await listening(t, createServer())
  const mayReach = (_: readonly string[], from?: string) => from === undefined || fail()
  const reached = connectFirst({ addresses: [PUBLIC], port, mayReach }, systemClock, new AbortController().signal)
  await assert.rejects(reached, /EMFILE/)
})
