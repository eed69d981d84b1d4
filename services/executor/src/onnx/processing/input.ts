/** An input as its model reads it: what it is in text, or in a file. */

import { open, readFile } from 'node:fs/promises'
import type { RunItem } from '@millhand/child-process'
import { checkHead, readDataUri, readUtf8 } from '@millhand/model'

type Input = RunItem['input']

/** Rejects with `InputInvalid` for a file that is no UTF-8. */
export const textOf = async (input: Exclude<Input, string>): Promise<string> => readUtf8(await readFile(input.path))

/** The path of a picture, or its bytes. Rejects with `InputInvalid` for what does not begin as one. */
export async function pictureOf(input: Input): Promise<string | Buffer> {
  if (typeof input === 'string') return readDataUri(input, 'image')
  const handle = await open(input.path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    checkHead(buffer.subarray(0, bytesRead), 'image')
  } finally {
    await handle.close()
  }
  return input.path
}

const HEAD_BYTES = 16

/** The bytes of a recording. Rejects with `InputInvalid` for what does not begin as one. */
export async function recordingOf(input: Input): Promise<Buffer> {
  if (typeof input === 'string') return readDataUri(input, 'audio')
  const bytes = await readFile(input.path)
  checkHead(bytes, 'audio')
  return bytes
}
