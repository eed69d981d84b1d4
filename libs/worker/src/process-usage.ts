/** What a process uses, as the kernel counts it: a process that runs hostile code is never asked for it. */
import { readFileSync } from 'node:fs'

export interface ProcessUsage {
  /** Resident memory, in bytes. */
  readonly memoryBytes: number
  /** Processor time of all its threads, and of its children that have ended, in milliseconds. */
  readonly processorMs: number
}

/** Undefined once the process is gone, and where the system has no `/proc` of Linux. */
export function usageOf(pid: number): ProcessUsage | undefined {
  try {
    return readStat(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return undefined
  }
}

/** proc_pid_stat(5). The name of the program, in parentheses, may hold anything. */
export function readStat(stat: string): ProcessUsage {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const field = (number: number) => Number(fields[number - 3])
  const ticks = field(14) + field(15) + field(16) + field(17)
  return { memoryBytes: field(24) * pageBytes(), processorMs: ticks * MS_PER_TICK }
}

/** USER_HZ, which is 100 on every architecture that Node runs on. */
const MS_PER_TICK = 10

let knownPageBytes: number | undefined

/** The kernel tells it to each process by a list of pairs, a type and a value: getauxval(3). */
function pageBytes(): number {
  knownPageBytes ??= readPageBytes(readFileSync('/proc/self/auxv'))
  return knownPageBytes
}

function readPageBytes(vector: Uint8Array): number {
  const words = new BigUint64Array(Uint8Array.from(vector).buffer)
  const at = words.findIndex((word, place) => place % 2 === 0 && word === AT_PAGESZ)
  return Number(words[at + 1] ?? 4096)
}

const AT_PAGESZ = 6n
