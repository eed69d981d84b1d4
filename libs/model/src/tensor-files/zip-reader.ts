/**
 * The entries of a zip file, as far as NumPy writes them: stored or deflated, also in zip64. Everything that the file says
 * of itself is checked before it is used. Section numbers are those of PKWARE's APPNOTE 6.3.10.
 */
import { pipeline } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { excerpt } from '../excerpt.ts'
import { InputInvalid } from '../tensors.ts'
import { type ByteSource, bytesAt, chunksOf } from './byte-source.ts'

export interface ZipEntry {
  readonly name: string
  /** 0 stored, 8 deflated. */
  readonly method: number
  readonly crc: number
  readonly compressedBytes: number
  readonly bytes: number
  /** Where its compressed bytes begin. */
  readonly start: number
}

type Listed = Omit<ZipEntry, 'start'> & { readonly header: number }

const LOCAL = { signature: 0x04034b50, bytes: 30 }
const CENTRAL = { signature: 0x02014b50, bytes: 46 }
const END = { signature: 0x06054b50, bytes: 22 }
const END_64 = { signature: 0x06064b50, bytes: 56 }
const LOCATOR_64 = { signature: 0x07064b50, bytes: 20 }
const MOST_COMMENT = 0xffff
/** In place of a number that is in the zip64 fields. */
const [IN_64_OF_16, IN_64_OF_32] = [0xffff, 0xffffffff]
const EXTRA_64 = 1

/** Rejects with `InputInvalid`. */
export async function zipEntries(source: ByteSource, mostEntries: number): Promise<readonly ZipEntry[]> {
  const { count, start, end } = await directoryOf(source)
  if (count > mostEntries) throw new InputInvalid(`the file has more than ${mostEntries} tensors`)
  // A name, and comments and extra fields of the same size, which NumPy does not write.
  if (end - start > mostEntries * 4096) throw new InputInvalid('the directory of the zip file is too large')
  const directory = await bytesAt(source, start, end - start)
  const listed: Listed[] = []
  for (let at = 0; listed.length < count; ) {
    const length = entryLength(directory, at)
    listed.push(readListed(directory.subarray(at, at + length)))
    at += length
    if (listed.length === count && at !== directory.length) throw broken('its directory has more than it says')
  }
  const entries: ZipEntry[] = []
  let free = 0
  for (const { header, ...entry } of listed.toSorted((a, b) => a.header - b.header)) {
    // Entries that share bytes inflate to far more than each of them says.
    if (header < free) throw broken('two of its entries overlap')
    const begins = await contentStart(source, header, entry.name)
    free = begins + entry.compressedBytes
    if (free > start) throw broken(`the entry \`${excerpt(entry.name)}\` reaches beyond the entries`)
    entries.push({ ...entry, start: begins })
  }
  return entries
}

/** The bytes of an entry; fails with `InputInvalid` at the end where they are not what the directory says. */
export async function* entryContent(source: ByteSource, entry: ZipEntry): AsyncGenerator<Uint8Array, void> {
  const { name, method, start, compressedBytes, bytes } = entry
  const packed = chunksOf(source, start, start + compressedBytes)
  let crc = 0
  let count = 0
  try {
    for await (const chunk of method === 0 ? packed : pipeline(packed, createInflateRaw(), () => {})) {
      count += chunk.length
      if (count > bytes) throw broken(`the entry \`${excerpt(name)}\` has more than the ${bytes} bytes that it says`)
      crc = crc32(chunk, crc)
      yield chunk
    }
  } catch (error) {
    if (error instanceof InputInvalid) throw error
    throw broken(`the entry \`${excerpt(name)}\` can't be inflated`)
  }
  if (count < bytes) throw broken(`the entry \`${excerpt(name)}\` has fewer than the ${bytes} bytes that it says`)
  if (crc !== entry.crc) throw broken(`the entry \`${excerpt(name)}\` is damaged: its checksum is another one`)
}

const broken = (why: string) => new InputInvalid(`the file is no zip file that can be read: ${why}`)

