import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** What the kernel's process table says of one process (proc(5), `/proc/<pid>/stat`). */
export interface Process {
  readonly pid: number
  readonly parent: number
  /** Processor time in user and system mode since its start, in milliseconds. */
  readonly cpuMs: number
  /** From -20 up to 19, which is the least wanted. */
  readonly nice: number
}

/** All processes that descend from `pid`, without itself. */
export function descendants(pid: number): Process[] {
  const children = Map.groupBy(processes(), each => each.parent)
  const below = (parent: number): Process[] => (children.get(parent) ?? []).flatMap(each => [each, ...below(each.pid)])
  return below(pid)
}

/** Resolves once no descendant of `pid` is at work: one that starts is for a while, a run that goes on for ever. */
export async function allAtRest(pid: number): Promise<void> {
  const deadline = performance.now() + AT_REST_WITHIN_MS
  for (;;) {
    const used = await usage(pid)
    if (used.every(({ ms }) => ms < AT_WORK_MS)) return
    if (performance.now() > deadline) throw new Error(`descendants of ${pid} are at work: ${JSON.stringify(used)}`)
  }
}

/** Bytes of memory that `pid` and its descendants have resident, each. */
export function residentBytes(pid: number): ReadonlyMap<number, number> {
  return new Map([pid, ...descendants(pid).map(each => each.pid)].map(each => [each, residentOf(each)]))
}

function residentOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0 // It has gone in the meantime.
  }
}

/**
 * The process that does a piece of work which is begun now and takes many seconds. Processes of kinds get what others leave and no
 * other is as nice; a spare one does its kind’s example when it starts, which takes a second or two of the processor, three on a full machine.
 */
export async function engineAtWork(pid: number): Promise<number> {
  const before = new Map(descendants(pid).map(each => [each.pid, each.cpuMs]))
  const deadline = performance.now() + ENGINE_AT_WORK_WITHIN_MS
  for (;;) {
    const used = engines(pid).map(each => ({ ...each, ms: each.cpuMs - (before.get(each.pid) ?? 0) }))
    const worker = used.find(({ ms }) => ms >= MORE_THAN_AN_EXAMPLE_MS)
    if (worker) return worker.pid
    if (performance.now() > deadline) throw new Error(`no engine below ${pid} is at work: ${JSON.stringify(used)}`)
    await pause(100)
  }
}

/** Ends each process of a kind below `pid` as a fault in native code would, at work or not. */
export function crashEngines(pid: number): void {
  for (const engine of engines(pid)) {
    try {
      process.kill(engine.pid, 'SIGSEGV')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

const engines = (pid: number) => descendants(pid).filter(({ nice }) => nice >= 10)

/**
 * Resolves once a descendant of `pid` is seen to run a task of compute, with that one: it has used more of the processor since this was called
 * than a process that only starts does.
 */
export async function busiest(pid: number): Promise<number> {
  const before = new Map(descendants(pid).map(each => [each.pid, each.cpuMs]))
  const deadline = performance.now() + AT_WORK_WITHIN_MS
  for (;;) {
    // A process of a kind that starts does its kind’s example.
    const others = descendants(pid).filter(({ nice }) => nice < 10)
    const used = others.map(each => ({ ...each, ms: each.cpuMs - (before.get(each.pid) ?? 0) }))
    const [most] = used.sort((a, b) => b.ms - a.ms)
    if (most && most.ms >= MORE_THAN_A_START_MS) return most.pid
    if (performance.now() > deadline) throw new Error(`no descendant of ${pid} is at work: ${JSON.stringify(used)}`)
    await pause(100)
  }
}

/** What each descendant of `pid` uses of the processor in the next half second. */
async function usage(pid: number): Promise<(Process & { readonly ms: number })[]> {
  const before = new Map(descendants(pid).map(each => [each.pid, each.cpuMs]))
  // Measuring a rate takes time: this is no wait for something to happen.
  await pause(500)
  return descendants(pid).map(each => ({ ...each, ms: each.cpuMs - (before.get(each.pid) ?? 0) }))
}

/** Of half a second: a run that computes all the time gets so much even where much else runs. */
const AT_WORK_MS = 100
const MORE_THAN_A_START_MS = 2000
const MORE_THAN_AN_EXAMPLE_MS = 4000
const ENGINE_AT_WORK_WITHIN_MS = 300_000
const AT_WORK_WITHIN_MS = 300_000
const AT_REST_WITHIN_MS = 300_000

export function isAlive(pid: number): boolean {
  return processes().some(each => each.pid === pid)
}

/** Linux counts processor time in ticks of 10 ms (sysconf(_SC_CLK_TCK) is 100 on every port that Node runs on). */
const TICK_MS = 10

function processes(): Process[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      const stat = statOf(name)
      if (stat === undefined) return []
      // The name, in parentheses, may hold anything: fields are counted from behind it.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const [state, parent, user, system, nice] = [0, 1, 11, 12, 16].map(at => fields[at])
      if (state === 'Z') return []
      return [
        {
          pid: Number(name),
          parent: Number(parent),
          cpuMs: (Number(user) + Number(system)) * TICK_MS,
          nice: Number(nice),
        },
      ]
    })
}

/** Undefined when the process has gone in the meantime. */
function statOf(pid: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return undefined
  }
}
