/**
 * The wall that the operating system puts around a child process, below Node's own lock: what is compromised in native code
 * stands before this one. One place chooses it, by what the machine has. docs/decisions/walls.md
 */
import { type ExecFileException, execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Log } from '@millhand/telemetry'
import type { DeviceAccess } from './devices.ts'
import { listsChildren } from './process-usage.ts'

export type SandboxMode = 'auto' | 'required' | 'off'

export interface SandboxPlan {
  readonly tool: 'bwrap' | 'setpriv' | 'none'
  /** Whether children get a user each, beginning with this. Only where this process is root. */
  readonly firstUid: number | undefined
  /** What is not closed, in words. */
  readonly missing: readonly string[]
}

/** What a child needs to see. */
export interface Needs {
  /** Its own folder, and whether it writes there. */
  readonly folder: string
  readonly writes: boolean
  /** Files and folders that it reads. */
  readonly readable: readonly string[]
  /** What it computes on beside the processor. */
  readonly devices?: DeviceAccess
}

const ROOT = resolve(import.meta.dirname, '../../..')
/** Nobody's: beyond what systems and containers give to users. */
const FIRST_UID = 1_900_000_000
const UIDS = 1_000_000
/** Processes and threads of one child, and files that it has open. */
const MAX_PROCESSES = 1_024
const MAX_FILES = 1_024

const OFF: SandboxPlan = { tool: 'none', firstUid: undefined, missing: ['it is switched off (MILLHAND_SANDBOX)'] }

let chosen = OFF
/** Begins anywhere: children of other processes on this machine are to have other users. */
let children = randomInt(UIDS)

/** To be called at the start. Rejects where `required` is not to be had. What is not closed is one line of the log. */
export async function chooseSandbox(mode: SandboxMode, log: Log): Promise<SandboxPlan> {
  chosen = mode === 'off' ? OFF : await detectSandbox()
  if (mode === 'required' && chosen.tool !== 'bwrap')
    throw new Error(`MILLHAND_SANDBOX is "required", and this machine lacks it: ${chosen.missing.join('; ')}.`)
  if (chosen.missing.length > 0) log.warn('sandbox.incomplete', { tool: chosen.tool, missing: chosen.missing })
  else log.info('sandbox.complete', { tool: chosen.tool })
  return chosen
}

/** What was chosen for this process. */
export const sandbox = (): SandboxPlan => chosen

/** The best that works here: each is tried on a process that does nothing. `path` is where its tools are looked for. */
export async function detectSandbox(path = process.env.PATH ?? ''): Promise<SandboxPlan> {
  const isRoot = process.getuid?.() === 0
  const uids = isRoot ? [FIRST_UID, NOBODY, undefined] : [undefined]
  const faults: string[] = []
  if (process.platform === 'linux')
    for (const tool of ['bwrap', 'setpriv'] as const)
      for (const firstUid of uids) {
        const plan = { tool, firstUid, missing: missingOf(tool, isRoot && firstUid === undefined, faults[0]) }
        const fault = await tried(plan, path)
        if (fault === undefined) return plan
        faults.push(fault)
      }
  return { ...OFF, missing: missingOf('none', isRoot, faults[0] ?? 'it is for Linux') }
}

const NOBODY = 65_534

const missingOf = (tool: SandboxPlan['tool'], isRoot: boolean, fault: string | undefined) => [
  ...(tool === 'bwrap'
    ? []
    : [`children share this machine's files, network and processes: bubblewrap does not work here (${fault})`]),
  ...(isRoot ? ['children run as root: no other user can read what they need'] : []),
  ...(tool === 'none' ? ['children may gain privileges: there is no setpriv'] : []),
]

async function tried(plan: SandboxPlan, path: string): Promise<string | undefined> {
  // What is behind Bubblewrap is found by it, and held to its limits.
  if (plan.tool === 'bwrap' && !listsChildren()) return 'this kernel does not list the children of a process'
  const needs = { folder: '/', writes: false, readable: [import.meta.filename] }
  const read = `require('fs').readFileSync(${JSON.stringify(import.meta.filename)})`
  const wrapped = wrapCommand(plan, [process.execPath, '-e', read], needs)
  if (plan.firstUid !== undefined && wrapped.uid === undefined) return 'no other user can read this program'
  const [command = '', ...given] = wrapped.command
  try {
    await execute(command, given, { env: { PATH: path }, timeout: 20_000 })
    return undefined
  } catch (error) {
    const { code, stderr, message } = error as ExecFileException & { stderr?: string }
    if (code === 'ENOENT') return `there is no ${command}`
    return stderr?.trim().split('\n')[0] || message
  }
}

const execute = promisify(execFile)

export interface Wrapped {
  readonly command: readonly string[]
  /** The child's user and group, of one number; undefined for this process's own. */
  readonly uid: number | undefined
  /** Between the process that is started and the one that does the work. */
  readonly generations: 0 | 2
}

