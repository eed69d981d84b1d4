/** What the operating system and Node tell a process from outside of its own code. */

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
    if (signals > 1) process.exit(exitCodes[signal])
    onSignal(signal)
  }
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
