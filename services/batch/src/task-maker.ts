/** Makes the tasks of a batch from its lines, in their order, so many that a bounded number waits. Resumes where it was. */
import type { Blobs } from '@millhand/blob'
import type { BatchRecord } from './batch.ts'
import { acceptedItem } from './item.ts'
import { type BatchItems, countIn, type ItemState, withStates } from './item-state.ts'
import type { ItemsStore } from './items-store.ts'
import { keptLines } from './kept-lines.ts'
import type { IndexedItem, TaskCalls } from './task-calls.ts'

/** Tasks of one call, and the characters of their lines. */
export const CHUNK = 100
const CHUNK_LENGTH = 524_288

export interface TaskMakerDeps {
  readonly blobs: Blobs
  readonly calls: TaskCalls
  readonly items: Pick<ItemsStore, 'save'>
}

/** Makes tasks until `most` of the batch wait, or the queue has no room for more. */
export async function makeTasks(
  { blobs, calls, items }: TaskMakerDeps,
  batch: BatchRecord,
  before: BatchItems,
  most: number,
): Promise<BatchItems> {
  let now = before
  let room = most - countIn(now, 'queued')
  while (now.made < batch.total && room > 0) {
    const chunk = await nextChunk(blobs, batch, now, Math.min(room, CHUNK))
    const refused = await calls.add(batch, chunk.items)
    if (refused === 'full') return now
    const changes = chunk.items.map(({ index }): [number, ItemState] => [
      index,
      refused.has(index) ? 'failed' : 'queued',
    ])
    now = await items.save({
      ...withStates(now, new Map(changes.filter(([index]) => isUnmade(now, index)))),
      made: now.made + chunk.items.length,
      offset: chunk.end,
      refusals: { ...now.refusals, ...Object.fromEntries(refused) },
    })
    room -= chunk.items.length
  }
  return now
}

/** Nothing is known of it yet: a task that was made before a crash may run already. */
const isUnmade = ({ states }: BatchItems, index: number) => states.charAt(index) === '.'

async function nextChunk(blobs: Blobs, batch: BatchRecord, { made, offset }: BatchItems, most: number) {
  const items: IndexedItem[] = []
  let length = 0
  let end = offset
  for await (const line of keptLines(blobs, batch, offset)) {
    items.push({ index: made + items.length, item: acceptedItem(line.text) })
    length += line.text?.length ?? 0
    end = line.end
    if (items.length === most || length > CHUNK_LENGTH) break
  }
  if (items.length === 0) throw new Error(`${batch.id} has fewer lines than tasks`)
  return { items, end }
}
