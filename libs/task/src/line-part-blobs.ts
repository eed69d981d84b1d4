/** The blobs of the parts of tasks over lines: each is named for its task, its first line and the attempt that made it. */
import { Readable } from 'node:stream'
import { fail } from '@millhand/api'
import type { LinesPart as LinesPartMessage } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { type Blobs, BlobTooLarge } from '@millhand/blob'
import { type LinesPart, noLines } from './lines.ts'
import type { TaskBase } from './task.ts'

/** What the parts of a task have together at most: a file's bytes. Contract, section 4. */
const MOST_BYTES = 512 * 2 ** 20

/** `partsAt` is what their names begin with, and those of no others. */
export function linePartBlobs(blobs: Blobs, partsAt: string) {
  const folderOf = ({ tenant, id }: Pick<TaskBase, 'tenant' | 'id'>) => `${partsAt}${tenant}/${id}/`
  const keyOf = (task: TaskBase, { attempt, first }: Pick<LinesPart, 'attempt' | 'first'>) =>
    `${folderOf(task)}${first}-${attempt}`

  return {
    /** Of a task's parts, in order. */
    async *contentOf(task: TaskBase): AsyncGenerator<Uint8Array, void> {
      for (const part of task.lines?.parts ?? []) {
        const content = await blobs.get(keyOf(task, part))
        if (content === undefined) throw new Error(`a part of ${task.id} is not there`)
        yield* content
      }
    },

    /** Its bytes are durable once this resolves with how many they are. */
    async put(task: TaskBase, part: LinesPartMessage, data: AsyncIterable<Uint8Array>, signal: AbortSignal) {
      const content = Readable.from(data, { objectMode: false })
      content.on('error', () => {}) // It is told to whoever reads.
      const maxBytes = MOST_BYTES - (task.lines ?? noLines).bytes
      try {
        return (await blobs.put(keyOf(task, { ...part, attempt: task.attempt }), content, { maxBytes, signal })).size
      } catch (error) {
        if (!(error instanceof BlobTooLarge)) throw error
        throw fail('payload_too_large', `The output has at most ${MOST_BYTES / 2 ** 20} MiB.`, { cause: error })
      } finally {
        content.destroy()
      }
    },

    /** Removes those that were written before a time and are of no task that is over lines and not settled. */
    async sweep(
      get: (tenant: string, id: string) => Promise<Pick<TaskBase, 'lines_state'> | undefined>,
      writtenBefore: number,
      signal: AbortSignal,
    ): Promise<void> {
      for await (const { key, writtenAt } of blobs.list(partsAt)) {
        if (signal.aborted) return
        if (writtenAt >= writtenBefore) continue
        const [account, mode, id] = key.slice(partsAt.length).split('/')
        const state = (await get(`${account}/${mode}`, `${id}`))?.lines_state
        if (state !== 'alive' && state !== 'ended') await blobs.delete(key)
      }
    },

    /** Removes all of a task, also those that no record counts. */
    async removeAll(task: TaskBase): Promise<void> {
      for await (const { key } of blobs.list(folderOf(task))) await blobs.delete(key)
    },
  }
}
