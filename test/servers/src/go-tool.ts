/** Tools in Go, each built once from its module into the user's cache. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { hasVersion, missing, printed } from './missing.ts'

const run = promisify(execFile)

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'millhand-tools')

/** Why tests with such a tool skip: false where Go is there and new enough, and under CI, where nothing skips. */
export const goMissing: string | false = missing(
  'needs Go 1.24 or later (https://go.dev/doc/install)',
  // Go as it is installed, not what it would download.
  () => hasVersion(printed('go', ['env', 'GOVERSION'], { GOTOOLCHAIN: 'local' }), 1, 24),
)

/** The path of a command, `example.org/module/cmd/name`. The first time takes up to a minute. */
export async function goTool(command: string, version: string): Promise<string> {
  const name = basename(command)
  const folder = join(cache, `${name}-${version}`)
  const binary = join(folder, name)
  if (existsSync(binary)) return binary
  await mkdir(cache, { recursive: true })
  const making = await mkdtemp(`${folder}.making-`)
  try {
    const env = { ...process.env, GOBIN: making, CGO_ENABLED: '0' }
    await run('go', ['install', `${command}@${version}`], { env })
    await rename(making, folder)
  } catch (error) {
    await rm(making, { recursive: true, force: true })
    if (!existsSync(binary)) throw error // Else another test was faster.
  }
  return binary
}

/** The folder with the sources of a module. */
export async function goModule(module: string, version: string): Promise<string> {
  const { stdout } = await run('go', ['mod', 'download', '-json', `${module}@${version}`])
  return JSON.parse(stdout).Dir
}
