/** How much more memory processes hold while something goes on. */
import { residentMemory } from './process-table.ts'

const LOOK_EVERY_MS = 20

export interface MemoryDuring<T> {
  readonly result: T
  readonly ms: number
  /** The most that they held together, less what they held before. */
  readonly moreBytes: number
}

export async function memoryDuring<T>(pids: () => readonly number[], work: () => Promise<T>): Promise<MemoryDuring<T>> {
  const held = () => pids().reduce((sum, pid) => sum + residentMemory(pid), 0)
  const before = held()
  let most = before
  const look = setInterval(() => {
    most = Math.max(most, held())
  }, LOOK_EVERY_MS)
  const began = performance.now()
  try {
    const result = await work()
    return { result, ms: performance.now() - began, moreBytes: Math.max(most, held()) - before }
  } finally {
    clearInterval(look)
  }
}
