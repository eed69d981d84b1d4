/** The pages of a TIFF: its directories, one after the other, without those of smaller copies and masks. */
import { type FileHandle, open } from 'node:fs/promises'
import { InputInvalid } from '@millhand/model'

/** To go to a directory libtiff reads all of those before it: 60,000 of them take 4 s of processor time. */
const MOST_DIRECTORIES = 1_000
/** Tags stand in order, and the one that is looked for is nearly the first. */
const ENTRIES_READ = 16
/** TIFF 6.0, section 8: what kind of page a directory is, as bits; a smaller copy of another, and a mask. */
const [SUBFILE_TYPE, SMALLER, MASK] = [254, 1, 4]

interface Form {
  readonly little: boolean
  /** Of an offset: 8 in a BigTIFF. */
  readonly offsetBytes: 4 | 8
  readonly countBytes: 2 | 8
  readonly entryBytes: 12 | 20
  /** Where in an entry its value stands. */
  readonly valueAt: 8 | 12
}

type Read = (at: number, length: number) => Promise<Buffer>

/**
 * Which directories of a picture are pages, from 0: the first alone of what is no TIFF. Rejects with `InputInvalid` for a TIFF of more
 * than 1,000 directories, or without those that it says it has.
 */
export async function pagesOf(source: Uint8Array | string): Promise<readonly number[]> {
  if (typeof source !== 'string')
    return await pagesIn(async (at, length) => Buffer.from(source.subarray(at, at + length)))
  const handle = await open(source)
  try {
    return await pagesIn(readerOf(handle))
  } finally {
    await handle.close()
  }
}

const readerOf =
  (handle: FileHandle): Read =>
  async (at, length) => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, at)
    return buffer.subarray(0, bytesRead)
  }

async function pagesIn(read: Read): Promise<readonly number[]> {
  const head = await read(0, 16)
  const form = formOf(head)
  if (form === undefined) return [0]
  const pages: number[] = []
  const seen = new Set<number>()
  let at = offsetIn(head, form.offsetBytes === 8 ? 8 : 4, form)
  for (let index = 0; at > 0 && !seen.has(at); index++) {
    if (index === MOST_DIRECTORIES) throw new InputInvalid(`the TIFF has more than ${MOST_DIRECTORIES} pages`)
    seen.add(at)
    const directory = await directoryAt(at, form, read)
    if (directory === undefined) throw new InputInvalid(`the TIFF ends before its page ${index + 1}`)
    if ((directory.type & (SMALLER | MASK)) === 0) pages.push(index)
    at = directory.next
  }
  return pages.length === 0 ? [0] : pages
}

function formOf(head: Buffer): Form | undefined {
  const order = head.toString('latin1', 0, 2)
  if (order !== 'II' && order !== 'MM') return undefined
  const little = order === 'II'
  const version = head.length < 16 ? 0 : little ? head.readUInt16LE(2) : head.readUInt16BE(2)
  if (version === 42) return { little, offsetBytes: 4, countBytes: 2, entryBytes: 12, valueAt: 8 }
  return version === 43 ? { little, offsetBytes: 8, countBytes: 8, entryBytes: 20, valueAt: 12 } : undefined
}

async function directoryAt(at: number, form: Form, read: Read) {
  const { countBytes, entryBytes, offsetBytes, valueAt, little } = form
  const start = await read(at, countBytes + ENTRIES_READ * entryBytes)
  if (start.length < countBytes) return undefined
  const count = countBytes === 2 ? numberIn(start, 0, 2, little) : numberIn(start, 0, 8, little)
  const end = await read(at + countBytes + count * entryBytes, offsetBytes)
  if (end.length < offsetBytes) return undefined
  let type = 0
  for (let entry = 0; entry < Math.min(count, ENTRIES_READ); entry++) {
    const from = countBytes + entry * entryBytes
    if (start.length < from + entryBytes || numberIn(start, from, 2, little) !== SUBFILE_TYPE) continue
    // A number of 32 bits, of 16 as some write it.
    type = numberIn(start, from + valueAt, numberIn(start, from + 2, 2, little) === 3 ? 2 : 4, little)
  }
  return { type, next: offsetIn(end, 0, form) }
}

const offsetIn = (bytes: Buffer, at: number, { offsetBytes, little }: Form) => numberIn(bytes, at, offsetBytes, little)

/** One that is too large to be a place in a file is a place behind its end. */
function numberIn(bytes: Buffer, at: number, length: 2 | 4 | 8, little: boolean): number {
  if (length === 8) {
    const large = little ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at)
    return Number(large > PAST_ANY_END ? PAST_ANY_END : large)
  }
  return little ? bytes.readUIntLE(at, length) : bytes.readUIntBE(at, length)
}

const PAST_ANY_END = 2n ** 47n
