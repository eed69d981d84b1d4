/**
 * A Docker engine of its own, in namespaces of its own: its bridges, firewall rules, mounts and processes are invisible to the
 * machine, and the kernel removes them all with it, however the test ends. Images are made from files, without a registry.
 */
import { execFile, execFileSync, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, rmdir, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { hasVersion, missing, printed } from './missing.ts'
import { pauseProcess, signalled } from './pause-process.ts'
import { type ServerProcess, startProcess } from './server-process.ts'

const run = promisify(execFile)

/** `address` is the URL of its socket. `kill` kills the engine alone: its containers live on, as on a real host. */
export interface Docker extends ServerProcess {
  /** A command and its words, to be started in the engine's network. */
  inNetwork(...words: readonly string[]): [string, ...string[]]
  /** Restarts it, and keeps what it has on its disk for `restore`. */
  snapshot(): Promise<void>
  /** Restarts it with what it had at the snapshot: what is newer has never been, as on a machine that is restored. */
  restore(): Promise<void>
  /** Runs Docker's own client against it, and returns what it prints. */
  docker(...words: readonly string[]): Promise<string>
  /** Makes an image from a folder, which becomes its root. */
  importImage(folder: string, reference: string, changes?: readonly string[]): Promise<void>
}

/** Why suites that need it skip: false where an engine can be started, and under CI, where nothing skips. */
export const dockerMissing: string | false = missing(
  'needs root, Docker Engine 20.10 or later and a static busybox (Debian: docker.io, busybox-static)',
  () =>
    process.getuid?.() === 0 &&
    hasVersion(printed('dockerd', ['--version']), 20, 10) &&
    printed('unshare', ['--mount', '--net', '--pid', '--fork', 'true']) === '' &&
    printed('busybox', ['true']) === '',
)

export interface DockerOptions {
  /** `--label`s of the engine, by which an operator says what a host has. */
  readonly labels?: Readonly<Record<string, string>>
  readonly flags?: readonly string[]
}

/** An engine without images, networks and a default bridge. Takes about 2 s. */
export async function startDocker({ labels = {}, flags = [] }: DockerOptions = {}): Promise<Docker> {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-docker-'))
  const socket = join(folder, 'docker.sock')
  const [root, kept] = [join(folder, 'root'), join(folder, 'snapshot')]
  const group = await cgroupOf(basename(folder))
  // Whoever holds the namespaces outlives the engine, so that the engine can be killed and started again beneath its containers.
  const holder = await startProcess(folder, () => [...HOLDER, HELD], /held/)
  const inside = (kinds: readonly string[]) => ['nsenter', '--target', String(childOf(holder.pid)), ...kinds]
  const engine = await startProcess(
    `unix://${socket}`,
    () => [
      ...inside(['--mount', '--net', '--pid']),
      'dockerd',
      ...['--data-root', root, '--exec-root', join(folder, 'exec'), '--pidfile', join(folder, 'pid')],
      ...['--host', `unix://${socket}`, '--bridge', 'none', '--cgroup-parent', group, '--live-restore=false'],
      ...Object.entries(labels).flatMap(([name, value]) => ['--label', `${name}=${value}`]),
      ...flags,
    ],
    /API listen on/,
  ).catch(async error => {
    await holder.kill()
    throw error
  })
  // `nsenter` forks to enter, and hands on the end of what it has started, but no signal.
  const pid = () => childOf(engine.pid)
  const ended = async (signal: NodeJS.Signals) => {
    const ending = pid()
    if (ending === undefined) return
    signalled(ending, signal)
    signalled(ending, 'SIGCONT') // One that is paused hears nothing else.
    while (isAlive(ending)) await setTimeout(20)
    await engine.kill()
  }
  const env = { ...process.env, DOCKER_HOST: `unix://${socket}` }
  const docker = async (...words: readonly string[]) => {
    const { stdout } = await run('docker', words, { env, maxBuffer: 2 ** 26 })
    return stdout
  }
  const start = async () => {
    await rm(join(folder, 'pid'), { force: true }) // Of the engine that was killed.
    await engine.start()
  }
  const restartWith = async (from: string, to: string) => {
    await ended('SIGTERM')
    await rm(to, { recursive: true, force: true })
    await run('cp', ['--archive', from, to])
    await start()
  }
  return Object.create(engine, {
    snapshot: { value: () => restartWith(root, kept) },
    restore: { value: () => restartWith(kept, root) },
    docker: { value: docker },
    inNetwork: { value: (...words: string[]) => [...inside(['--net']), ...words] },
    importImage: {
      value: async (tree: string, reference: string, changes: readonly string[] = []) =>
        piped(
          ['tar', '--numeric-owner', '-C', tree, '-c', '.'],
          ['docker', 'import', ...options(changes), '-', reference],
          env,
        ),
    },
    pid: { get: () => pid() ?? 0 },
    start: { value: start },
    stop: { value: () => ended('SIGTERM') },
    kill: { value: () => ended('SIGKILL') },
    pause: { value: () => pauseProcess(pid()) },
    resume: { value: () => signalled(pid(), 'SIGCONT') },
    [Symbol.asyncDispose]: {
      value: async () => {
        await holder.kill() // With it go the engine and its containers.
        await engine.kill()
        await removeCgroups(group)
        await rm(folder, { recursive: true, force: true })
      },
    },
  })
}

/** The root of an image of some 2 MB, with busybox and its commands; `files` are added, by path. */
export async function busyboxRoot(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'millhand-root-'))
  for (const name of ['bin', 'etc', 'proc', 'sys', 'dev', 'tmp', 'data']) await mkdir(join(root, name))
  const busybox = execFileSync('sh', ['-c', 'command -v busybox'], { encoding: 'utf8' }).trim()
  await copyFile(busybox, join(root, 'bin', 'busybox'))
  const applets = execFileSync(busybox, ['--list'], { encoding: 'utf8' }).trim().split('\n')
  for (const applet of applets) if (applet !== 'busybox') await symlink('busybox', join(root, 'bin', applet))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text, { mode: 0o755 })
  }
  return root
}

