/** A zip file of stored entries, as NumPy's `savez` writes it. Its bounds are below what needs zip64. */
import { crc32 } from 'node:zlib'

export interface StoredEntry {
  readonly name: string
  readonly content: readonly Uint8Array[]
}

/** 1980-01-01, as NumPy has it: nothing tells when the file was made. */
const DATE = 0x21
/** Names are UTF-8. */
const FLAGS = 0x800
const VERSION = 20

export function* zipParts(entries: Iterable<StoredEntry>): Generator<Uint8Array, void> {
  const directory: Buffer[] = []
  let at = 0
  for (const { name, content } of entries) {
    const text = Buffer.from(name)
    const bytes = content.reduce((sum, part) => sum + part.length, 0)
    const crc = content.reduce((sum, part) => crc32(part, sum), 0)
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    writeFields(local, 4, { crc, bytes, nameBytes: text.length })
    yield Buffer.concat([local, text])
    yield* content

    const central = Buffer.alloc(46)
    central.writeUInt32LE(0x02014b50, 0)
    central.writeUInt16LE(VERSION, 4)
    writeFields(central, 6, { crc, bytes, nameBytes: text.length })
    central.writeUInt32LE(at, 42)
    directory.push(central, text)
    at += local.length + text.length + bytes
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(directory.length / 2, 8)
  end.writeUInt16LE(directory.length / 2, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(at, 16)
  yield Buffer.concat([listed, end])
}

/** What a local header and an entry of the directory have in common. */
function writeFields(
  into: Buffer,
  at: number,
  { crc, bytes, nameBytes }: { readonly crc: number; readonly bytes: number; readonly nameBytes: number },
): void {
  into.writeUInt16LE(VERSION, at)
  into.writeUInt16LE(FLAGS, at + 2)
  into.writeUInt16LE(DATE, at + 8)
  into.writeUInt32LE(crc, at + 10)
  into.writeUInt32LE(bytes, at + 14)
  into.writeUInt32LE(bytes, at + 18)
  into.writeUInt16LE(nameBytes, at + 22)
}
