import { fail } from '@millhand/api'
import type { TaskRecord } from './task.ts'

/** The task that a look-up under the caller's own tenant found; another account's is unknown there. */
export function foundTask(id: string, task: TaskRecord | undefined): TaskRecord {
  if (!task) throw fail('not_found', `There is no task \`${id.slice(0, 64)}\`.`)
  return task
}