const HOLDER = [
  'unshare',
  ...['--mount', '--net', '--pid', '--fork', '--kill-child', '--propagation', 'private', 'sh', '-c'],
]
/** Also the process that the kernel gives the orphans of a killed engine to: a shell reaps them while it waits. */
const HELD = `ip link set lo up 2>/dev/null || ifconfig lo up 2>/dev/null || busybox ifconfig lo up
mount -t proc proc /proc
echo held
while :; do sleep 1; done`

/** The one child of `unshare` or `nsenter`. */
function childOf(pid: number): number | undefined {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
  const [child] = stdout.trim().split(/\s+/)
  return child ? Number(child) : undefined
}

const isAlive = (pid: number): boolean => signalled(pid, 0)

/** Below the test's own processor group where it has one, so that containers take no more of the machine than the test may. */
async function cgroupOf(name: string): Promise<string> {
  const lines = (await readFile('/proc/self/cgroup', 'utf8')).split('\n')
  const own = lines.map(line => /^\d+:cpu(?:,cpuacct)?:(.*)$/.exec(line)?.[1]).find(path => path !== undefined) ?? '/'
  return join(own, name)
}

async function removeCgroups(group: string): Promise<void> {
  const top = '/sys/fs/cgroup'
  for (const controller of ['', ...(await readdir(top))]) {
    const folder = join(top, controller, group)
    if (!existsSync(folder)) continue
    for (const container of await readdir(folder, { withFileTypes: true }))
      if (container.isDirectory()) await rmdir(join(folder, container.name)).catch(() => {})
    await rmdir(folder).catch(() => {}) // A process that is still ending leaves an empty group behind.
  }
}

const options = (changes: readonly string[]) => changes.flatMap(change => ['--change', change])

/** Runs one command with the output of another; rejects where either fails. */
async function piped(from: readonly string[], to: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const started = (words: readonly string[], stdio: SpawnOptions['stdio']) =>
    spawn(words[0] as string, words.slice(1), { env, stdio: stdio as SpawnOptions['stdio'] })
  const source = started(from, ['ignore', 'pipe', 'inherit'])
  const target = started(to, ['pipe', 'ignore', 'inherit'])
  source.stdout?.pipe(target.stdin as NonNullable<typeof target.stdin>)
  const ended = [source, target].map(
    child =>
      new Promise<void>((resolve, reject) => {
        child.once('error', reject)
        child.once('close', code =>
          code === 0 ? resolve() : reject(new Error(`${child.spawnfile} ended with ${code}`)),
        )
      }),
  )
  await Promise.all(ended)
}
