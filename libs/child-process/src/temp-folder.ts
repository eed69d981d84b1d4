/** Folders for files that do not last, each named for the process that made it, so that none stays behind. */
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log } from '@millhand/telemetry'

/** Tells this process from an earlier one with its number: in a container that is started again they have the same. */
const LIFE = Math.floor(performance.timeOrigin).toString(36)
const NAME = /^millhand-(?:model|inputs|copies)-(\d{1,10})-([0-9a-z]+)-\w{6}$/

/** An empty folder: of a child process, of the input files of a run, or of copies of models. Throws what the file system throws. */
export const makeTempFolder = (what: 'model' | 'inputs' | 'copies'): string =>
  mkdtempSync(join(tmpdir(), `millhand-${what}-${process.pid}-${LIFE}-`))

/** Makes one again that was removed meanwhile, as cleaners of temporary folders do. Throws where another user made it. */
export function ensureTempFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isOurs(folder)) throw error
  }
}

/** Never throws: what can't be removed is logged, and goes at a later start. */
export function removeTempFolder(folder: string, log: Log): void {
  try {
    if (!removeEmpty(folder)) rmSync(folder, { recursive: true, force: true })
  } catch (error) {
    log.warn('folder.left', { folder, error })
  }
}

/** Removes the folders of processes that have gone, of this user alone. Never throws. */
export function sweepTempFolders(log: Log): void {
  try {
    const parent = tmpdir()
    for (const name of readdirSync(parent)) {
      const folder = join(parent, name)
      if (isLeft(name) && isOurs(folder)) removeTempFolder(folder, log)
    }
  } catch (error) {
    log.warn('folders.not_swept', { error })
  }
}

/** Says whether it is gone. That takes no file descriptor, where removing a tree takes one. */
function removeEmpty(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return true
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false
    throw error
  }
}

function isLeft(name: string): boolean {
  const [, pid, life] = NAME.exec(name) ?? []
  if (pid === undefined) return false
  return Number(pid) === process.pid ? life !== LIFE : !isAlive(Number(pid))
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function isOurs(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  return found?.isDirectory() === true && found.uid === process.getuid?.()
}
