import { fail } from '@millhand/api'

/** The task that a look-up under the caller's own tenant found; another account's is unknown there. */
export function requireTask<T extends object>(id: string, task: T | undefined): T {
  if (!task) throw taskNotFound(id)
  return task
}

export const taskNotFound = (id: string) => fail('not_found', `There is no task \`${id.slice(0, 64)}\`.`)
