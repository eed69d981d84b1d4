/** SQLite's write-ahead log as a file. https://sqlite.org/fileformat2.html#walformat */
import { closeSync, openSync, readSync } from 'node:fs'

export interface WalHeader {
  readonly pageSize: number
  readonly salt1: number
  readonly salt2: number
  /** Whether words are summed as big-endian. */
  readonly isBigEndian: boolean
  readonly sum: Sum
}

type Sum = readonly [number, number]

const HEADER = 32
export const FRAME_HEADER = 24

/** Where the frame of this index begins. */
export const frameAt = (index: number, frameBytes: number): number => HEADER + index * frameBytes

/** undefined where there is no log, or one whose header SQLite would not take. */
export function readWalHeader(log: string): WalHeader | undefined {
  const bytes = Buffer.alloc(HEADER)
  if (!readAt(log, file => readSync(file, bytes, 0, HEADER, 0) === HEADER)) return undefined
  const magic = bytes.readUInt32BE(0)
  if (magic !== 0x377f0682 && magic !== 0x377f0683) return undefined
  const isBigEndian = magic === 0x377f0683
  const sum = addTo([0, 0], bytes.subarray(0, 24), isBigEndian)
  if (sum[0] !== bytes.readUInt32BE(24) || sum[1] !== bytes.readUInt32BE(28)) return undefined
  return {
    pageSize: bytes.readUInt32BE(8),
    salt1: bytes.readUInt32BE(16),
    salt2: bytes.readUInt32BE(20),
    isBigEndian,
    sum,
  }
}

/** How many frames from the first on are whole and of this header, at most `most`. */
export function validFrames(log: string, header: WalHeader, most: number): number {
  const { pageSize, salt1, salt2, isBigEndian } = header
  const frame = Buffer.alloc(FRAME_HEADER + pageSize)
  let valid = 0
  let sum = header.sum
  readAt(log, file => {
    for (; valid < most; valid++) {
      if (readSync(file, frame, 0, frame.length, frameAt(valid, frame.length)) !== frame.length) return
      if (frame.readUInt32BE(8) !== salt1 || frame.readUInt32BE(12) !== salt2) return
      sum = addTo(sum, frame.subarray(0, 8), isBigEndian)
      sum = addTo(sum, frame.subarray(FRAME_HEADER), isBigEndian)
      if (sum[0] !== frame.readUInt32BE(16) || sum[1] !== frame.readUInt32BE(20)) return
    }
  })
  return valid
}

/** The format's own checksum, carried on over more bytes: a multiple of 8. */
function addTo([first, second]: Sum, bytes: Buffer, isBigEndian: boolean): Sum {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let [a, b] = [first, second]
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + view.getUint32(at, !isBigEndian) + b) >>> 0
    b = (b + view.getUint32(at + 4, !isBigEndian) + a) >>> 0
  }
  return [a, b]
}

/** undefined where the file is not there. */
export function readAt<R>(path: string, read: (file: number) => R): R | undefined {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    return read(file)
  } finally {
    closeSync(file)
  }
}
