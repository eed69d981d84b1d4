/** Lowers the CPU priority of processes: they get what others leave of the processor. */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
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
  lowerAutogroup(pid, niceness, AUTOGROUP_TRIES)
  if (avoidsFirstCore) avoidFirstCore(pid)
}

/** For a user without rights the kernel takes ten a second, of all sessions together. */
const AUTOGROUP_AGAIN_MS = 100
const AUTOGROUP_TRIES = 50

/**
 * A session of its own is a group of its own for Linux's scheduler, where autogroups are on (Debian, Ubuntu, Fedora): groups
 * share the processor by their own niceness, and that of a thread counts within its group alone (sched(7)). A child that is in
 * the group of this process needs nothing, and must not take this process down with it.
 */
function lowerAutogroup(pid: number, niceness: number, tries: number): void {
  const group = autogroupOf(pid)
  if (group === undefined || group === autogroupOf(process.pid)) return
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EAGAIN' || tries === 0) return
    setTimeout(() => lowerAutogroup(pid, niceness, tries - 1), AUTOGROUP_AGAIN_MS).unref()
  }
}

/** The name of its group: `/autogroup-123`. Absent where there are none, or it has gone. */
function autogroupOf(pid: number): string | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    return /^\/autogroup-\d+/.exec(readFileSync(`/proc/${pid}/autogroup`, 'utf8'))?.[0]
  } catch {
    return undefined
  }
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
