/** Lowers the CPU priority of processes: they get what others leave of the processor. */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'

export interface ProcessPriority {
  /** Behind others by this much, from 0 to 19: POSIX's nice. There is no way back. */
  readonly niceness: number
  /**
   * Whether it leaves the first of the cores that this process may use, where there are more, some milliseconds later.
   * Linux lets who has a core keep it for a slice, whatever its niceness: who wakes up finds that one at once.
   */
  readonly avoidsFirstCore: boolean
}

/** Of every thread that it has: Linux counts them one by one, and those that they make later begin with what their maker has. */
export function lowerPriority(pid: number, { niceness, avoidsFirstCore }: ProcessPriority): void {
  for (const thread of threadsOf(pid)) {
    try {
      setPriority(thread, niceness)
    } catch {
      // It has gone in the meantime.
    }
  }
  if (avoidsFirstCore) avoidFirstCore(pid)
}

/** Node has no call for it. Where there is no taskset (util-linux, BusyBox), or it can't be started, niceness has to do. */
function avoidFirstCore(pid: number): void {
  try {
    const cores = allButFirst(allowedCores())
    if (cores === '') return
    spawn('taskset', ['-a', '-c', '-p', cores, String(pid)], { stdio: 'ignore' }).on('error', () => {})
  } catch {
    // As above.
  }
}

function threadsOf(pid: number): number[] {
  if (process.platform !== 'linux') return [pid]
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number)
  } catch {
    return [] // It has gone.
  }
}

/** Those of this process, as Linux lists them: `0-3,8`. Empty on other systems. */
function allowedCores(): string {
  if (process.platform !== 'linux') return ''
  return /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? ''
}

/** A list of cores without the lowest; empty where that is the only one. */
export function allButFirst(list: string): string {
  const [range = '', ...others] = list.split(',')
  const [first = '', last = first] = range.split('-')
  const rest = Number(first) < Number(last) ? [`${Number(first) + 1}-${last}`] : []
  return [...rest, ...others].join(',')
}
