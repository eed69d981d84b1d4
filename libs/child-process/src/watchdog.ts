/**
 * A thread of the child process that ends the process when its parent is gone or its memory is over the limit. A run
 * blocks the child's own event loop, so nothing on that loop could.
 */
import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { OUT_OF_MEMORY } from './out-of-memory.ts'

export interface WatchdogData {
  readonly parent: number
  readonly memoryLimitBytes: number
}

const PERIOD_MS = 100
const STANDARD_ERROR = 2
const { parent, memoryLimitBytes } = workerData as WatchdogData

setInterval(() => {
  const overLimit = process.memoryUsage.rss() > memoryLimitBytes
  if (overLimit) writeSync(STANDARD_ERROR, OUT_OF_MEMORY)
  if (overLimit || process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
}, PERIOD_MS)
