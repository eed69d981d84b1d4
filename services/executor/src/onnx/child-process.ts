/** A child process of the runner: its limits, its messages one after the other, its end. */
import { type ChildProcess as NodeChild, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Log } from '@millhand/telemetry'
import { makeFolder, removeFolder } from '../own-folder.ts'
import { RunnerGone } from '../runner.ts'
import { readFromChild } from './from-child.ts'
import { MAX_OUTPUT_BYTES } from './output-bound.ts'
import { type FromChild, type ToChild, tellsOfMemory } from './protocol.ts'

export interface ChildProcess {
  send(message: ToChild): void
  /**
   * The next message. Rejects with `RunnerGone` when the process ends first: who will not wait, kills it. One that says
   * what the protocol does not know is killed, and has crashed.
   */
  next(): Promise<FromChild>
  /** The last 4 KiB that it wrote to standard error. */
  stderr(): string
  /** SIGKILL; resolves when the process is gone and reaped. Idempotent. `why` is what it is then `gone` for. */
  kill(why?: RunnerGone): Promise<void>
  readonly gone: Promise<RunnerGone>
  /** Where it lives; empty but for what it writes, and removed with it. */
  readonly folder: string
}

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url))
const STDERR_CHARACTERS = 4096
/** More messages than a child has to say that nobody has asked for yet. */
const MOST_UNREAD = 64

/**
 * RLIMIT_DATA counts private writable memory whether it is in use or not, and so more than what is resident: V8, thread
 * stacks and arenas that are set aside. Measured: some 550 MB more than is resident.
 */
const SET_ASIDE_BYTES = 768 * 2 ** 20
const HEAP_SHARE = 0.5
const MIB = 2 ** 20

/**
 * What a file of its may have: an output, or a picture of the most pixels that libvips puts aside as samples of 16 bits.
 * In units of 512 bytes, by POSIX.
 */
const FILE_BLOCKS = (MAX_OUTPUT_BYTES + 256 * MIB) / 512

// `ulimit -d` refuses memory at once, where the watchdog would look only at its next tick. No core files.
const LIMITED = `ulimit -c 0; ulimit -f ${FILE_BLOCKS}; ulimit -d "$0"; exec "$@"`

interface ChildOptions {
  readonly memoryLimitBytes: number
  readonly log: Log
}

/** Throws `RunnerGone('not_started')` when that is known at once; else the process that is `gone` says so. */
export function startChild({ memoryLimitBytes, log }: ChildOptions): ChildProcess {
  const { child, folder } = spawnIn(memoryLimitBytes, log)
  let stderr = ''
  let killed: RunnerGone | undefined
  let ended: RunnerGone | undefined
  const waiting: { resolve(message: FromChild): void; reject(error: unknown): void }[] = []
  const arrived: FromChild[] = []

  const stop = (because: RunnerGone) => {
    if (ended) return
    killed ??= because
    child.kill('SIGKILL')
  }

  // Neither is there when the process could not be started.
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_CHARACTERS)
  })
  child.stderr?.on('error', error => log.warn('model.stderr_unreadable', { error }))
  child.on('message', said => {
    if (killed) return
    const message = readFromChild(said)
    if (!message) return stop(new RunnerGone('crashed', 'the process of the model said what it may not'))
    const next = waiting.shift()
    if (next) next.resolve(message)
    else if (arrived.length < MOST_UNREAD) arrived.push(message)
    else stop(new RunnerGone('crashed', 'the process of the model said more than it may'))
  })
  const gone = new Promise<RunnerGone>(resolve => {
    const end = (gone: RunnerGone) => {
      if (ended) return
      ended = gone
      removeFolder(folder, log)
      for (const { reject } of waiting.splice(0)) reject(ended)
      resolve(ended)
    }
    // `close` comes after `exit`, when standard error has been read to its end.
    child.on('close', (code, signal) => end(killed ?? why(stderr, signal ?? `code ${code}`)))
    // A message or a signal that does not reach it is an error too; that it is gone is told by `close` then.
    child.on('error', error => child.pid === undefined && end(notStarted(error)))
  })

  return {
    gone,
    folder,
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
    async kill(because = new RunnerGone('killed', 'the run was stopped')) {
      stop(because)
      await gone
    },
  }
}

function spawnIn(memoryLimitBytes: number, log: Log): { child: NodeChild; folder: string } {
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
  let folder: string | undefined
  try {
    folder = makeFolder('model')
    const child = spawn('sh', ['-c', LIMITED, String(dataKib), ...node], {
      cwd: folder,
      // Nothing of ours: no key or address may reach a process that reads hostile input.
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    })
    return { child, folder }
  } catch (error) {
    if (folder !== undefined) removeFolder(folder, log)
    throw notStarted(error)
  }
}

const notStarted = (cause: unknown) => new RunnerGone('not_started', 'no process could be started', { cause })

function why(stderr: string, what: string): RunnerGone {
  return tellsOfMemory(stderr)
    ? new RunnerGone('out_of_memory', 'the run needed more memory than it may have')
    : new RunnerGone('crashed', `the process of the model ended by itself (${what})`)
}
