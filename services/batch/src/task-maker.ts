/** Makes the tasks of a batch from its lines, in their order, so many that a bounded number waits. Resumes where it was. */
import type { Blobs } from '@millhand/blob'
import type { BatchRecord } from './batch.ts'
import { acceptedItem, MOST_MESSAGE_BYTES, messageBytes } from './item.ts'
import { type BatchItems, countIn, type ItemState, type Refusal, withKinds, withStates } from './item-state.ts'
import type { ItemsStore } from './items-store.ts'
import { keptLines } from './kept-lines.ts'
import { allSettled, type IndexedItem, type ItemRef, type TaskCalls } from './task-calls.ts'

/** Tasks of one call. */
export const CHUNK = 100

export interface TaskMakerDeps {
  readonly blobs: Blobs
  readonly calls: TaskCalls
  readonly items: Pick<ItemsStore, 'save'>
}

/** Makes tasks until `most` of the batch wait; `isFull` where the queue has no room for more. */
export async function makeTasks(
  { blobs, calls, items }: TaskMakerDeps,
  batch: BatchRecord,
  before: BatchItems,
  most: number,
): Promise<{ readonly items: BatchItems; readonly isFull: boolean }> {
  let now = before
  let room = most - countIn(now, 'queued')
  while (now.made < batch.total && room > 0) {
    const chunk = await nextChunk(blobs, batch, now, Math.min(room, CHUNK))
    const { taken, refused } = await calls.add(batch, chunk)
    const made = chunk.slice(0, taken)
    const changes = made.map(({ index }): [number, ItemState] => [index, refused.has(index) ? 'failed' : 'queued'])
    const last = made.at(-1)
    if (last !== undefined)
      now = await items.save({
        ...withStates(withChunk(batch, now, chunk), new Map(changes.filter(([index]) => isUnmade(now, index)))),
        made: now.made + taken,
        offset: last.end,
        refusals: { ...now.refusals, ...Object.fromEntries(made.flatMap(({ index }) => refusalAt(refused, index))) },
      })
    if (taken < chunk.length) return { items: now, isFull: true }
    room -= taken
  }
  return { items: now, isFull: false }
}

/**
 * Makes the next items, up to the index `until`, as cancelled tasks: a call that has failed, or an owner that has died,
 * may have made them, or may be about to. Resolves with their indexes.
 */
export async function fenceTasks(
  { blobs, calls }: Pick<TaskMakerDeps, 'blobs' | 'calls'>,
  batch: BatchRecord,
  { made, offset }: Pick<BatchItems, 'made' | 'offset'>,
  until: number,
): Promise<readonly ItemRef[]> {
  const chunks: (readonly ChunkItem[])[] = []
  for (let place = { made, offset }; place.made < until; ) {
    const chunk = await nextChunk(blobs, batch, place, until - place.made)
    chunks.push(chunk)
    place = { made: place.made + chunk.length, offset: (chunk.at(-1) as ChunkItem).end }
  }
  await allSettled(chunks, chunk => calls.add(batch, chunk, { cancelled: true }))
  return chunks.flat().map(refOf)
}

/** The items that were about to be made: nothing may be known of them that has happened. */
export async function unknownItems(blobs: Blobs, batch: BatchRecord, items: BatchItems): Promise<readonly ItemRef[]> {
  const most = Math.min(CHUNK, batch.total - items.made)
  if (most === 0) return []
  // Ids follow from the index, and for most batches that is all there is to know.
  if (!batch.with_employees) return Array.from({ length: most }, (_, n) => ({ index: items.made + n, kind: 'compute' }))
  return (await nextChunk(blobs, batch, items, most)).map(refOf)
}

const refOf = ({ index, item: { kind } }: ChunkItem): ItemRef => ({ index, kind })

const withChunk = (batch: BatchRecord, items: BatchItems, chunk: readonly ChunkItem[]): BatchItems =>
  batch.with_employees
    ? withKinds(
        items,
        chunk.map(({ item }) => item.kind),
      )
    : items

/** Nothing is known of it yet: a task that was made before a crash may run already. */
const isUnmade = ({ states }: BatchItems, index: number) => states.charAt(index) === '.'

function refusalAt(refused: ReadonlyMap<number, Refusal>, index: number): [number, Refusal][] {
  const refusal = refused.get(index)
  return refusal === undefined ? [] : [[index, refusal]]
}

interface ChunkItem extends IndexedItem {
  /** Where its line ends in the blob, in bytes. */
  readonly end: number
}

/** At least one. */
async function nextChunk(
  blobs: Blobs,
  batch: BatchRecord,
  { made, offset }: Pick<BatchItems, 'made' | 'offset'>,
  most: number,
): Promise<readonly ChunkItem[]> {
  const items: ChunkItem[] = []
  let bytes = 0
  for await (const { text = '', end } of keptLines(blobs, batch, offset)) {
    const item = acceptedItem(text)
    bytes += messageBytes(item, text)
    if (items.length > 0 && bytes > MOST_MESSAGE_BYTES) break
    items.push({ index: made + items.length, item, end })
    if (items.length === most) break
  }
  if (items.length === 0) throw new Error(`${batch.id} has fewer lines than tasks`)
  return items
}
