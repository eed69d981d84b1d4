/** Checkpoints of training runs: each a blob, of which a task names the latest. docs/decisions/training.md, "Checkpoints" */
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { fail } from '@millhand/api'
import { type Blobs, BlobTooLarge } from '@millhand/blob'
import { type Clock, everyInterval } from '@millhand/process'
import type { TaskDeps } from '@millhand/task'
import type { Log } from '@millhand/telemetry'
import { MOST_CHECKPOINT_BYTES } from '@millhand/training'
import type { TaskRecord } from '../task.ts'

interface CheckpointsDeps {
  readonly blobs: Blobs
  readonly tasks: Pick<TaskDeps<TaskRecord>['tasks'], 'get' | 'change'>
  readonly clock: Clock
  readonly log: Log
}

export type Checkpoints = ReturnType<typeof createCheckpoints>

/** What the names of their blobs begin with, and of no others. */
const AT = 'checkpoints/'
/** Also how long those of a task that has ended stay: they count in no quota. */
const SWEEP_EVERY_MS = 60_000
/** One that its live task does not name is left over once it must be written and named. */
const UNNAMED_MS = 600_000

export function createCheckpoints({ blobs, tasks, clock, log }: CheckpointsDeps) {
  async function sweep(signal: AbortSignal): Promise<void> {
    const writtenBefore = clock.now() - UNNAMED_MS
    for await (const { key, writtenAt } of blobs.list(AT)) {
      if (signal.aborted) return
      const [account, mode, id] = key.slice(AT.length).split('/')
      const task = await tasks.get(`${account}/${mode}`, `${id}`)
      if (task?.checkpoint?.blob === key) continue
      if (task?.finished_at !== undefined || writtenAt < writtenBefore) await blobs.delete(key)
    }
  }

  return {
    /** Durable, and what the next attempt goes on from, once this resolves. Fails with `conflict` for a run that is not the live one. */
    async store(task: TaskRecord, data: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
      const { tenant, id, lease_id, attempt } = task
      const blob = `${AT}${tenant}/${id}/${attempt}-${randomUUID()}`
      const bytes = await put(blobs, blob, data, signal)
      const cause = { kind: 'checkpoint_stored', held: { lease_id, attempt }, checkpoint: { blob, bytes } } as const
      const result = await tasks.change(tenant, id, cause)
      const left = result.kind === 'changed' ? result.before.checkpoint?.blob : blob
      if (left !== undefined)
        await blobs.delete(left).catch(error => log.info('checkpoint.left_to_sweeper', { task_id: id, error }))
      if (result.kind !== 'changed') throw fail('conflict', 'The run is not the live one.')
    },

    /** The latest of a task. Fails with `not_found`. */
    async read({ checkpoint }: TaskRecord): Promise<Readable> {
      const content = checkpoint && (await blobs.get(checkpoint.blob))
      if (content === undefined) throw fail('not_found', 'The checkpoint is not there any more.')
      return content
    },

    /** Until the signal ends: removes those of tasks that have ended, and those that no task came to name. */
    run: (signal: AbortSignal): Promise<void> =>
      everyInterval(clock, SWEEP_EVERY_MS, signal, () =>
        sweep(signal).catch(error => log.error('checkpoints.not_looked_through', { error })),
      ),
  }
}

async function put(blobs: Blobs, key: string, data: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<number> {
  const content = Readable.from(data, { objectMode: false })
  content.on('error', () => {}) // It is told to whoever reads.
  try {
    return (await blobs.put(key, content, { maxBytes: MOST_CHECKPOINT_BYTES, signal })).size
  } catch (error) {
    if (!(error instanceof BlobTooLarge)) throw error
    throw fail('payload_too_large', `A checkpoint has at most ${MOST_CHECKPOINT_BYTES / 2 ** 20} MiB.`, {
      cause: error,
    })
  } finally {
    content.destroy()
  }
}
