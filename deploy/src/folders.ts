/** The folders that settings name: what is wrong with one is told by the name of its setting. */
import { mkdir, readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ConfigurationError } from '@millhand/process'

/** Makes the folder, and those above it, for their owner alone where they are not there. */
export async function ensureFolder(setting: string, path: string): Promise<void> {
  await make(path).catch(error => {
    throw unusable(setting, error)
  })
}

/** Fails unless there is a folder that can be read. */
export async function requireFolder(setting: string, path: string): Promise<void> {
  await readdir(path).catch(error => {
    throw unusable(setting, error)
  })
}

/** A full disk is no fault of the setting. */
const unusable = (setting: string, error: NodeJS.ErrnoException) =>
  error.code === 'ENOSPC' || error.code === 'EDQUOT'
    ? error
    : new ConfigurationError([`${setting} must be a folder that can be used: ${error.message}.`])

/** Not `recursive: true`: with that Node tries for ever where a folder can't hold others, as in `/proc`. */
async function make(path: string): Promise<void> {
  const code = await tryMake(path)
  if (code === 'EEXIST') await readdir(path)
  if (code !== 'ENOENT') return
  await make(dirname(path))
  await mkdir(path, { mode: 0o700 })
}

async function tryMake(path: string): Promise<string | undefined> {
  try {
    await mkdir(path, { mode: 0o700 })
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' || code === 'ENOENT') return code
    throw error
  }
}
