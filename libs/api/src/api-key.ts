import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Whether a key sees real objects or the sandbox. */
export type KeyMode = 'live' | 'test'

/**
 * A new API key: `mh_live_` or `mh_test_`, 30 random base62 characters (178 bits), and 6 of checksum. Contract, section 3.
 * `random` gives that many random bytes.
 */
export function createApiKey(mode: KeyMode, random: (size: number) => Uint8Array = randomBytes): string {
  return createSecret(`mh_${mode}_`, random)
}

/** A new secret of an internal consumer: `mhc_`, and the rest as in an API key. */
export function createConsumerSecret(): string {
  return createSecret('mhc_', randomBytes)
}

/** Whether a text has the form of an API key and its checksum is right: a typo is told without a look-up. */
export function hasValidChecksum(key: string): boolean {
  return pattern.test(key) && endsInChecksum(key)
}

/** The same of a consumer's secret. */
export function isConsumerSecret(text: string): boolean {
  return /^mhc_[0-9A-Za-z]{36}$/.test(text) && endsInChecksum(text)
}

/** Whether a text has an API key in it, as far as its checksum tells. */
export function holdsKey(text: string): boolean {
  return text.match(anywhere)?.some(hasValidChecksum) === true
}

/** The mode that a key with a valid checksum is of. */
export function modeOfKey(key: string): KeyMode {
  return key.startsWith('mh_test_') ? 'test' : 'live'
}

/** The first 12 characters, to recognise a key by: its mode and 4 random characters. */
export function prefixOfKey(key: string): string {
  return key.slice(0, 12)
}

/** SHA-256 of a key, 32 bytes: all that is stored of it. A slow hash would gain nothing over 178 random bits. */
export function hashOfKey(key: string): Uint8Array {
  return createHash('sha256').update(key).digest()
}

const randomLength = 30
const checksumLength = 6
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const anywhere = /mh_(?:live|test)_[0-9A-Za-z]{36}/g
const pattern = /^mh_(live|test)_[0-9A-Za-z]{36}$/

function createSecret(prefix: string, random: (size: number) => Uint8Array): string {
  const length = prefix.length + randomLength
  let secret = prefix
  while (secret.length < length) {
    for (const byte of random(randomLength)) {
      // 248 is the largest multiple of 62 in a byte: a remainder of more than that would prefer some characters.
      if (byte < 248 && secret.length < length) secret += alphabet.charAt(byte % 62)
    }
  }
  return secret + checksum(secret)
}

const endsInChecksum = (secret: string) => checksum(secret.slice(0, -checksumLength)) === secret.slice(-checksumLength)

/** CRC-32 (IEEE) in 6 base62 digits; 62^6 is more than 2^32. */
function checksum(text: string): string {
  let digits = ''
  for (let rest = crc32(text), n = 0; n < checksumLength; n++, rest = Math.floor(rest / 62))
    digits = alphabet.charAt(rest % 62) + digits
  return digits
}
