/** grpcurl, built once from its Go module into the user's cache. */
import { execFile, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const VERSION = 'v1.9.4'
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'millhand-tools')

/** Why tests with it skip: false where Go is there, and under CI, where nothing skips. */
export const goMissing: string | false = missing()

function missing(): string | false {
  if (process.env.CI === 'true') return false
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' })
    return false
  } catch {
    return 'needs Go 1.24 or later, to build grpcurl'
  }
}

/** Its path. The first time takes a minute. */
export async function grpcurl(): Promise<string> {
  const folder = join(cache, `grpcurl-${VERSION}`)
  const binary = join(folder, 'grpcurl')
  if (existsSync(binary)) return binary
  await mkdir(cache, { recursive: true })
  const making = await mkdtemp(`${folder}.making-`)
  try {
    const env = { ...process.env, GOBIN: making, CGO_ENABLED: '0' }
    await run('go', ['install', `github.com/fullstorydev/grpcurl/cmd/grpcurl@${VERSION}`], { env })
    await rename(making, folder)
  } catch (error) {
    await rm(making, { recursive: true, force: true })
    if (!existsSync(binary)) throw error // Else another test was faster.
  }
  return binary
}
