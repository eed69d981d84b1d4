/** The number, on this machine, of the process that does the work, where another was started that started it. */
import { readFileSync } from 'node:fs'

/** Undefined while it is not there yet, or no longer. */
export function realPid(pid: number | undefined, generations: number): number | undefined {
  let found = pid
  for (let generation = 0; generation < generations && found !== undefined; generation++) found = childOf(found)
  return found
}

function childOf(pid: number): number | undefined {
  try {
    const first = Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'), 10)
    return first > 0 ? first : undefined
  } catch {
    return undefined
  }
}
