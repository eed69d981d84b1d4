/** Work that takes no more processor time than it may. */
import { runInNewContext } from 'node:vm'

/** The work was stopped in its middle. */
export class TooLong extends Error {}

/** Processor time that calls of `within` share. */
export interface Budget {
  milliseconds: number
}

/**
 * The result of what `begin` returns: one call that waits for nothing. Throws `TooLong` where the call uses more processor time
 * than is left of the budget. `begin` itself is not stopped and not counted.
 *
 * V8 stops the call, because TypeScript asks a token of its own between declarations alone, and a single type may take minutes.
 * V8 counts wall time. On a busy machine a call that was stopped may have used little of the processor: it begins again with more.
 */
export function within<Value>(budget: Budget, begin: () => () => Value): Value {
  const most = Math.max(1, budget.milliseconds)
  let timeout = most
  for (let attempt = 1; ; attempt++) {
    const work = begin()
    const from = process.threadCpuUsage()
    try {
      const value = runInNewContext('work()', { work }, { timeout: Math.ceil(timeout) })
      budget.milliseconds -= millisecondsSince(from)
      return value
    } catch (error) {
      if (!isOutOfTime(error)) throw error
    }
    const used = millisecondsSince(from)
    if (used >= most * NEARLY || attempt === MOST_ATTEMPTS) {
      budget.milliseconds = 0
      throw new TooLong()
    }
    timeout = Math.min(most * MOST_SLOWER, (timeout * most * 2) / Math.max(1, used))
  }
}

/** A thread that has a core of its own still loses a little of it. */
const NEARLY = 0.8

const MOST_ATTEMPTS = 3

/** A machine on which the thread gets less of a core than one part in so many is too busy for the work. */
const MOST_SLOWER = 20

function millisecondsSince(from: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(from)
  return (user + system) / 1000
}

/** The error is of another realm: it is no `Error` of this one. */
const isOutOfTime = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
