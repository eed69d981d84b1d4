/** What tests of code may use. */

/** What all tests of one language together may take. */
const MOST_SECONDS = 5

/**
 * Says whether the time is over that tests have from now on. It is processor time, all threads of this process counted: no test
 * fails because the machine has much to do. Nothing in the sandbox can wait without using it.
 */
export function startTime(): () => boolean {
  const end = processorMs() + MOST_SECONDS * 1_000
  return () => processorMs() > end
}

export const STOPPED = `stopped after ${MOST_SECONDS} s`

function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** What code may hold. */
export const MOST_BYTES = 256 * 2 ** 20
