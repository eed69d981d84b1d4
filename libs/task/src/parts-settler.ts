/** Makes files of the parts of tasks that have ended without one, and removes parts that are not needed any more. */
import { codeOf } from '@millhand/api'
import { traceIds } from '@millhand/telemetry'
import type { linePartBlobs } from './line-part-blobs.ts'
import { noLines } from './lines.ts'
import type { RunFiles } from './rpc/run-files.ts'
import type { TaskBase } from './task.ts'
import type { TaskDeps } from './task-deps.ts'

/** The files that parts become, and the tasks whose parts have not. */
export interface JoinedFiles<T extends TaskBase> {
  /** Makes an output file of what a task's run has done; the same one where that was made already. */
  join(task: T, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<string>
  /** The file that was made for the task's latest run, where there is one. */
  joined(task: T): Promise<string | undefined>
  /** Tasks that have ended and still have parts, in an order that does not change: at most so many, after one of them. */
  ended(limit: number, after: T | undefined): Promise<readonly T[]>
}

/**
 * What becomes of parts for whose file the account has no storage, and which no quota counts: they wait for room for so
 * long after the end of their task, and of one tenant not more than this in bytes, as much as one file.
 */
const ROOM_WAIT_MS = 3_600_000
const MOST_WAITING_BYTES = 536_870_912

export interface SettlerDeps<T extends TaskBase>
  extends Pick<TaskDeps<T>, 'tasks' | 'clock' | 'log' | 'retentionMs'>,
    JoinedFiles<T>,
    Pick<RunFiles<T>, 'keep' | 'remove'> {
  readonly partBlobs: ReturnType<typeof linePartBlobs>
}

const PAGE = 100

/** What can't be settled is tried again after so long at first, and twice as late each time up to the second. */
const PAUSE_MS = [2_000, 300_000] as const

/** Settles those that have ended, once; to be called again and again. What fails is left for later calls. */
export function partsSettler<T extends TaskBase>(deps: SettlerDeps<T>): (signal: AbortSignal) => Promise<void> {
  const { tasks, join, joined, ended, keep, remove, clock, log, retentionMs } = deps
  const { contentOf, removeAll } = deps.partBlobs

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
  let paused = new Map<string, { readonly times: number; readonly until: number; readonly isWaitingForRoom: boolean }>()
  /** Of parts that wait for room, by their tenant. */
  const waitingBytes = new Map<string, number>()

  /** Whether the parts may wait: neither too long nor beside too many others. */
  function waitForRoom({ tenant, lines, finished_at = clock.now() }: T): boolean {
    const bytes = (waitingBytes.get(tenant) ?? 0) + (lines?.bytes ?? 0)
    if (bytes > MOST_WAITING_BYTES || clock.now() - finished_at >= ROOM_WAIT_MS) return false
    waitingBytes.set(tenant, bytes)
    return true
  }

  async function settleAll(signal: AbortSignal): Promise<void> {
    const still: typeof paused = new Map()
    waitingBytes.clear()
    let last: T | undefined
    do {
      const page = await ended(PAGE, last)
      last = page.at(-1)
      for (const task of page) {
        if (signal.aborted) return
        const pause = paused.get(task.id)
        if (pause && clock.monotonic() < pause.until) {
          still.set(task.id, pause)
          if (pause.isWaitingForRoom) waitForRoom(task)
        } else {
          const result = await settledOrGivenUp(task, signal)
          if (result !== 'settled') still.set(task.id, pauseAfter(pause?.times ?? 0, result === 'waiting'))
        }
      }
    } while (last)
    paused = still
  }

  /** `waiting` for room, or `failed`, what can't be made now. A file that was made and removed since is not made again. */
  async function settledOrGivenUp(task: T, signal: AbortSignal): Promise<'settled' | 'waiting' | 'failed'> {
    try {
      await settle(task, signal)
      return 'settled'
    } catch (error) {
      log.warn('line_parts.left', { task_id: task.id, ...traceIds(task.traceparent), error })
      const hasNoRoom = codeOf(error) === 'storage_quota_exceeded'
      if (hasNoRoom && waitForRoom(task)) return 'waiting'
      if (!hasNoRoom && codeOf(error) !== 'not_found') return 'failed'
      return (await drop(task)) ? 'settled' : 'failed'
    }
  }

  async function drop(task: T): Promise<boolean> {
    try {
      await tasks.change(task.tenant, task.id, { kind: 'parts_settled' })
      await removeAll(task)
      return true
    } catch (error) {
      log.warn('line_parts.left', { task_id: task.id, ...traceIds(task.traceparent), error })
      return false
    }
  }

  function pauseAfter(times: number, isWaitingForRoom: boolean) {
    const [first, longest] = PAUSE_MS
    return { times: times + 1, isWaitingForRoom, until: clock.monotonic() + Math.min(longest, first * 2 ** times) }
  }

  return settleAll
}
