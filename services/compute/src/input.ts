/** Where a task's input lies: in its record while it is small, since every change writes the record again; else apart. */
import type { Blobs } from '@millhand/blob'
import type { TaskRecord } from './task.ts'

/** UTF-16 units. A record is written three times in a task's life. */
const inRecord = 16 * 1024

export const fitsRecord = (input: string): boolean => input.length <= inRecord

export interface Inputs {
  /** Stores an input that does not fit its record, durably; says where. */
  keep(tenant: string, id: string, input: string): Promise<string>
  /** The input; undefined once the data is removed. */
  read(task: TaskRecord): Promise<string | undefined>
  /** Removes a large input, whether its record still names it or not. */
  remove(tenant: string, id: string): Promise<void>
  /** Removes large inputs whose task was never written: the process ended in between. Stops when the signal ends. */
  sweep(
    exists: (tenant: string, id: string) => Promise<boolean>,
    writtenBefore: number,
    signal: AbortSignal,
  ): Promise<void>
}

export function createInputs(blobs: Blobs): Inputs {
  return {
    async keep(tenant, id, input) {
      const key = keyOf(tenant, id)
      await blobs.put(key, Buffer.from(input))
      return key
    },
    async read(task) {
      if (task.input !== undefined || task.input_blob === undefined) return task.input
      const content = await blobs.get(task.input_blob)
      return content && Buffer.concat(await content.toArray()).toString('utf8')
    },
    remove: (tenant, id) => blobs.delete(keyOf(tenant, id)),
    async sweep(exists, writtenBefore, signal) {
      for await (const { key, writtenAt } of blobs.list('inputs/')) {
        if (signal.aborted) return
        const [, account, mode, id] = key.split('/')
        if (writtenAt < writtenBefore && !(await exists(`${account}/${mode}`, `${id}`))) await blobs.delete(key)
      }
    },
  }
}

const keyOf = (tenant: string, id: string) => `inputs/${tenant}/${id}`
