/**
 * What runs emit, in batches: a document each, which counts once the task's history says so. Documents are found by
 * their ids alone: those of a task are next to each other, in the order of their sequence numbers.
 */
import { fail } from '@millhand/api'
import type { Collection, Document } from '@millhand/store'
import type { TaskBase } from '../task.ts'
import { bytesOf, type Emission } from './emission.ts'

export interface EmissionsRecord extends Document {
  /** The sequence number of the first; that of the last is in the id. */
  readonly first: number
  /** When they were stored, in milliseconds since 1970. */
  readonly at: number
  readonly emissions: readonly Emission[]
}

export type TaskRef = Pick<TaskBase, 'tenant' | 'id'>

export interface Emissions {
  /** Stores a batch; false where it is there already. It has no reader before the task's history counts it. */
  add(task: TaskRef, first: number, at: number, emissions: readonly Emission[]): Promise<boolean>
  /** Takes a batch back that `add` has stored and that will never count. */
  discard(task: TaskRef, first: number, count: number): Promise<void>
  /**
   * The batches that have something after one sequence number and up to another, which the task's history has counted. However
   * slowly it is read, it holds at most 8 of them and 64 KiB, or one alone. Fails with `not_found` where one is gone.
   */
  read(task: TaskRef, after: number, last: number): AsyncGenerator<EmissionsRecord>
  /** Removes everything that the task's runs have emitted, whether it counts or not. */
  removeAll(task: TaskRef): Promise<void>
}

/** How many batches are read at once, for readers and to be removed. */
const READ_PAGE = 8
const REMOVED_PAGE = 256

/** What is held of them at a time, in bytes of UTF-8. The others are read again. */
const HELD_BYTES = 64 * 1024

export function createEmissions(collection: Collection<EmissionsRecord, never>): Emissions {
  const remove = ({ tenant, id }: TaskRef) => collection.write({ kind: 'remove', version: 1, tenant, id, events: [] }) // Nothing changes them.

  /** A task's batches between two ids. */
  async function* pages({ tenant }: TaskRef, after: string, before: string, most: number) {
    let limit = READ_PAGE
    for (let last: string | undefined = after; last !== undefined; ) {
      const query = { equals: [tenant], after: [last], before: [before], limit }
      const held = firstOf(await collection.find('primary', query))
      if (held.length > 0) yield held
      limit = held.length < limit ? Math.max(1, held.length) : Math.min(most, 2 * limit)
      last = held.at(-1)?.id
    }
  }

  return {
    async add({ tenant, id: taskId }, first, at, emissions) {
      const id = idOf(taskId, first + emissions.length - 1)
      const result = await collection.write({
        kind: 'insert',
        document: { tenant, id, first, at, emissions },
        events: [],
      })
      return result.kind === 'written'
    },

    async discard({ tenant, id }, first, count) {
      await remove({ tenant, id: idOf(id, first + count - 1) })
    },

    async *read(task, after, last) {
      let sequence = after
      for await (const page of pages(task, idOf(task.id, after), idOf(task.id, last + 1), READ_PAGE)) {
        for (const batch of page) {
          if (batch.first > sequence + 1) throw removed(task)
          yield batch
          sequence = lastOf(batch)
          if (sequence === last) return
        }
      }
      throw removed(task)
    },

    async removeAll(task) {
      const all = pages(task, `${task.id}.`, `${task.id}/`, REMOVED_PAGE)
      for await (const page of all) await Promise.all(page.map(remove))
    },
  }
}

const removed = ({ id }: TaskRef) => fail('not_found', `The data of the task \`${id}\` has been removed.`)

/** As many of them as may be held, and at least one. */
function firstOf(batches: readonly EmissionsRecord[]): readonly EmissionsRecord[] {
  let left = HELD_BYTES
  return batches.filter(({ emissions }, n) => {
    left -= emissions.reduce((sum, emission) => sum + bytesOf(emission), 0)
    return n === 0 || left >= 0
  })
}

const lastOf = ({ first, emissions }: EmissionsRecord) => first + emissions.length - 1

/** By the sequence number of its last, so that the first batch after a sequence number is the one that has what comes next. */
const idOf = (taskId: string, last: number) => `${taskId}.${String(last).padStart(16, '0')}`
