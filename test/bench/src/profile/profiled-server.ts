/** A server of this project that is measured from within, between two moments. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Server, startServer } from '@millhand/test-e2e/server'
import { nodeCommand } from '../node-command.ts'

const preload = fileURLToPath(new URL('preload.ts', import.meta.url))

export interface ProfiledServer extends AsyncDisposable {
  readonly server: Server
  /** What went on in the server while the work was done: what `preload.ts` writes, as JSON. */
  during(work: () => Promise<unknown>): Promise<unknown>
}

interface ProfileOptions {
  readonly what: 'counts' | 'cpu'
  /** The file of the shape. */
  readonly entry: string
  readonly env?: Readonly<Record<string, string>>
  /** An empty folder. */
  readonly folder: string
}

export async function profiledServer({ what, entry, env, folder }: ProfileOptions): Promise<ProfiledServer> {
  const file = join(folder, 'measured.json')
  const server = await startServer({
    command: nodeCommand(`--import=${preload}`, entry),
    dataDir: join(folder, 'data'),
    env: { ...env, BENCH_PROFILE: what, BENCH_PROFILE_FILE: file },
  })
  const told = async () => {
    process.kill(server.pid, 'SIGUSR2')
    while (!existsSync(file)) {
      process.kill(server.pid, 0) // Throws where it has ended.
      await pause(5)
    }
    const written = JSON.parse(readFileSync(file, 'utf8'))
    rmSync(file)
    return written
  }
  return {
    server,
    async during(work) {
      await told()
      await work()
      return await told()
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
