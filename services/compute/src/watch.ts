/** Who waits for a task to change, in memory: woken by what changes it, never by asking the store again. */
import type { Clock } from '@millhand/runner'
import type { TaskRecord } from './task.ts'

export class TaskWatch {
  readonly #clock: Clock
  readonly #waiting = new Map<string, Set<Waiting>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  changed(task: TaskRecord): void {
    const waiting = this.#waiting.get(task.id)
    if (waiting) for (const { tell } of [...waiting]) tell(task)
  }

  /** Ends every wait as if its time were over: changes are heard elsewhere now. */
  endAll(): void {
    for (const waiting of [...this.#waiting.values()]) for (const { settle } of [...waiting]) settle()
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
    const waiting = { tell, settle }
    this.#add(id, waiting)
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
      this.#remove(id, waiting)
    }
  }

  #add(id: string, one: Waiting): void {
    const waiting = this.#waiting.get(id)
    if (waiting) waiting.add(one)
    else this.#waiting.set(id, new Set([one]))
  }

  #remove(id: string, one: Waiting): void {
    const waiting = this.#waiting.get(id)
    waiting?.delete(one)
    if (waiting?.size === 0) this.#waiting.delete(id)
  }
}

interface Waiting {
  readonly tell: (task: TaskRecord) => void
  readonly settle: () => void
}
