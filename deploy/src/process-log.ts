import { hostname } from 'node:os'
import { createLog, type Level, type Log } from '@millhand/telemetry'

/** The log of this process, each line with what tells it from other processes; on a terminal there is one of them. */
export function processLog(level: Level, name: string): Log {
  const bindings = process.stderr.isTTY ? {} : { process: name, host: hostname(), pid: process.pid }
  return createLog({ level, bindings })
}
