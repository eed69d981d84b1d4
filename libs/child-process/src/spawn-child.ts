/** How a child process is started: its folder, its limits, its user. */
import { spawn } from 'node:child_process'
import { chmodSync, chownSync, linkSync } from 'node:fs'
import type { Log } from '@millhand/telemetry'
import type { DeviceAccess } from './devices.ts'
import { type Lock, nodeOptions, visible } from './node-permissions.ts'
import { sandbox, wrapCommand } from './os-sandbox.ts'
import { RunnerGone } from './task-runner.ts'
import { makeTempFolder, removeTempFolder } from './temp-folder.ts'

/** What `ChildOptions` says of the start; there each is explained. */
interface SpawnOptions {
  readonly script: string
  readonly lock: Lock
  readonly memoryLimitBytes: number
  readonly devices?: DeviceAccess
  readonly fileBytes: number
  readonly processorSeconds?: number
  readonly log: Log
}

/**
 * RLIMIT_DATA counts private writable memory whether it is in use or not, and so more than what is resident: V8, thread
 * stacks and arenas that are set aside. Measured: some 550 MB more than is resident.
 */
const SET_ASIDE_BYTES = 768 * 2 ** 20
const HEAP_SHARE = 0.5
/**
 * V8 would let its youngest objects take three times 64 MiB before it looks for garbage among them. Measured over 500,000
 * lines of a batch task: with 4 MiB the process of the model grows by 6 MiB and not by 58, and takes as long.
 */
const YOUNG_MIB = 4
const MIB = 2 ** 20

// `ulimit -d` refuses memory at once, where the watchdog would look only at its next tick. No core files. Sizes of files
// are in units of 512 bytes, by POSIX.
const LIMITED =
  'ulimit -c 0; ulimit -d "$0"; ulimit -f "$1"; ulimit -t "$2"; cd "$3" && unset OLDPWD && shift 3 && exec "$@"'

/** What a child may have resident. */
export const residentLimit = ({ memoryLimitBytes, devices }: Pick<SpawnOptions, 'memoryLimitBytes' | 'devices'>) =>
  memoryLimitBytes + (devices?.residentBytes ?? 0)

/** Starts the process in a folder of its own, with its limits and its sandbox. Throws `RunnerGone('not_started')`. */
export function spawnChild(options: SpawnOptions) {
  const { script, lock, memoryLimitBytes, devices, fileBytes, log } = options
  const plan = sandbox()
  const node = (folder: string) => [
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    '--disable-proto=delete',
    `--max-semi-space-size=${YOUNG_MIB}`,
    `--max-old-space-size=${Math.floor((memoryLimitBytes * HEAP_SHARE) / MIB)}`,
    ...nodeOptions(lock, folder, fileBytes),
    script,
    String(plan.tool === 'bwrap' ? REAPER : process.pid),
    String(residentLimit(options)),
  ]
  // Drivers of GPUs map their devices' memory as data: there the watch from outside is the only bound.
  const dataKib = devices ? 'unlimited' : Math.floor((memoryLimitBytes + SET_ASIDE_BYTES) / 1024)
  let folder: string | undefined
  try {
    folder = makeTempFolder('model')
    const limits = [dataKib, Math.ceil(fileBytes / 512), options.processorSeconds ?? 'unlimited', folder].map(String)
    const needs = { folder, writes: fileBytes > 0, readable: visible(lock), ...(devices && { devices }) }
    const wrapped = wrapCommand(plan, ['sh', '-c', LIMITED, ...limits, ...node(folder)], needs)
    const { uid, generations } = wrapped
    if (uid !== undefined) shareWith(folder, uid, fileBytes > 0 ? 0o770 : 0o750)
    else if (plan.firstUid !== undefined) warnOfNoUser(script, log)
    const [command = '', ...given] = wrapped.command
    const child = spawn(command, given, {
      cwd: folder,
      // Nothing of ours: no key or address may reach a process that reads hostile input.
      // In the sandbox its user has no home of its own that the system could name.
      env: { PATH: process.env.PATH, ...NO_TELEMETRY, ...(plan.tool !== 'none' && { HOME: '/' }), ...devices?.env },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      detached: generations > 0, // A process group of its own.
    })
    return { child, folder, generations, uid }
  } catch (error) {
    if (folder !== undefined) removeTempFolder(folder, log)
    throw notStarted(error)
  }
}

/** ONNX Runtime (1.30, Linux) else sends what models look like to its maker, and writes a database in the user's home. */
const NO_TELEMETRY = { ORT_DISABLE_TELEMETRY: '1' } as const

/** Once for each script. */
function warnOfNoUser(script: string, log: Log): void {
  if (warned.has(script)) return
  warned.add(script)
  log.warn('sandbox.no_own_user', { script, remedy: 'let other users read its files: until then it runs as this one' })
}

const warned = new Set<string>()

/** The parent of the process that does the work, as it sees that in a name space of its own. */
const REAPER = 1

/** A hard link: a copy would take as long as the file is large. The child's user may read it, and not write it. */
export function linkFile(path: string, link: string, uid: number | undefined): string {
  if (uid !== undefined) shareWith(path, uid, 0o640)
  linkSync(path, link)
  return link
}

/**
 * By its group alone. It stays ours: a child that owned its folder could put a link in the folder's place, and a later
 * start would not remove what a killed process left.
 */
function shareWith(path: string, gid: number, mode: number): void {
  chownSync(path, -1, gid)
  chmodSync(path, mode)
}

export const notStarted = (cause: unknown) => new RunnerGone('not_started', 'no process could be started', { cause })
