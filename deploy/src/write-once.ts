import { link, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Writes a file that only its owner can read, whole and durable, unless it is there. Of two that do so at once one
 * wins, and both find the winner's. True when this call made it.
 */
export async function writeOnce(file: string, content: string): Promise<boolean> {
  const draft = `${file}.${process.pid}`
  const handle = await open(draft, 'w', 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
    await handle.close()
    const isMade = await linkUnlessThere(draft, file)
    // The name is durable once its folder is; the winner may not have come that far.
    await syncFolder(dirname(file))
    return isMade
  } finally {
    await rm(draft, { force: true })
  }
}

async function linkUnlessThere(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
