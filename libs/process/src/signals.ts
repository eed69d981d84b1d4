/** What the operating system and Node tell a process from outside of its own code. */
import { spawn } from 'node:child_process'
import { standardError, standardOutput } from '@millhand/telemetry'

export interface ProcessEvents {
  /** The first signal to stop. */
  onSignal(signal: 'SIGINT' | 'SIGTERM'): void
  /** An exception or a rejection that nobody caught. */
  onUncaught(error: unknown): void
}

/** Exit codes of a process that a signal ended: 128 and the signal's number. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const

/** Listens until the function that it answers is called. The second signal ends the process at once. */
export function watchProcess({ onSignal, onUncaught }: ProcessEvents): () => void {
  let signals = 0
  const signalled = (signal: 'SIGINT' | 'SIGTERM') => {
    signals++
    if (signals > 1) {
      void endProcess(exitCodes[signal])
      return
    }
    onSignal(signal)
  }
  // A reader that is gone makes an error of these streams, whoever writes: that must not end the process.
  for (const stream of [process.stdout, process.stderr]) stream.off('error', ignore).on('error', ignore)
  process.on('SIGINT', signalled)
  process.on('SIGTERM', signalled)
  process.on('uncaughtException', onUncaught)
  process.on('unhandledRejection', onUncaught)
  return () => {
    process.off('SIGINT', signalled)
    process.off('SIGTERM', signalled)
    process.off('uncaughtException', onUncaught)
    process.off('unhandledRejection', onUncaught)
  }
}

const ignore = () => {}

/** Exits, also where a line of the log is being written to a disk that stands still: an exit waits for that. */
export async function endProcess(exitCode: number): Promise<never> {
  const areStuck = await Promise.all([standardError().isStuck(), standardOutput().isStuck()])
  if (areStuck.includes(true)) killUnlessEnded()
  process.exit(exitCode)
}

/**
 * Kills this process in a second unless it has ended: `process.exit` waits for threads, and one may be blocked for ever,
 * in a write to a disk that stands still for example.
 */
export function killUnlessEnded(): void {
  const code = `setTimeout(() => process.ppid === ${process.pid} && process.kill(${process.pid}, 'SIGKILL'), 1000)`
  spawn(process.execPath, ['-e', code], { stdio: 'ignore', detached: true }).on('error', ignore).unref()
}
