import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A well-formed API key that nobody has seen before: contract, section 3. */
export function newKey(mode: 'live' | 'test'): string {
  const random = Array.from({ length: 30 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  const body = `mh_${mode}_${random}`
  return body + checksum(body)
}

/** The same key with another last digit, so that its checksum is wrong. */
export function mistyped(key: string): string {
  return key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
}

function checksum(body: string): string {
  let rest = crc32(body)
  let digits = ''
  for (let place = 0; place < 6; place++) {
    digits = ALPHABET[rest % ALPHABET.length] + digits
    rest = Math.floor(rest / ALPHABET.length)
  }
  return digits
}
