/** A child process of the runner: its limits, its messages one after the other, its end. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RunnerGone } from '../model-runner.ts'
import { type FromChild, type ToChild, tellsOfMemory } from './protocol.ts'

export interface ChildProcess {
  send(message: ToChild): void
  /** The next message. Rejects with `RunnerGone` when the process ends first: who will not wait, kills it. */
  next(): Promise<FromChild>
  /** The last 4 KiB that it wrote to standard error. */
  stderr(): string
  /** SIGKILL; resolves when the process is gone and reaped. Idempotent. */
  kill(): Promise<void>
  readonly gone: Promise<RunnerGone>
}

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url))
const STDERR_CHARACTERS = 4096

/**
 * RLIMIT_DATA counts private writable memory whether it is in use or not, and so more than what is resident: V8, thread
 * stacks and arenas that are set aside. Measured: some 550 MB more than is resident.
 */
const SET_ASIDE_BYTES = 768 * 2 ** 20
const HEAP_SHARE = 0.5
const MIB = 2 ** 20

// `ulimit -d` refuses memory at once, where the watchdog would look only at its next tick. No core files.
const LIMITED = 'ulimit -c 0; ulimit -d "$0"; exec "$@"'

export function startChild({ memoryLimitBytes }: { readonly memoryLimitBytes: number }): ChildProcess {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-model-'))
  const node = [
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    '--disable-proto=delete',
    `--max-old-space-size=${Math.floor((memoryLimitBytes * HEAP_SHARE) / MIB)}`,
    CHILD,
    String(process.pid),
    String(memoryLimitBytes),
  ]
  const dataKib = Math.floor((memoryLimitBytes + SET_ASIDE_BYTES) / 1024)
  const child = spawn('sh', ['-c', LIMITED, String(dataKib), ...node], {
    cwd: folder,
    // Nothing of ours: no key or address may reach a process that reads hostile input.
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  })

  let stderr = ''
  let killed = false
  let ended: RunnerGone | undefined
  const waiting: { resolve(message: FromChild): void; reject(error: unknown): void }[] = []
  const arrived: FromChild[] = []

  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_CHARACTERS)
  })
  child.on('message', message => {
    const next = waiting.shift()
    if (next) next.resolve(message as FromChild)
    else arrived.push(message as FromChild)
  })
  const gone = new Promise<RunnerGone>(resolve => {
    const end = (what: string) => {
      if (ended) return
      ended = why(killed, stderr, what)
      rmSync(folder, { recursive: true, force: true })
      for (const { reject } of waiting.splice(0)) reject(ended)
      resolve(ended)
    }
    // `close` comes after `exit`, when standard error has been read to its end.
    child.on('close', (code, signal) => end(signal ?? `code ${code}`))
    child.on('error', error => child.pid === undefined && end(error.message))
  })

  return {
    gone,
    stderr: () => stderr,
    send(message) {
      // A process that is gone says so through `next`.
      if (child.connected) child.send(message, () => undefined)
    },
    next() {
      const message = arrived.shift()
      if (message) return Promise.resolve(message)
      if (ended) return Promise.reject(ended)
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
    },
    async kill() {
      if (!ended) {
        killed = true
        child.kill('SIGKILL')
      }
      await gone
    },
  }
}

function why(killed: boolean, stderr: string, what: string): RunnerGone {
  if (killed) return new RunnerGone('killed', 'the run was stopped')
  return tellsOfMemory(stderr)
    ? new RunnerGone('out_of_memory', 'the run needed more memory than it may have')
    : new RunnerGone('crashed', `the process of the model ended by itself (${what})`)
}