/** 4.3.14 to 4.3.16. */
async function directoryOf(source: ByteSource) {
  const tailAt = Math.max(0, source.size - END.bytes - MOST_COMMENT)
  const tail = await bytesAt(source, tailAt, source.size - tailAt)
  const at = endIn(tail)
  const end = tail.subarray(at)
  let [disks, count, size, start] = [
    end.readUInt32LE(4),
    end.readUInt16LE(10),
    end.readUInt32LE(12),
    end.readUInt32LE(16),
  ]
  let endsAt = tailAt + at
  if (count === IN_64_OF_16 || size === IN_64_OF_32 || start === IN_64_OF_32) {
    const locator = await bytesAt(source, endsAt - LOCATOR_64.bytes, LOCATOR_64.bytes)
    if (locator.readUInt32LE(0) !== LOCATOR_64.signature) throw broken('its zip64 end is missing')
    endsAt = wide(locator, 8)
    const end64 = await bytesAt(source, endsAt, END_64.bytes)
    if (end64.readUInt32LE(0) !== END_64.signature) throw broken('its zip64 end is missing')
    disks = end64.readUInt32LE(16) | end64.readUInt32LE(20)
    ;[count, size, start] = [wide(end64, 32), wide(end64, 40), wide(end64, 48)]
  }
  if (disks !== 0) throw broken('it is a part of several files')
  if (start + size !== endsAt) throw broken('its directory is not where it says')
  return { count, start, end: endsAt }
}

/** Where the end of the directory begins: its comment reaches to the end of the file. */
function endIn(tail: Buffer): number {
  for (let at = tail.length - END.bytes; at >= 0; at--) {
    if (tail.readUInt32LE(at) === END.signature && at + END.bytes + tail.readUInt16LE(at + 20) === tail.length)
      return at
  }
  throw broken('it is cut off')
}

function entryLength(directory: Buffer, at: number): number {
  if (at + CENTRAL.bytes > directory.length || directory.readUInt32LE(at) !== CENTRAL.signature) {
    throw broken('its directory has fewer entries than it says')
  }
  const length =
    CENTRAL.bytes + directory.readUInt16LE(at + 28) + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  if (at + length > directory.length) throw broken('its directory is cut off')
  return length
}

/** 4.3.12. */
function readListed(record: Buffer): Listed {
  const [flags, method] = [record.readUInt16LE(8), record.readUInt16LE(10)]
  const nameEnd = CENTRAL.bytes + record.readUInt16LE(28)
  const name = textOf(record.subarray(CENTRAL.bytes, nameEnd))
  if ((flags & 0x2041) !== 0) throw broken(`the entry \`${excerpt(name)}\` is encrypted`)
  if (method !== 0 && method !== 8) {
    throw broken(`the entry \`${excerpt(name)}\` is compressed by the method ${method}; stored and deflate are read`)
  }
  const extra = record.subarray(nameEnd, nameEnd + record.readUInt16LE(30))
  const next = numbers64(extra)
  const [bytes, compressedBytes, header] = [24, 20, 42].map(at => {
    const value = record.readUInt32LE(at)
    return value === IN_64_OF_32 ? next() : value
  }) as [number, number, number]
  if (method === 0 && bytes !== compressedBytes) throw broken(`the entry \`${excerpt(name)}\` says two sizes`)
  return { name, method, crc: record.readUInt32LE(16), compressedBytes, bytes, header }
}

/** The numbers of the zip64 extra field, one after the other: 4.5.3. */
function numbers64(extra: Buffer): () => number {
  let field: Buffer | undefined
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) === EXTRA_64) field = extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2))
  }
  let at = 0
  return () => {
    if (field === undefined || at + 8 > field.length) throw broken('a size of 64 bits is missing')
    at += 8
    return wide(field, at - 8)
  }
}

/** 4.3.7. A local header that names another entry than the directory is a lie. */
async function contentStart(source: ByteSource, header: number, name: string): Promise<number> {
  const local = await bytesAt(source, header, LOCAL.bytes)
  if (local.readUInt32LE(0) !== LOCAL.signature) throw broken(`the entry \`${excerpt(name)}\` is not where it says`)
  const [nameLength, extraLength] = [local.readUInt16LE(26), local.readUInt16LE(28)]
  const own = textOf(await bytesAt(source, header + LOCAL.bytes, nameLength))
  if (own !== name) throw broken(`the entry \`${excerpt(name)}\` has a second name`)
  return header + LOCAL.bytes + nameLength + extraLength
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw broken('a name is not UTF-8')
  }
}

function wide(bytes: Buffer, at: number): number {
  const value = bytes.readBigUInt64LE(at)
  if (value > 2n ** 53n) throw broken('a number of it is 2^53 or more')
  return Number(value)
}
