import { timestampMs } from '@bufbuild/protobuf/wkt'
import type { HandlerContext } from '@connectrpc/connect'
import { enumWords, firstIdAt } from '@millhand/api'
import {
  type ListTasksRequest,
  type ListTasksResponse,
  TaskField,
  TaskStatusSchema,
  TaskTypeSchema,
} from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { Order } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import { principal } from '@millhand/rpc'
import type { ComputeDeps } from '../compute.ts'
import type { TaskRecord } from '../task.ts'
import { toMessage } from '../to-message.ts'

/** How many records one page looks at: a filter that few of them pass gives a short page instead of a slow one. */
const looksAt = 1_000

/** How many records it reads at once where a filter decides which of them the page gets. */
const readsAtOnce = 100

/** `asc` leaves out the newest ids, which may still come out of order. Contract, section 1, "lists". */
const settlesAfterMs = 2_000

/** Lists tasks, newest first. */
export const listTasks =
  ({ tasks, inputs, cursors, clock, position }: ComputeDeps) =>
  async (req: ListTasksRequest, call: HandlerContext): Promise<ListTasksResponse> => {
    const { tenant } = principal(call)
    const { limit = 20, order = Order.DESC, cursor } = req
    const boundTo = JSON.stringify([tenant, 'tasks', order, ...filtersOf(req)])
    const from = cursor === undefined ? undefined : String(cursors.open(cursor, boundTo))

    const range = idRange(req, order, clock.now())
    const passes = filterOf(req)
    const page: TaskRecord[] = []
    let last = from
    let looked = 0
    let more = true
    while (more && page.length < limit && looked < looksAt) {
      const atOnce = passes === everything ? limit + 1 : readsAtOnce
      const chunk = await tasks.find('primary', {
        equals: [tenant],
        ...(order === Order.ASC
          ? between(last ?? range.after, range.before)
          : between(range.after, last ?? range.before)),
        order: order === Order.ASC ? 'asc' : 'desc',
        limit: atOnce,
      })
      looked += chunk.length
      let used = 0
      while (used < chunk.length && page.length < limit) {
        const task = chunk[used++] as TaskRecord
        last = task.id
        if (passes(task)) page.push(task)
      }
      more = chunk.length === atOnce || chunk.slice(used).some(passes)
    }

    const withInput = req.include.includes(TaskField.INPUT)
    const withOutput = req.include.includes(TaskField.OUTPUT)
    return {
      $typeName: 'millhand.compute.v1.ListTasksResponse',
      data: await Promise.all(
        page.map(async task =>
          toMessage(task, {
            input: withInput ? await inputs.read(task) : undefined,
            output: withOutput ? task.output : undefined,
            position: position(task),
          }),
        ),
      ),
      hasMore: more,
      ...(more && last !== undefined && { nextCursor: cursors.seal(last, boundTo) }),
    }
  }

interface IdRange {
  readonly after: string | undefined
  readonly before: string | undefined
}

/** Ids sort by creation, so the time filters are bounds on the id. Both are exclusive. */
function idRange(req: ListTasksRequest, order: Order, now: number): IdRange {
  const after = req.createdAfter && firstIdAt('task', timestampMs(req.createdAfter) + 1)
  const until = req.createdBefore && timestampMs(req.createdBefore)
  const settled = order === Order.ASC ? now - settlesAfterMs : undefined
  const bounds = [until, settled].filter(bound => bound !== undefined)
  return { after, before: bounds.length > 0 ? firstIdAt('task', Math.min(...bounds)) : undefined }
}

const between = (after: string | undefined, before: string | undefined) => ({
  ...(after !== undefined && { after: [after] }),
  ...(before !== undefined && { before: [before] }),
})

const statusWords = enumWords(TaskStatusSchema)
const typeWords = enumWords(TaskTypeSchema)

/** What a cursor is bound to: the same filters give the same list, in whatever order they are written. */
function filtersOf({ status, type, model, createdAfter, createdBefore, metadata }: ListTasksRequest): unknown[] {
  const times = [createdAfter, createdBefore].map(time => time && timestampMs(time))
  return [status, type, model, ...times, Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1))]
}

const everything = () => true

function filterOf(req: ListTasksRequest): (task: TaskRecord) => boolean {
  const status = req.status && statusWords.get(req.status)
  const type = req.type && typeWords.get(req.type)
  const labels = Object.entries(req.metadata)
  if (status === undefined && type === undefined && req.model === undefined && labels.length === 0) return everything
  return task =>
    (status === undefined || task.status === status) &&
    (type === undefined || task.type === type) &&
    (req.model === undefined || task.group === req.model) &&
    labels.every(([key, value]) => task.metadata[key] === value)
}