/** The command with the wall around it. What it is started with beyond standard error, it hands on. */
export function wrapCommand(plan: SandboxPlan, command: readonly string[], needs: Needs): Wrapped {
  const isReadable = needs.readable.every(isForAll) && [process.execPath, ROOT].every(isForAllOrRoot(plan))
  const uid = plan.firstUid === undefined || !isReadable ? undefined : uidOf(plan.firstUid)
  const inner =
    plan.tool === 'none' ? command : [...privileges(uid, needs.devices?.groups), ...limits(plan, uid), ...command]
  if (plan.tool !== 'bwrap') return { command: inner, uid, generations: 0 }
  return { command: ['bwrap', ...namespaces(uid), ...mounts(needs), '--', ...inner], uid, generations: 2 }
}

const uidOf = (first: number) => (first === FIRST_UID ? first + (children++ % UIDS) : first)

const privileges = (uid: number | undefined, groups: readonly number[] = []) => [
  'setpriv',
  '--no-new-privs',
  ...(uid === undefined
    ? []
    : [
        `--reuid=${uid}`,
        `--regid=${uid}`,
        groups.length === 0 ? '--clear-groups' : `--groups=${groups.join()}`,
        '--bounding-set=-all',
      ]),
  '--inh-caps=-all',
]

/** Whether all processes of a user are those of one child. */
export const isOwnUser = (uid: number | undefined): uid is number => (uid ?? 0) >= FIRST_UID

/** Linux counts processes by user: of one that is not the child's own they are not bounded. */
const limits = ({ tool }: SandboxPlan, uid: number | undefined) => {
  const isItsOwn = isOwnUser(uid) || (tool === 'bwrap' && process.getuid?.() !== 0)
  return ['prlimit', '--core=0', `--nofile=${MAX_FILES}`, ...(isItsOwn ? [`--nproc=${MAX_PROCESSES}`] : []), '--']
}

const namespaces = (uid: number | undefined) => [
  ...(process.getuid?.() === 0 ? [] : ['--unshare-user', '--disable-userns']),
  ...['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
  ...['--die-with-parent', '--new-session', '--hostname', 'sandbox', '--cap-drop', 'ALL'],
  // To become another user, which takes them away for good.
  ...(uid === undefined ? [] : ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap(name => ['--cap-add', name])),
]

const SYSTEM = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/etc/ld.so.cache',
  '/etc/os-release',
  '/nix/store',
]

/** Whether the child sees it with a folder of the system: nothing can be made or bound there any more. */
const isOfSystem = (path: string): boolean => SYSTEM.some(folder => path === folder || path.startsWith(`${folder}/`))

function mounts({ folder, writes, readable, devices }: Needs): string[] {
  const system = SYSTEM.filter(path => existsSync(path)).flatMap(path =>
    lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path],
  )
  const paths = [
    ...new Set([realpathSync(process.execPath), join(ROOT, 'node_modules'), ...readable, ...(devices?.readable ?? [])]),
  ].filter(path => !isOfSystem(path))
  const bound = folder === '/' ? paths : [...paths, folder]
  // Bubblewrap makes them for its own user alone.
  const folders = new Set(bound.flatMap(path => above(dirname(path)).toReversed()).filter(path => path !== '/'))
  return [
    ...['--perms', '0755', '--dir', '/etc'],
    ...system,
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
    ...(devices?.devices ?? []).flatMap(path => ['--dev-bind-try', path, path]),
    ...[...folders].flatMap(path => ['--perms', '0755', '--dir', path]),
    ...paths.flatMap(path => ['--ro-bind-try', path, path]),
    ...(folder === '/' ? [] : [writes ? '--bind' : '--ro-bind', folder, folder]),
    ...(devices
      ? KERNEL_FILES.filter(path => existsSync(path)).flatMap(path => ['--ro-bind', path, path])
      : WHOLE_PROC),
    // Devices stay as they are: each is a mount of its own, and written to without changing a folder.
    ...['--remount-ro', '/dev', '--remount-ro', '/tmp', '--remount-ro', '/', '--chdir', '/'],
  ]
}

/** Settings of the kernel are files of root's: it could write them there without any right. */
const WHOLE_PROC = ['--remount-ro', '/proc']
/** What there is of them: CUDA does not start where it can't write to `/proc/self`. Docker's `readonlyPaths`, and those it masks. */
const KERNEL_FILES = ['bus', 'fs', 'irq', 'sys', 'sysrq-trigger', 'acpi', 'asound', 'mtrr', 'scsi'].map(
  name => `/proc/${name}`,
)

/** What is not there is for the child to say. */
function isForAll(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined || (found.mode & 0o4) !== 0
}

/** Where the child sees this machine's own files, every folder above is to be open too. */
const isForAllOrRoot = (plan: SandboxPlan) => (path: string) =>
  plan.tool === 'bwrap' || above(realpathSync(path)).every(folder => (statSync(folder).mode & 0o1) !== 0)

const above = (path: string): string[] => (path === '/' ? [path] : [path, ...above(dirname(path))])
