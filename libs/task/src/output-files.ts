/**
 * The files of results: from the result that names them to their task. Before they are kept a note says so, durably, and
 * it goes once it is known which of them the task names: whoever goes on after a crash removes the others.
 * docs/decisions/files.md, "An output file".
 */
import type { Result } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import type { Failure } from '@millhand/lease'
import { everyInterval } from '@millhand/process'
import type { Collection, Document } from '@millhand/store'
import { traceIds } from '@millhand/telemetry'
import type { RunFiles } from './rpc/run-files.ts'
import { dataExpiresAt, type TaskBase } from './task.ts'
import type { TaskDeps } from './task-deps.ts'

/** Files that were about to be kept for a result. */
export interface UnsettledFiles extends Document {
  readonly work_id: string
  readonly lease_id: string
  readonly attempt: number
  readonly files: readonly string[]
}

export interface OutputFilesDeps<T extends TaskBase>
  extends Pick<TaskDeps<T>, 'clock' | 'log' | 'retentionMs'>,
    Pick<RunFiles<T>, 'keep' | 'remove' | 'discard' | 'namedBy'> {
  readonly tasks: Pick<TaskDeps<T>['tasks'], 'get'>
  readonly unsettled: Collection<UnsettledFiles>
}

interface KeptFiles {
  readonly kept: readonly string[]
  readonly until: number
  /** Why one was not kept, where that is known. */
  readonly failure?: Failure | undefined
}

export interface OutputFiles {
  /**
   * Keeps the files of an output that is about to be taken for as long as the task's data, those that its run made and
   * that are still there: which, and until when (milliseconds since 1970). Rejects where that can't be told now.
   */
  keep(result: Result, files: readonly string[]): Promise<KeptFiles>
  /** Hears of files that were kept once the result was taken or refused: its task may not name them. Never fails. */
  settled(result: Result, kept: readonly string[]): Promise<void>
  /** Until the signal ends: settles what was left, because somebody died or could not be reached. One replica is enough. */
  run(signal: AbortSignal): Promise<void>
}

const EVERY_MS = 10_000
const PAGE = 100

/** Files of results, and the notes that say which of them are not settled: those are looked through every 10 s. */
export function outputFiles<T extends TaskBase>(deps: OutputFilesDeps<T>): OutputFiles {
  const { tasks, unsettled, clock, log, retentionMs, keep, remove, discard = remove, namedBy } = deps

  async function removeUnnamed(tenant: string, id: string, files: readonly string[]): Promise<void> {
    const task = await tasks.get(tenant, id)
    const named = task === undefined ? [] : namedBy(task)
    await Promise.all(files.filter(file => !named.includes(file)).map(file => discard(tenant, file)))
  }

  /** Its executor says a result again for as long as the lease lives. */
  async function mayComeAgain({ tenant, work_id, lease_id, attempt }: UnsettledFiles): Promise<boolean> {
    const task = await tasks.get(tenant, work_id)
    return task?.finished_at === undefined && task?.lease_id === lease_id && task.attempt === attempt
  }

  async function settle(note: UnsettledFiles): Promise<void> {
    const { tenant, id, version, work_id, files } = note
    try {
      if (await mayComeAgain(note)) return
      await removeUnnamed(tenant, work_id, files)
      await unsettled.write({ kind: 'remove', version, tenant, id, events: [] })
    } catch (error) {
      log.warn('output_files.left', { task_id: work_id, files: files.length, error })
    }
  }

  return {
    async keep(result, files) {
      const { tenant, workId: work_id, leaseId: lease_id, attempt } = result
      const document = { tenant, id: crypto.randomUUID(), work_id, lease_id, attempt, files }
      await unsettled.write({ kind: 'insert', document, events: [] })
      const until = dataExpiresAt((await tasks.get(tenant, work_id)) ?? {}, clock.now(), retentionMs)
      const isKept = await Promise.all(files.map(file => keep(result, file, until)))
      const failure = isKept.find(each => typeof each === 'object')
      return { kept: files.filter((_, at) => isKept[at] === true), until, ...(failure && { failure }) }
    },

    /** At once, where that can be: the note is looked at only now and then. */
    settled: ({ tenant, workId, traceparent }, kept) =>
      removeUnnamed(tenant, workId, kept).catch(error => {
        log.info('output_files.later', { task_id: workId, ...traceIds(traceparent), files: kept.length, error })
      }),

    run: signal =>
      everyInterval(clock, EVERY_MS, signal, async () => {
        try {
          for await (const note of all(unsettled, signal)) await settle(note)
        } catch (error) {
          log.error('output_files.not_looked_through', { error })
        }
      }),
  }
}

async function* all<T extends Document>(
  collection: Pick<Collection<T>, 'find'>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  for (let after: readonly string[] = ['']; ; ) {
    const page = await collection.find('primary', { equals: [], after, limit: PAGE })
    for (const document of page) {
      if (signal.aborted) return
      yield document
    }
    const last = page.at(-1)
    if (last === undefined) return
    after = [last.tenant, last.id]
  }
}
