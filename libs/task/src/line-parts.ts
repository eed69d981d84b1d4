/** Where the results of tasks over JSON Lines lie until they are one file, and who makes that of them. */
import type { HandlerContext } from '@connectrpc/connect'
import { codeOf, fail } from '@millhand/api'
import type {
  JoinPartsRequest,
  JoinPartsResponse,
  StorePartRequest,
  StorePartResponse,
} from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { Blobs } from '@millhand/blob'
import { everyInterval } from '@millhand/process'
import { linePartBlobs } from './line-part-blobs.ts'
import { noLines } from './lines.ts'
import { dataOf, type RunFiles, requireLeasedTask } from './rpc/run-files.ts'
import type { TaskBase } from './task.ts'
import type { TaskDeps } from './task-deps.ts'

/** What a kind of task has whose tasks may be over lines. */
export interface LinesOptions<T extends TaskBase> {
  readonly blobs: Blobs
  /** What the names of the parts' blobs begin with, and of no others: `parts/`. */
  readonly partsAt: string
  /** Makes an output file of what a task's run has done; the same one where that was made already. */
  join(task: T, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<string>
  /** Tasks that have ended and still have parts, some of them. */
  ended(limit: number): Promise<readonly T[]>
}

interface Deps<T extends TaskBase>
  extends Pick<TaskDeps<T>, 'tasks' | 'clock' | 'log' | 'retentionMs'>,
    LinesOptions<T>,
    Pick<RunFiles<T>, 'keep'> {}

const SETTLE_EVERY_MS = 2_000
const SETTLED_AT_ONCE = 100

export function lineParts<T extends TaskBase>(deps: Deps<T>) {
  const { tasks, join, ended, keep, clock, log, retentionMs } = deps
  const { contentOf, put, removeAll } = linePartBlobs(deps.blobs, deps.partsAt)

  /** Removes the parts of an ended task, once what they hold is in a file that the task names. */
  async function settle(task: T, signal: AbortSignal): Promise<void> {
    const { tenant, id, attempt } = task
    const isWanted = task.output_file === undefined && task.data_deleted_at === undefined
    let file: string | undefined
    if (isWanted && (task.lines ?? noLines).kept > 0) {
      file = await join(task, contentOf(task), signal)
      await keep({ tenant, workId: id, attempt }, file, task.data_expires_at ?? clock.now() + retentionMs)
    }
    const result = await tasks.change(tenant, id, { kind: 'parts_settled', file })
    if (result.kind === 'missing' || result.kind === 'changed') await removeAll(task)
  }

  return {
    async storePart(requests: AsyncIterable<StorePartRequest>, { signal }: HandlerContext): Promise<StorePartResponse> {
      const messages = requests[Symbol.asyncIterator]()
      try {
        const { value: message } = await messages.next()
        if (message?.part.case !== 'lines' || !message.part.value.run)
          throw fail('missing_parameter', 'The first message must be the `lines`.', { param: 'lines' })
        const part = message.part.value
        const task = await requireLeasedTask(tasks, message.part.value.run)
        const { kept, parts } = task.lines ?? noLines
        const isThere = parts.some(each => each.first === part.first && each.attempt === task.attempt)
        if (part.first !== kept && !isThere) throw fail('conflict', 'The part does not begin where the kept ones end.')
        if (!isThere) {
          const bytes = await put(task, part, dataOf(messages), signal)
          const { first, count, failed } = part
          const held = { lease_id: task.lease_id, attempt: task.attempt }
          const stored = { kind: 'part_stored', held, part: { first, count, failed, bytes } } as const
          const result = await tasks.change(task.tenant, task.id, stored)
          if (result.kind !== 'changed' && !(result.kind === 'refused' && result.reason === 'counted'))
            throw fail('conflict', 'The run is not the live one.')
        }
        return { $typeName: 'millhand.lease.v1.StorePartResponse' }
      } finally {
        messages.return?.().catch(() => {}) // It may wait for an executor that sends nothing more.
      }
    },

    async joinParts({ run }: JoinPartsRequest, { signal }: HandlerContext): Promise<JoinPartsResponse> {
      if (!run) throw fail('missing_parameter', 'The `run` is missing.', { param: 'run' })
      const task = await requireLeasedTask(tasks, run)
      return { $typeName: 'millhand.lease.v1.JoinPartsResponse', fileId: await join(task, contentOf(task), signal) }
    },

    /** Until the signal ends: makes files of what ended without one, because its executor was gone, and removes parts. */
    run: (signal: AbortSignal): Promise<void> =>
      everyInterval(clock, SETTLE_EVERY_MS, signal, async () => {
        try {
          for (const task of await ended(SETTLED_AT_ONCE)) {
            if (signal.aborted) return
            await settle(task, signal).catch(error => giveUpOrLeave(task, error))
          }
        } catch (error) {
          log.error('line_parts.not_looked_through', { error })
        }
      }),
  }

  /** What can't be made now is tried again; a file that was made and removed since is not made again. */
  async function giveUpOrLeave(task: T, error: unknown): Promise<void> {
    log.warn('line_parts.left', { task_id: task.id, error })
    if (codeOf(error) !== 'not_found') return
    await tasks.change(task.tenant, task.id, { kind: 'parts_settled' })
    await removeAll(task)
  }
}
