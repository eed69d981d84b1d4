/** Where the results of tasks over JSON Lines lie until they are one file, and who makes that of them. */
import type { HandlerContext } from '@connectrpc/connect'
import { fail } from '@millhand/api'
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
import { type JoinedFiles, partsSettler, type SettlerDeps } from './parts-settler.ts'
import { dataOf, requireLeasedTask } from './rpc/run-files.ts'
import type { TaskBase } from './task.ts'
import type { TaskDeps } from './task-deps.ts'

/** What a kind of task has whose tasks may be over lines. */
export interface LinesOptions<T extends TaskBase> extends JoinedFiles<T> {
  readonly blobs: Blobs
  /** What the names of the parts' blobs begin with, and of no others: `parts/`. */
  readonly partsAt: string
}

interface Deps<T extends TaskBase> extends Pick<TaskDeps<T>, 'clock' | 'log'>, Omit<SettlerDeps<T>, 'partBlobs'> {
  readonly blobs: Blobs
  readonly partsAt: string
}

const SETTLE_EVERY_MS = 2_000
/** A part that no task names is left over once its run must be over: 1 hour. As large inputs. */
const ORPHAN_AFTER_MS = 3_600_000

export function lineParts<T extends TaskBase>(deps: Deps<T>) {
  const { tasks, join, clock, log } = deps
  const partBlobs = linePartBlobs(deps.blobs, deps.partsAt)
  const { contentOf, put, sweep } = partBlobs
  const settleAll = partsSettler({ ...deps, partBlobs })

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
    async run(signal: AbortSignal): Promise<void> {
      let sweepAt = 0
      await everyInterval(clock, SETTLE_EVERY_MS, signal, async () => {
        try {
          await settleAll(signal)
          if (clock.monotonic() < sweepAt) return
          sweepAt = clock.monotonic() + ORPHAN_AFTER_MS
          await sweep(tasks.get, clock.now() - ORPHAN_AFTER_MS, signal)
        } catch (error) {
          log.error('line_parts.not_looked_through', { error })
        }
      })
    },
  }
}
