/** The fields of a protobuf message, in the order of its bytes (https://protobuf.dev/programming-guides/encoding). */

/** The bytes are no message, or are written in a way that protobuf's own readers take differently from each other. */
export class ProtobufInvalid extends Error {}

export const VARINT = 0
const FIXED64 = 1
export const LENGTH = 2
const FIXED32 = 5

/** A field and the place of its value. `value` is the number of a varint, 0 of other wire types. */
export interface Field {
  readonly number: number
  readonly wire: number
  readonly start: number
  readonly end: number
  readonly value: number
}

/**
 * Throws `ProtobufInvalid`. Groups are refused. So are tags and lengths beyond 32 bits: C++ drops the upper bits of a
 * tag, so that it would find another field there than is found here.
 */
export function* fieldsOf(bytes: Uint8Array, start: number, end: number): Generator<Field> {
  let at = start
  const varint = (mostBytes: number): number => {
    let value = 0
    for (let scale = 1, count = 0; count < mostBytes && at < end; scale *= 128, count++) {
      const byte = bytes[at++] as number
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
    throw new ProtobufInvalid('it is cut off or broken')
  }
  while (at < end) {
    const tag = varint(5)
    const wire = tag % 8
    if (tag < 8 || tag >= 2 ** 32) throw new ProtobufInvalid('its structure is broken')
    let value = 0
    let length = 0
    if (wire === VARINT) value = varint(10)
    else if (wire === LENGTH) length = varint(5)
    else if (wire === FIXED64) length = 8
    else if (wire === FIXED32) length = 4
    else throw new ProtobufInvalid('its structure is broken')
    const from = at
    at += length
    if (at > end) throw new ProtobufInvalid('it is cut off')
    yield { number: Math.floor(tag / 8), wire, start: from, end: at, value }
  }
}

/** The UTF-8 text of a field. */
export const textOf = (bytes: Uint8Array, { start, end }: Pick<Field, 'start' | 'end'>): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8', start, end)
