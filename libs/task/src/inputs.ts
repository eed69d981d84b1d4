/** Where a task's input lies: in its record while it is small, since every change writes the record again; else apart. */
import { randomUUID } from 'node:crypto'
import type { Blobs } from '@millhand/blob'
import type { TaskBase } from './task.ts'

export interface Inputs {
  /**
   * Where the record of a new task has its input: there, or at a place. That is another one each time, so that what one
   * create keeps and removes is never another one's of the same operation.
   */
  placed(tenant: string, id: string, input: string): Pick<TaskBase, 'input' | 'input_blob'>
  /** Stores an input at its place, durably. */
  keep(place: string, input: string): Promise<void>
  /** The input; undefined once the data is removed. */
  read(task: Pick<TaskBase, 'input' | 'input_blob'>): Promise<string | undefined>
  /** Removes the input that lies apart. */
  remove(task: Pick<TaskBase, 'input_blob'>): Promise<void>
  /** Removes inputs that no task names: the process ended in between. Stops when the signal ends. */
  sweep(
    get: (tenant: string, id: string) => Promise<Pick<TaskBase, 'input_blob'> | undefined>,
    writtenBefore: number,
    signal: AbortSignal,
  ): Promise<void>
}

/** `at` is what the names of their blobs begin with, and of no others. */
export function createInputs(blobs: Blobs, at: string): Inputs {
  return {
    placed: (tenant, id, input) =>
      input.length <= inRecord ? { input } : { input_blob: `${at}${tenant}/${id}/${randomUUID()}` },
    async keep(place, input) {
      await blobs.put(place, Buffer.from(input))
    },
    async read(task) {
      if (task.input !== undefined || task.input_blob === undefined) return task.input
      const content = await blobs.get(task.input_blob)
      return content && Buffer.concat(await content.toArray()).toString('utf8')
    },
    async remove({ input_blob }) {
      if (input_blob !== undefined) await blobs.delete(input_blob)
    },
    async sweep(get, writtenBefore, signal) {
      for await (const { key, writtenAt } of blobs.list(at)) {
        if (signal.aborted) return
        if (writtenAt >= writtenBefore) continue
        const [account, mode, id] = key.slice(at.length).split('/')
        const task = await get(`${account}/${mode}`, `${id}`)
        if (task?.input_blob !== key) await blobs.delete(key)
      }
    },
  }
}

/** UTF-16 units. A record is written up to three times in a life without retries, and more often where its run emits. */
const inRecord = 16 * 1024
