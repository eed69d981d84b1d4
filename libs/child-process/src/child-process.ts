/** A child process that runs work: its limits, its messages one after the other, its end. */
import type { ChildProcess as NodeChild } from 'node:child_process'
import { rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { constants } from 'node:os'
import { join } from 'node:path'
import { serialize } from 'node:v8'
import type { DeviceAccess } from './devices.ts'
import { frame } from './frames.ts'
import { Inbox, type InboxOptions } from './inbox.ts'
import type { Lock } from './node-permissions.ts'
import { isOwnUser } from './os-sandbox.ts'
import { diedOfMemory } from './out-of-memory.ts'
import { PIPE_FD } from './pipe.ts'
import { lowerPriority, type ProcessPriority } from './process-priority.ts'
import { endAllOf } from './process-usage.ts'
import { endSandbox, realPid } from './sandbox-pid.ts'
import { linkFile, notStarted, residentLimit, spawnChild } from './spawn-child.ts'
import { RunnerGone } from './task-runner.ts'
import { removeTempFolder } from './temp-folder.ts'
import { watchUsage } from './usage-watch.ts'

export interface ChildProcess<To, From> {
  send(message: To): void
  /**
   * The next message. Rejects with `RunnerGone` when the process ends first: who will not wait, kills it. One that says
   * what the protocol does not know is killed, and has crashed.
   */
  next(): Promise<From>
  /** Its resident memory and that of processes below it, as the kernel counts it, in bytes; 0 once it is gone. */
  memoryBytes(): number
  /**
   * From now on it may use `ms` of processor time, until the function that this returns is called. Beyond it the process
   * is killed, and is `gone` for `processor_limit`.
   */
  limitProcessor(ms: number): () => void
  /** From now on it may use so many cores, asked again and again. Beyond that it is killed, and `gone` as above. */
  limitCores(cores: () => number): void
  /** Lowers its CPU priority from now on. */
  lowerPriority(how: ProcessPriority): void
  /** The last 4 KiB that it wrote to standard error. */
  stderr(): string
  /** SIGKILL; resolves when the process is gone and reaped. Idempotent. `why` is what it is then `gone` for. */
  kill(why?: RunnerGone): Promise<void>
  readonly gone: Promise<RunnerGone>
  /** Where it lives; empty but for what it writes, and removed with it. */
  readonly folder: string
  /** The number on this machine of the process that does the work, whose memory and time count; undefined before and after it. */
  readonly pid: number | undefined
  /** A file of ours that it may read until `unlinkFile`, by a path in its folder. Throws where it has something there. */
  linkFile(path: string, name: string): string
  unlinkFile(path: string): void
}

const STDERR_CHARACTERS = 4096

export interface ChildOptions<From> extends InboxOptions<From> {
  /** What it runs, a path. It gets the number of this process and the memory limit as arguments, for `startWatchdog`. */
  readonly script: string
  /** What it may read and load. */
  readonly lock: Lock
  readonly memoryLimitBytes: number
  /** What it computes on beside the processor. */
  readonly devices?: DeviceAccess
  /** What a file of its may have. */
  readonly fileBytes: number
  /**
   * Processor time of its whole life, to which the kernel holds it: for a process of one run, and where there is no `/proc`
   * too. `limitProcessor` is for each of several runs. Without a limit where left out.
   */
  readonly processorSeconds?: number
}

/** Throws `RunnerGone('not_started')` when that is known at once; else the process that is `gone` says so. */
export function startChild<To extends object, From>(options: ChildOptions<From>): ChildProcess<To, From> {
  const { log } = options
  const memoryLimitBytes = residentLimit(options)
  const { child, folder, generations, uid } = spawnChild(options)
  // Neither this nor standard error is there when the process could not be started.
  const stdio: NodeChild['stdio'] | undefined = child.stdio
  const channel = stdio?.[PIPE_FD] as Socket | undefined
  let stderr = ''
  let killed: RunnerGone | undefined
  let ended: RunnerGone | undefined

  const isRunning = () => !ended && child.exitCode === null && child.signalCode === null
  const workingPid = lazyPid(isRunning, child, generations)
  /** Within Bubblewrap the first process adopts those whose parents have ended. */
  const topPid = lazyPid(isRunning, child, Math.min(generations, 1))

  const stop = (because: RunnerGone) => {
    if (ended) return
    killed ??= because
    end()
  }
  const end = () => {
    if (generations === 0) child.kill('SIGKILL')
    else if (isRunning()) endSandbox(child.pid)
  }

  const watch = watchUsage({ pid: topPid, memoryLimitBytes, isOnlyBound: options.devices !== undefined, stop })
  // Another process may have its number then.
  child.on('exit', () => watch.close())

  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_CHARACTERS)
  })
  child.stderr?.on('error', error => log.warn('worker.stderr_unreadable', { error }))

  const inbox = new Inbox(options, what => {
    stop(new RunnerGone('crashed', `the process said ${what}`))
    channel?.destroy()
  })
  channel?.on('data', chunk => {
    if (!killed) inbox.take(chunk)
  })
  // What is not read any more is not written either: nobody who waits would be told. `close` says why it ended.
  channel?.on('close', end)
  channel?.on('error', () => channel.destroy())

  const gone = new Promise<RunnerGone>(resolve => {
    const finish = (gone: RunnerGone) => {
      if (ended) return
      ended = gone
      watch.close() // One that could not be started has no exit.
      // Bubblewrap's end is that of all within; without it they may live on.
      if (generations === 0 && isOwnUser(uid)) endAllOf(uid)
      removeTempFolder(folder, log)
      inbox.end(ended)
      resolve(ended)
    }
    // `close` comes after `exit`, when standard error has been read to its end.
    child.on('close', (code, signal) => finish(killed ?? why(stderr, signal ?? signalOf(code))))
    // A message or a signal that does not reach it is an error too; that it is gone is told by `close` then.
    child.on('error', error => child.pid === undefined && finish(notStarted(error)))
  })

  return {
    gone,
    folder,
    get pid() {
      return workingPid()
    },
    stderr: () => stderr,
    linkFile: (path, name) => linkFile(path, join(folder, name), uid),
    unlinkFile: path => rmSync(path, { force: true, recursive: true }),
    memoryBytes: () => watch.memoryBytes(),
    limitProcessor: ms => watch.limitProcessor(ms),
    limitCores: cores => watch.limitCores(cores),
    lowerPriority(how) {
      const pid = workingPid()
      if (pid !== undefined) lowerPriority(pid, how)
    },
    send(message) {
      // A process that is gone says so through `next`.
      if (!channel?.writable) return
      channel.cork()
      for (const part of frame(serialize(message))) channel.write(part)
      channel.uncork()
    },
    next: () => inbox.next(),
    async kill(because = new RunnerGone('killed', 'the run was stopped')) {
      stop(because)
      await gone
    },
  }
}

/** The number on this machine of a process so many generations below the child, once it is known; undefined before and after it. */
function lazyPid(isRunning: () => boolean, child: NodeChild, generations: number) {
  let pid: number | undefined
  return () => {
    if (!isRunning()) return undefined
    pid ??= realPid(child.pid, generations)
    return pid
  }
}

/** A shell and bubblewrap say by a number over 128 which signal ended what they started. */
function signalOf(code: number | null): string {
  const [name] = Object.entries(constants.signals).find(([, number]) => number + 128 === code) ?? []
  return name ?? `code ${code}`
}

function why(stderr: string, what: string): RunnerGone {
  return diedOfMemory(stderr)
    ? new RunnerGone('out_of_memory', 'the run needed more memory than it may have')
    : new RunnerGone('crashed', `the process ended by itself (${what})`)
}
