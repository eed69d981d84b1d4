/** The font inside a WOFF 1.0 file, as its tables are before compression. https://www.w3.org/TR/WOFF/ */
import { inflateSync } from 'node:zlib'

export function fontOfWoff(woff: Buffer): Buffer {
  if (woff.toString('latin1', 0, 4) !== 'wOFF') throw new Error('This is no WOFF file.')
  const count = woff.readUInt16BE(12)
  const head = Buffer.alloc(12 + 16 * count)
  woff.copy(head, 0, 4, 8)
  head.writeUInt16BE(count, 4)
  const parts = [head]
  let offset = head.length
  for (let table = 0; table < count; table++) {
    const entry = 44 + 20 * table
    const [from = 0, packed = 0, length = 0, checksum = 0] = [4, 8, 12, 16].map(at => woff.readUInt32BE(entry + at))
    const bytes = woff.subarray(from, from + packed)
    const padded = Buffer.alloc((length + 3) & ~3)
    padded.set(packed < length ? inflateSync(bytes, { maxOutputLength: length }) : bytes)
    const at = 12 + 16 * table
    woff.copy(head, at, entry, entry + 4)
    head.writeUInt32BE(checksum, at + 4)
    head.writeUInt32BE(offset, at + 8)
    head.writeUInt32BE(length, at + 12)
    parts.push(padded)
    offset += padded.length
  }
  return Buffer.concat(parts)
}
