import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseRanges } from './address-ranges.ts'
import { isPublic } from './public-address.ts'

/** First and last of each special range of IPv4, beside the registry in numbers: what is next to it is public. */
const ranges4 = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['168.63.129.16', '168.63.129.16'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.31.196.0', '192.31.196.255'],
  ['192.52.193.0', '192.52.193.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['192.175.48.0', '192.175.48.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '255.255.255.255'],
] as const

const numberOf = (address: string) => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
const addressOf = (number: number) => [24, 16, 8, 0].map(bits => Math.floor(number / 2 ** bits) % 256).join('.')

test('every IPv4 address is refused that is in the registry, and no other', () => {
  const edges = ranges4.flatMap(([first, last]) => [
    numberOf(first) - 1,
    numberOf(first),
    numberOf(last),
    numberOf(last) + 1,
  ])
  const anywhere = fc.oneof(fc.constantFrom(...edges.filter(edge => edge >= 0 && edge < 2 ** 32)), fc.nat(2 ** 32 - 1))
  fc.assert(
    fc.property(anywhere, number => {
      const isSpecial = ranges4.some(([first, last]) => number >= numberOf(first) && number <= numberOf(last))
      assert.equal(isPublic(addressOf(number)), !isSpecial, addressOf(number))
    }),
    { numRuns: 2_000 },
  )
})

test('an IPv6 address is public only within 2000::/3, less what is special there', () => {
  for (const address of [
    '2000::1',
    '2001:200::',
    '2001:4860:4860::8888',
    '2606:4700::1111',
    '2a00::1',
    '3ffe:ffff::1',
  ]) {
    assert.ok(isPublic(address), address)
  }
  const not = [
    '2001::',
    '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:db8::',
    '2001:db8:ffff::',
    '2002::',
    '2002:ffff::',
  ]
  for (const address of [...not, '2620:4f:8000:ffff::', '3fff::', '3fff:fff:ffff::', '1fff:ffff::', '4000::']) {
    assert.ok(!isPublic(address), address)
  }
})

test('what is no address is not public', () => {
  for (const text of ['', 'example.com', '1.2.3', '8.8.8.8.', '08.8.8.8', '8.8.8.8/32', '2606::1%eth0', '[2606::1]']) {
    assert.ok(!isPublic(text), text)
  }
})

test("an operator's ranges hold what they say", () => {
  const ranges = parseRanges(' 10.0.0.0/8,::1/128, 192.168.1.7,fd00::/8,')
  for (const address of ['10.255.0.1', '::1', '192.168.1.7', 'fdff::1', '::ffff:10.0.0.1'])
    assert.ok(ranges.has(address))
  for (const address of ['11.0.0.1', '::2', '192.168.1.8', 'fe80::1', '', 'fdff::1%eth0', 'localhost']) {
    assert.ok(!ranges.has(address), address)
  }
  assert.deepEqual([parseRanges('').empty, parseRanges(' , ').empty, ranges.empty], [true, true, false])
})

test('a range that is none is refused with its own words', () => {
  for (const range of [
    '10.0.0.0/33',
    '10/8',
    'localhost',
    '::1/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    'fe80::%eth0/10',
    '1/-1',
  ]) {
    assert.throws(() => parseRanges(`127.0.0.1,${range}`), {
      message: `${JSON.stringify(range)} is not a range of addresses, such as 10.0.0.0/8 or fd00::/8`,
    })
  }
})
