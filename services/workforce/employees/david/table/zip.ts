/** The parts of a ZIP archive that nobody trusts: each unpacked to its declared size and no further, all together to a limit. */
import { inflateRawSync } from 'node:zlib'

export interface Limits {
  /** Of all parts together, unpacked. */
  readonly bytes: number
  readonly parts: number
  /** Which parts are unpacked. */
  readonly wanted: (name: string) => boolean
}

/** `too large` where the parts say so, or unpack to more than they say. Throws an `Error` for what is no archive. */
export function unzip(file: Uint8Array, { bytes: most, parts, wanted }: Limits): Map<string, Uint8Array> | 'too large' {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const end = endOf(view)
  const [count, start] = [view.getUint16(end + 10, true), view.getUint32(end + 16, true)]
  if (count > parts) return 'too large'
  const found = new Map<string, Uint8Array>()
  let [at, unpacked] = [start, 0]
  for (let i = 0; i < count; i++) {
    if (view.getUint32(at, true) !== ENTRY) throw new Error('an entry of its list is broken')
    const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)]
    const [packed, size, place] = [20, 24, 42].map(offset => view.getUint32(at + offset, true)) as [
      number,
      number,
      number,
    ]
    const [name, extra, comment] = [28, 30, 32].map(offset => view.getUint16(at + offset, true)) as [
      number,
      number,
      number,
    ]
    const path = new TextDecoder().decode(file.subarray(at + 46, at + 46 + name))
    at += 46 + name + extra + comment
    if (!wanted(path)) continue
    if (flags & ENCRYPTED) throw new Error('it is encrypted')
    if (found.has(path)) throw new Error('a part is there twice')
    unpacked += size
    if (unpacked > most) return 'too large'
    if (view.getUint32(place, true) !== PART) throw new Error('a part is not where it should be')
    const from = place + 30 + view.getUint16(place + 26, true) + view.getUint16(place + 28, true)
    if (from + packed > file.length) throw new Error('it is cut off')
    const part = inflated(file.subarray(from, from + packed), method, size)
    if (part === 'too large') return part
    found.set(path, part)
  }
  return found
}

const [END, ENTRY, PART] = [0x06054b50, 0x02014b50, 0x04034b50]
const ENCRYPTED = 1
/** The record at the end and the longest comment behind it. */
const LONGEST_END = 22 + 65_535

function endOf(view: DataView): number {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - LONGEST_END); at--)
    if (view.getUint32(at, true) === END) return at
  throw new Error('it is cut off')
}

function inflated(packed: Uint8Array, method: number, size: number): Uint8Array | 'too large' {
  if (method !== 0 && method !== 8) throw new Error('it is packed in an unknown way')
  const part = method === 0 ? packed : inflatedTo(packed, size)
  if (part !== 'too large' && part.length !== size) throw new Error('a part is shorter than it says')
  return part
}

function inflatedTo(packed: Uint8Array, size: number): Uint8Array | 'too large' {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, size) })
  } catch (cause) {
    if (cause instanceof RangeError) return 'too large'
    throw cause
  }
}
