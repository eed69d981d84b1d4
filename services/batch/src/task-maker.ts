/** Makes the tasks of a batch from its lines, in their order, so many that a bounded number waits. Resumes where it was. */
import type { Fault } from '@millhand/api'
import type { Blobs } from '@millhand/blob'
import type { BatchRecord } from './batch.ts'
import { type Item, kindOf, MOST_MESSAGE_BYTES, messageBytes, readItem } from './item.ts'
import {
  type BatchItems,
  countIn,
  type ItemState,
  type Refusal,
  withKinds,
  withRefusals,
  withStates,
} from './item-state.ts'
import { keptLines } from './kept-lines.ts'
import { allSettled, type IndexedItem, type ItemRef, type TaskCalls } from './task-calls.ts'

/** Tasks of one call. */
export const CHUNK = 100

export interface TaskMakerDeps {
  readonly blobs: Blobs
  readonly calls: TaskCalls
  /** Stores items that have changed, and the counts of their batch. */
  readonly save: (batch: BatchRecord, before: BatchItems, after: BatchItems) => Promise<BatchItems>
}

/** Makes tasks until `most` of the batch wait; `isFull` where the queue has no room for more. */
export async function makeTasks(
  { blobs, calls, save }: TaskMakerDeps,
  batch: BatchRecord,
  before: BatchItems,
  most: number,
): Promise<{ readonly items: BatchItems; readonly isFull: boolean }> {
  let now = before
  let room = most - countIn(now, 'queued')
  while (now.made < batch.total && room > 0) {
    const chunk = await nextChunk(blobs, batch, now, Math.min(room, CHUNK))
    const valid = chunk.filter(isValid)
    const answer = valid.length === 0 ? { taken: 0, refused: [] } : await calls.add(batch, valid)
    const next = valid[answer.taken]
    const made = next === undefined ? chunk : chunk.slice(0, chunk.indexOf(next))
    const refused = new Map([
      ...chunk.flatMap(({ index, refusal }) => (refusal ? [[index, refusal] as const] : [])),
      ...answer.refused,
    ])
    const changes = made.map(({ index }): [number, ItemState] => [index, refused.has(index) ? 'failed' : 'queued'])
    const last = made.at(-1)
    if (last !== undefined)
      now = await save(batch, now, {
        ...withStates(withChunk(batch, now, chunk), new Map(changes.filter(([index]) => isUnmade(now, index)))),
        made: now.made + made.length,
        offset: last.end,
        refusals: withRefusals(
          now.refusals,
          made.flatMap(({ index }) => refusalAt(refused, index)),
        ),
      })
    if (next !== undefined) return { items: now, isFull: true }
    room -= made.length
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
  await allSettled(chunks, chunk => calls.add(batch, chunk.filter(isValid), { cancelled: true }))
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

const refOf = ({ index, kind }: ChunkItem): ItemRef => ({ index, kind })

const isValid = (item: ChunkItem): item is ChunkItem & IndexedItem => item.item !== undefined

const withChunk = (batch: BatchRecord, items: BatchItems, chunk: readonly ChunkItem[]): BatchItems =>
  batch.with_employees
    ? withKinds(
        items,
        chunk.map(({ kind }) => kind),
      )
    : items

/** Nothing is known of it yet: a task that was made before a crash may run already. */
const isUnmade = ({ states }: BatchItems, index: number) => states.charAt(index) === '.'

function refusalAt(refused: ReadonlyMap<number, Refusal>, index: number): [number, Refusal][] {
  const refusal = refused.get(index)
  return refusal === undefined ? [] : [[index, refusal]]
}

interface ChunkItem extends ItemRef {
  readonly item: Item | undefined
  /** Why it can't be made, where the rules are stricter than when its line was accepted. */
  readonly refusal: Refusal | undefined
  /** Where its line ends in the blob, in bytes. */
  readonly end: number
}

const refusalOf = ([fault]: readonly Fault[]): Refusal => ({
  code: 'invalid_parameter',
  message: fault?.message ?? 'The task is not valid.',
})

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
    const reading = readItem(text)
    const item = reading.ok ? reading.item : undefined
    const refusal = reading.ok ? undefined : refusalOf(reading.faults)
    const kind = item?.kind ?? kindOf(JSON.parse(text))
    bytes += messageBytes({ kind }, text)
    if (items.length > 0 && bytes > MOST_MESSAGE_BYTES) break
    items.push({ index: made + items.length, kind, item, refusal, end })
    if (items.length === most) break
  }
  if (items.length === 0) throw new Error(`${batch.id} has fewer lines than tasks`)
  return items
}
