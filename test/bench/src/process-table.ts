/** What the kernel counts for a process (Linux, proc(5)). */
import { readdirSync, readFileSync } from 'node:fs'

/**
 * Processor time of all its living threads so far, in microseconds; 0 when it is gone. From `schedstat`, which counts
 * nanoseconds: the clock ticks of `stat` are 10,000 microseconds each, too coarse for a few thousand requests.
 */
export function processorTime(pid: number): number {
  let nanoseconds = 0
  for (const thread of list(`/proc/${pid}/task`)) {
    nanoseconds += Number(read(`/proc/${pid}/task/${thread}/schedstat`)?.split(' ')[0] ?? 0)
  }
  return nanoseconds / 1000
}

/** In seconds. */
export interface ProcessorTime {
  readonly user: number
  readonly system: number
}

/**
 * Processor time so far of a process and of those that it started, those that have ended included: fields 14 to 17 of `stat`,
 * in ticks of which Linux shows 100 a second to programs.
 */
export function processorTimes(pid: number): ProcessorTime {
  let [user, system] = [0, 0]
  for (const each of [pid, ...descendants(pid)]) {
    const [own = 0, ownSystem = 0, ended = 0, endedSystem = 0] = statOf(String(each)).slice(11, 15).map(Number)
    user += (own + ended) / TICKS
    system += (ownSystem + endedSystem) / TICKS
  }
  return { user, system }
}

const TICKS = 100

/** Resident memory, in bytes; 0 when it is gone. */
export function residentMemory(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1]
  return Number(kibibytes ?? 0) * 1024
}

/** The processes that it started and that still run, and theirs. */
export function descendants(pid: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of list('/proc').filter(entry => /^\d+$/.test(entry))) {
    const parent = parentOf(name)
    children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const below = (parent: number): number[] => (children.get(parent) ?? []).flatMap(child => [child, ...below(child)])
  return below(pid)
}

/** 0 when it is gone. */
const parentOf = (pid: string): number => Number(statOf(pid)[1] ?? 0)

/** The fields after the command's name, which may itself hold spaces and brackets: from the third on. */
function statOf(pid: string): string[] {
  const stat = read(`/proc/${pid}/stat`) ?? ''
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

const list = (folder: string): string[] => orGone(() => readdirSync(folder)) ?? []
const read = (file: string): string | undefined => orGone(() => readFileSync(file, 'utf8'))

/** A process may end between two looks at it. */
function orGone<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ESRCH') return undefined
    throw cause
  }
}
