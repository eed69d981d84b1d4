/**
 * The second judge of what we keep in MongoDB: SecantusDB, a server of MongoDB's protocol on the real storage engine,
 * WiredTiger. Its indexes are real, so `explain` says which of them a query uses. It is not MongoDB either: where a
 * document breaks `_id` and another unique index at once it names the other, and its speed is not worth comparing.
 *
 * It is licensed under the GPL: a process beside the tests, never a part of what we ship.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { missing, printed } from './missing.ts'
import { freePort } from './ports.ts'
import { type ServerProcess, startProcess } from './server-process.ts'

export interface Mongo extends ServerProcess {
  /** `mongodb://127.0.0.1:<port>/<database>`; a new database where no name is given. */
  url(database?: string): string
}

const PACKAGE = 'secantusdb==0.7.0b3'

/** Why suites that need it skip: false where Python can make a virtual environment. */
export const wiredTigerMissing = missing('needs Python 3.10 or later with venv and pip (Debian: python3-venv)', () => {
  printed('python3', ['-c', 'import sys, ensurepip; sys.exit(sys.version_info < (3, 10))'])
  return true
})

/** A server at a free port. Keeps everything in a folder that goes with it, or in `dataDir`, as soon as it is acknowledged. */
export async function startWiredTiger(options: { readonly dataDir?: string } = {}): Promise<Mongo> {
  const python = await installed()
  if (options.dataDir !== undefined) await mkdir(options.dataDir, { recursive: true })
  const port = await freePort()
  const words = () => [
    python,
    // By its module, for a command of a virtual environment holds the path at which that was made.
    ...['-m', 'secantus'],
    ...['--host', '127.0.0.1', '--port', String(port), '--storage-path', options.dataDir ?? ':memory:'],
    // Alone, else the driver goes past a proxy to the address that it names; and a write is on disk when it is answered.
    ...['--standalone', '--sync-on-commit'],
  ]
  return withUrl(await startProcess(`127.0.0.1:${port}`, words, /secantus listening/))
}

/** `suffix` of each database's name keeps those apart that several suites have on one server. */
export function withUrl(server: ServerProcess, suffix = ''): Mongo {
  const url = (database = `t_${crypto.randomUUID().slice(0, 8)}`) => `mongodb://${server.address}/${database}${suffix}`
  return Object.create(server, { url: { value: url } })
}

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'millhand-servers')

/**
 * The Python that has it: a virtual environment in the user's cache, with the package and what it needs from PyPI. Made
 * once, whole or not at all, also when several tests ask at the same time.
 */
async function installed(): Promise<string> {
  const folder = join(cache, `python-${PACKAGE.replace('==', '-')}`)
  const python = join(folder, 'bin', 'python3')
  if (existsSync(folder)) return python
  await mkdir(cache, { recursive: true })
  const making = await mkdtemp(`${folder}.making-`)
  try {
    await run('python3', ['-m', 'venv', making])
    await run(join(making, 'bin', 'python3'), [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      PACKAGE,
    ])
    await rename(making, folder)
  } catch (error) {
    await rm(making, { recursive: true, force: true })
    if (!existsSync(folder)) throw error // Else another test was faster.
  }
  return python
}

const run = promisify(execFile)
