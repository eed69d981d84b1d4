/** Work that takes no longer than it may. */
import { runInNewContext } from 'node:vm'

/** It was stopped where it was. */
export class TooLong extends Error {}

/**
 * What `work` gives, which is one call and waits for nothing. Throws `TooLong` where it takes longer. V8 itself stops it: TypeScript
 * asks a token of its own between declarations alone, and a single type may take minutes.
 */
export function within<Value>(milliseconds: number, work: () => Value): Value {
  try {
    return runInNewContext('work()', { work }, { timeout: Math.max(1, Math.ceil(milliseconds)) })
  } catch (error) {
    if (isOutOfTime(error)) throw new TooLong()
    throw error
  }
}

/** The error is of another realm: it is no `Error` of this one. */
const isOutOfTime = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
