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
  /** The file that was made for the task's latest run, where there is one. */
  joined(task: T): Promise<string | undefined>
  /** Tasks that have ended and still have parts, in an order that does not change: at most so many, after one of them. */
  ended(limit: number, after: T | undefined): Promise<readonly T[]>
}

interface Deps<T extends TaskBase>
  extends Pick<TaskDeps<T>, 'tasks' | 'clock' | 'log' | 'retentionMs'>,
    LinesOptions<T>,
    Pick<RunFiles<T>, 'keep' | 'remove'> {}

const SETTLE_EVERY_MS = 2_000
const PAGE = 100

/** What can't be settled is tried again after so long at first, and twice as late each time up to the second. */
const PAUSE_MS = [2_000, 300_000] as const

/** A part that no task names is left over once its run must be over: 1 hour. As large inputs. */
const ORPHAN_AFTER_MS = 3_600_000

export function lineParts<T extends TaskBase>(deps: Deps<T>) {
  const { tasks, join, joined, ended, keep, remove, clock, log, retentionMs } = deps
  const { contentOf, put, removeAll, sweep } = linePartBlobs(deps.blobs, deps.partsAt)

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
    const now = result.kind === 'changed' ? result.after : result.kind === 'refused' ? result.current : undefined
    await removeUnnamed(task, now)
    if (result.kind !== 'refused') await removeAll(task)
  }

  /** Its data was deleted while the file was made. */
  async function removeUnnamed(task: T, now: T | undefined): Promise<void> {
    if (now?.output_file !== undefined || (now && now.data_deleted_at === undefined)) return
    const file = await joined(task)
    if (file !== undefined) await remove(task.tenant, file)
  }

  /** Those that could not be settled, by their ids: how often, and when each is tried again. */
  let paused = new Map<string, { readonly times: number; readonly until: number }>()

  async function settleAll(signal: AbortSignal): Promise<void> {
    const still: typeof paused = new Map()
    let last: T | undefined
    do {
      const page = await ended(PAGE, last)
      last = page.at(-1)
      for (const task of page) {
        if (signal.aborted) return
        const pause = paused.get(task.id)
        if (pause && clock.monotonic() < pause.until) still.set(task.id, pause)
        else await settle(task, signal).catch(error => giveUpOrLeave(task, error, pause?.times ?? 0, still))
      }
    } while (last)
    paused = still
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

  /** What can't be made now is tried again; a file that was made and removed since is not made again. */
  async function giveUpOrLeave(task: T, error: unknown, times: number, still: typeof paused): Promise<void> {
    log.warn('line_parts.left', { task_id: task.id, error })
    const [first, longest] = PAUSE_MS
    still.set(task.id, { times: times + 1, until: clock.monotonic() + Math.min(longest, first * 2 ** times) })
    if (codeOf(error) !== 'not_found') return
    await tasks.change(task.tenant, task.id, { kind: 'parts_settled' })
    await removeAll(task)
  }
}
