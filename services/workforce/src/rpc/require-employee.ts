import type { HandlerContext } from '@connectrpc/connect'
import { principal } from '@millhand/rpc'
import { taskNotFound } from '@millhand/task'
import type { WorkforceDeps } from '../workforce-deps.ts'

/** A request about one task, at the address of an employee or at a short one, which names none. */
interface OfTask {
  readonly id: string
  readonly employee: string
}

/** Fails with `not_found` where the task is another employee's than the request says. */
export async function requireEmployee(
  { tasks }: Pick<WorkforceDeps, 'tasks'>,
  { id, employee }: OfTask,
  call: HandlerContext,
): Promise<void> {
  if (employee === '') return
  const task = await tasks.get(principal(call).tenant, id)
  if (task?.employee !== employee) throw taskNotFound(id)
}

/** Answers as `handle` does, where the task is the employee's. */
export const withEmployee =
  <Request extends OfTask, Answer>(
    deps: Pick<WorkforceDeps, 'tasks'>,
    handle: (req: Request, call: HandlerContext) => Promise<Answer>,
  ) =>
  async (req: Request, call: HandlerContext): Promise<Answer> => {
    await requireEmployee(deps, req, call)
    return await handle(req, call)
  }
