/** Who waits for a task to change, in memory: woken by the write that changes it, never by asking the store again. */
import type { Clock } from '@millhand/runner'
import type { TaskRecord } from './task.ts'

export class TaskWatch {
  readonly #clock: Clock
  readonly #waiting = new Map<string, Set<(task: TaskRecord) => void>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  changed(task: TaskRecord): void {
    const waiting = this.#waiting.get(task.id)
    if (waiting) for (const tell of [...waiting]) tell(task)
  }

  /**
   * Calls `begin` once every change is heard, and resolves with its answer or a later state of the task as soon as
   * `enough` says so, else with the latest after `timeoutMs` or when the signal ends.
   */
  async until(
    id: string,
    begin: () => Promise<TaskRecord>,
    enough: (task: TaskRecord) => boolean,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<TaskRecord> {
    let latest: TaskRecord | undefined
    let settle: () => void = () => {}
    const settled = new Promise<void>(resolve => {
      settle = resolve
    })
    const tell = (task: TaskRecord) => {
      if (latest && latest.version >= task.version) return
      latest = task
      if (enough(task)) settle()
    }
    this.#add(id, tell)
    const timer = this.#clock.timer(timeoutMs, settle)
    signal.addEventListener('abort', settle, { once: true })
    try {
      const current = await begin()
      tell(current)
      if (!signal.aborted) await settled
      return latest ?? current
    } finally {
      timer.cancel()
      signal.removeEventListener('abort', settle)
      this.#remove(id, tell)
    }
  }

  #add(id: string, tell: (task: TaskRecord) => void): void {
    const waiting = this.#waiting.get(id)
    if (waiting) waiting.add(tell)
    else this.#waiting.set(id, new Set([tell]))
  }

  #remove(id: string, tell: (task: TaskRecord) => void): void {
    const waiting = this.#waiting.get(id)
    waiting?.delete(tell)
    if (waiting?.size === 0) this.#waiting.delete(id)
  }
}
