/** Tools in Go, each built once from its module into the user's cache. */
import { execFile, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'millhand-tools')

/** Why tests with such a tool skip: false where Go is there and new enough, and under CI, where nothing skips. */
export const goMissing: string | false = missing()

function missing(): string | false {
  if (process.env.CI === 'true') return false
  return minorVersion() >= 24 ? false : 'needs Go 1.24 or later'
}

/** Of Go 1 as it is installed, not of what it would download; 0 where there is none. */
function minorVersion(): number {
  try {
    const env = { ...process.env, GOTOOLCHAIN: 'local' }
    const version = execFileSync('go', ['env', 'GOVERSION'], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return Number(/^go1\.(\d+)/.exec(version)?.[1] ?? 0)
  } catch {
    return 0
  }
}

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
