/** The process that does the work where bubblewrap was started, which started it: its number on this machine, and its end. */
import { readFileSync } from 'node:fs'

/** Undefined while it is not there yet, or no longer. */
export function realPid(pid: number | undefined, generations: number): number | undefined {
  let found = pid
  for (let generation = 0; generation < generations && found !== undefined; generation++) found = childOf(found)
  return found
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

function childOf(pid: number): number | undefined {
  try {
    const first = Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'), 10)
    return first > 0 ? first : undefined
  } catch {
    return undefined
  }
}
