/** What has become of a task, change by change: written with the changes themselves, and what its stream is read from. */
import type { TaskStatus } from '../task-status.ts'

export interface HistoryEntry {
  /** The `resource_version` that the change made. */
  readonly version: number
  readonly status: TaskStatus
  /** Milliseconds since 1970. */
  readonly at: number
  /** The latest run, as it is shown; 0 before the first. */
  readonly attempt: number
  /** Of a run: how many things it has emitted, where it has. */
  readonly emitted?: number
  /** Of a return to the queue: why the run before ended. */
  readonly error?: { readonly code: string; readonly message: string } | undefined
}

/** Only runs that cost no attempt can bring a task there. */
const maxEntries = 200

/** The oldest entry after the first goes where there are too many. */
export function withEntry(history: readonly HistoryEntry[], entry: HistoryEntry): readonly HistoryEntry[] {
  return history.length < maxEntries ? [...history, entry] : [...history.slice(0, 1), ...history.slice(2), entry]
}
