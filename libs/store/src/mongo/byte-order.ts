import type { Scalar } from '../collection.ts'

/**
 * An indexed value as it is stored: a string as its UTF-8 bytes, one character a byte, so that every server orders it
 * by these bytes. MongoDB does so by itself; others that speak its protocol compare UTF-16 units, which puts U+1F600
 * before U+FF5E. ASCII stays as it is, and documents are read from their body.
 */
export const byteOrdered = (value: Scalar): Scalar =>
  typeof value === 'number' || Buffer.byteLength(value) === value.length
    ? value
    : Buffer.from(value, 'utf8').toString('latin1')
