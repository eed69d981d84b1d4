import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createApiKey,
  createConsumerSecret,
  hashOfKey,
  hasValidChecksum,
  isConsumerSecret,
  modeOfKey,
  prefixOfKey,
} from './api-key.ts'

test('a key has the form of the contract', () => {
  for (const mode of ['live', 'test'] as const) {
    const key = createApiKey(mode)
    assert.match(key, new RegExp(`^mh_${mode}_[0-9A-Za-z]{36}$`))
    assert.ok(hasValidChecksum(key))
    assert.equal(modeOfKey(key), mode)
    assert.equal(prefixOfKey(key), key.slice(0, 12))
  }
  assert.notEqual(createApiKey('live'), createApiKey('live'))
})

test('the checksum is the CRC-32 of the 38 characters before it, padded with zeros', () => {
  // Reckoned with Python: zlib.crc32(b'mh_live_' + b'0' * 30), in base62.
  assert.equal(
    createApiKey('live', size => new Uint8Array(size)),
    `mh_live_${'0'.repeat(30)}35UOqw`,
  )
  assert.equal(
    createApiKey('test', size => new Uint8Array(size).fill(61)),
    `mh_test_${'z'.repeat(30)}42mE9u`,
  )
})

test('every single wrong character is noticed', () => {
  const key = createApiKey('live')
  for (let at = 8; at < key.length; at++) {
    const other = key[at] === 'a' ? 'b' : 'a'
    assert.equal(hasValidChecksum(key.slice(0, at) + other + key.slice(at + 1)), false)
  }
})

test('what is no key has no valid checksum', () => {
  const key = createApiKey('live')
  for (const text of [
    '',
    'mh_live_',
    `${key}\n`,
    ` ${key}`,
    `${key}0`,
    key.slice(0, -1),
    key.replace('live', 'test'),
  ]) {
    assert.equal(hasValidChecksum(text), false, JSON.stringify(text))
  }
})

test('the secret of a consumer is no API key, and a wrong character in it is noticed', () => {
  const secret = createConsumerSecret()
  assert.match(secret, /^mhc_[0-9A-Za-z]{36}$/)
  assert.ok(isConsumerSecret(secret))
  assert.equal(hasValidChecksum(secret), false)
  assert.equal(isConsumerSecret(createApiKey('live')), false)
  assert.notEqual(createConsumerSecret(), secret)
  for (let at = 4; at < secret.length; at++) {
    const other = secret[at] === 'a' ? 'b' : 'a'
    assert.equal(isConsumerSecret(secret.slice(0, at) + other + secret.slice(at + 1)), false)
  }
})

test('bytes that would make some characters likelier are passed over', () => {
  const bytes = [248, 255, 0, 1]
  const key = createApiKey('live', size => Uint8Array.from({ length: size }, (_, at) => bytes[at % 4] as number))
  assert.equal(key.slice(8, 38), '01'.repeat(15))
})

test('the hash is SHA-256', () => {
  // FIPS 180-2, appendix B.1
  const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
  assert.equal(Buffer.from(hashOfKey('abc')).toString('hex'), abc)
})
