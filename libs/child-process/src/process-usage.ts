/** What a process uses, as the kernel counts it: a process that runs hostile code is never asked for it. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'

export interface ProcessUsage {
  /** Resident memory, in bytes. */
  readonly memoryBytes: number
  /** Processor time of all its threads, and of its children that have ended, in milliseconds. */
  readonly processorMs: number
}

/**
 * What a process and all below it use: a process that was taken over may hand its work to others. Shared memory counts once
 * for each of them. Undefined once the first is gone. A process whose parent has ended is below it no longer. Throws where it
 * can't be read now, as for want of file descriptors: what of it could be read would look like less than was used before.
 */
export function treeUsageOf(pid: number, read = usageOf): ProcessUsage | undefined {
  const first = read(pid)
  if (first === undefined) return undefined
  let { memoryBytes, processorMs } = first
  const found = [pid]
  // The list grows while it is walked.
  for (const parent of found) {
    for (const child of childrenOf(parent)) {
      const usage = read(child)
      if (usage === undefined) continue
      found.push(child)
      memoryBytes += usage.memoryBytes
      processorMs += usage.processorMs
    }
  }
  return { memoryBytes, processorMs }
}

/** The processes that any thread of a process has started, and that have not ended. Throws where that can't be read now. */
export function childrenOf(pid: number): number[] {
  const threads = whileThere(() => readdirSync(`/proc/${pid}/task`)) ?? []
  return threads.flatMap(thread => {
    const listed = whileThere(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1'))
    return (listed?.match(/\d+/g) ?? []).map(Number)
  })
}

/** Whether this kernel tells which processes one has started: it may be built without (CONFIG_PROC_CHILDREN). */
export const listsChildren = (): boolean => existsSync(`/proc/${process.pid}/task/${process.pid}/children`)

/** Ends every process of a user. Only for users of which each belongs to one child. */
export function endAllOf(uid: number): void {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || statSync(`/proc/${name}`, { throwIfNoEntry: false })?.uid !== uid) continue
    try {
      process.kill(Number(name), 'SIGKILL')
    } catch {
      // It has gone.
    }
  }
}

/** Undefined once the process is gone, and where the system has no `/proc` of Linux. Throws where it can't be read now. */
export function usageOf(pid: number): ProcessUsage | undefined {
  const stat = whileThere(() => readFileSync(`/proc/${pid}/stat`, 'latin1'))
  return stat === undefined ? undefined : readStat(stat)
}

/** The same, with the memory that is swapped out. */
export function withSwap(pid: number): ProcessUsage | undefined {
  const usage = usageOf(pid)
  const status = whileThere(() => readFileSync(`/proc/${pid}/status`, 'latin1'))
  if (usage === undefined || status === undefined) return undefined
  return { ...usage, memoryBytes: usage.memoryBytes + readSwap(status) }
}

/** proc_pid_status(5), in bytes. The name of the program is above, and has no line break. */
export const readSwap = (status: string): number => Number(/^VmSwap:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024

/** Undefined once what is read is gone. */
function whileThere<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (GONE.has((error as NodeJS.ErrnoException).code)) return undefined
    throw error
  }
}

/** The second: it has ended since its file was opened. */
const GONE = new Set<string | undefined>(['ENOENT', 'ESRCH'])

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
