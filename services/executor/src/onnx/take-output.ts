/** Outputs that a child wrote to files of its folder. The child may be compromised, and the files no files. */

import { constants } from 'node:fs'
import { open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { OutputFile } from '@millhand/child-process'
import { MAX_OUTPUT_BYTES } from './output-limit.ts'
import { outputName } from './protocol.ts'

/** Not what a link points to, and not waiting for whoever has the other end of a pipe. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Opens the output of an item and takes it out of the folder: it is gone once it is closed. Rejects for what is none. */
export async function takeOutput(folder: string, item: number): Promise<OutputFile> {
  const path = join(folder, outputName(item))
  const handle = await open(path, FLAGS)
  try {
    await unlink(path)
    const found = await handle.stat()
    if (!found.isFile() || found.size > MAX_OUTPUT_BYTES) throw new Error(`${path} is no output`)
    return { handle, bytes: found.size }
  } catch (error) {
    await handle.close()
    throw error
  }
}
