/** What a Magika model sees of a file: the bytes at its beginning and at its end, without the white space around them. */
import { open } from 'node:fs/promises'
import type { RunItem } from '@millhand/child-process'
import { readBytesUri } from '@millhand/model'
import type { Config } from './knowledge.ts'

export interface Windows {
  /** Of the whole file, in bytes. */
  readonly size: number
  /** The first and the last bytes, as many as there are up to the block of the configuration. */
  readonly first: Uint8Array
  readonly last: Uint8Array
}

/** Reads no more of a file than its windows. Rejects with `InputInvalid` for text that is no `data:` URI. */
export async function readWindows(input: RunItem['input'], block: number): Promise<Windows> {
  if (typeof input === 'string') {
    const bytes = readBytesUri(input)
    const from = Math.max(0, bytes.length - block)
    return { size: bytes.length, first: bytes.subarray(0, block), last: bytes.subarray(from) }
  }
  await using handle = await open(input.path)
  const { size } = await handle.stat()
  const length = Math.min(block, size)
  const part = async (from: number) => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, from)
    return buffer.subarray(0, bytesRead)
  }
  return { size, first: await part(0), last: await part(size - length) }
}

/**
 * The tokens of the beginning, then those of the end: a byte is its value. Padding is behind a beginning and before an
 * end. Undefined where white space leaves too few bytes for the model.
 */
export function tokensOf(
  { first, last }: Pick<Windows, 'first' | 'last'>,
  { beginning, end, padding, leastBytes }: Omit<Config, 'labels' | 'thresholds' | 'threshold' | 'overwrites'>,
): Int32Array | undefined {
  const tokens = new Int32Array(beginning + end).fill(padding)
  const start = first.findIndex(byte => !isSpace(byte))
  const head = start < 0 ? first.subarray(0, 0) : first.subarray(start, start + beginning)
  if (head.length < leastBytes) return undefined
  tokens.set(head)
  const stop = last.findLastIndex(byte => !isSpace(byte)) + 1
  const tail = last.subarray(Math.max(0, stop - end), stop)
  tokens.set(tail, beginning + end - tail.length)
  return tokens
}

/** As Python's `bytes.strip` takes it: space, tab, line feed, vertical tab, form feed, carriage return. */
const isSpace = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
