/** The process that does the work where bubblewrap was started, which started it: its number on this machine, and its end. */
import { childrenOf } from './process-usage.ts'

/** Undefined while it is not there yet, or no longer, and where that can't be read now. */
export function realPid(pid: number | undefined, generations: number): number | undefined {
  let found = pid
  try {
    for (let generation = 0; generation < generations && found !== undefined; generation++) [found] = childrenOf(found)
    return found
  } catch {
    return undefined
  }
}

/**
 * Ends the first process within, and Bubblewrap ends after it: ended before it, it leaves one that is still being set up to
 * wait for ever, and that one to be reaped by whoever is process 1. One that can't be seen yet is of Bubblewrap's group.
 */
export function endSandbox(pid: number | undefined): void {
  if (pid !== undefined) killNow(realPid(pid, 1) ?? -pid)
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has gone.
  }
}
