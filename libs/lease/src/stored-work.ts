/** What a pool reads of the store: page by page, so as not to hold the event loop. */
import type { Scalar } from '@millhand/store'
import type { ReadyQueue, Refill } from './ready-queue.ts'
import { countedByOwner, type Work } from './work.ts'
import type { WorkStore } from './work-store.ts'

/** How many documents are read in one go. */
const PAGE = 250

type Finds<T extends Work> = Pick<WorkStore<T, never>, 'find'>

/** How the `ready` index of a pool's work goes: pool, flow, rank, and then what `rest` has values for. */
export interface FlowIndex<T> {
  readonly of: (work: T) => string
  /** The values of work that can be claimed now, for the fields between rank and id. */
  readonly rest: readonly Scalar[]
}

/** Tenants take turns, and what waits for its next attempt is not ready. */
export const tenants: FlowIndex<Work> = { of: ({ tenant }) => tenant, rest: [0] }

/**
 * What can be claimed now, flow by flow, page by page: of a flow's rank that is full after a page no more is read, nor of
 * one where it meets what only waits. A page is of a window and one more, so that one tells whether that is full; of one
 * document where a flow was full before, so that going past it costs little; and each twice as long where flows are short.
 */
export async function* readyWork<T extends Work>(
  work: Finds<T>,
  pool: string,
  flows: FlowIndex<T>,
  queue: Pick<ReadyQueue, 'window' | 'hasMore'>,
): AsyncGenerator<T[]> {
  const pageOfWindow = () => Math.min(queue.window + 1, PAGE)
  let after: Scalar[] = []
  for (let limit = pageOfWindow(); ; ) {
    const page = await work.find('ready', { equals: [pool], limit, ...(after.length > 0 && { after }) })
    const last = page.at(-1)
    if (!last) return
    const [flow, { rank }] = [flows.of(last), last]
    const wasFull = queue.hasMore({ flow, rank })
    const ready = page.filter(({ backoff_ms }) => backoff_ms === 0)
    if (ready.length > 0) yield ready
    if (page.length < limit) return
    const isFull = wasFull || last.backoff_ms !== 0 || queue.hasMore({ flow, rank })
    after = isFull ? [flow, rank] : [flow, rank, ...flows.rest, last.id]
    limit = wasFull ? 1 : isFull ? pageOfWindow() : Math.min(2 * limit, PAGE)
  }
}

/** The same of one flow and rank, the oldest first, in pages of at most `limit`. */
export const readyOfRank = <T extends Work>(
  work: Finds<T>,
  pool: string,
  { rest }: FlowIndex<T>,
  { flow, rank }: Refill,
  limit: number,
) => pages(work, 'ready', [pool, flow, rank, ...rest], last => [last.id], Math.min(limit, PAGE))

/** Every lease and every backoff. */
export const countedWork = <T extends Work>(work: Finds<T>, pool: string) =>
  pages(work, 'due', [pool, countedByOwner], last => [last.tenant, last.id], PAGE)

async function* pages<T extends Work>(
  work: Finds<T>,
  index: 'ready' | 'due',
  equals: readonly (string | number)[],
  place: (last: T) => string[],
  limit: number,
): AsyncGenerator<T[]> {
  let after: string[] = []
  for (;;) {
    const page = await work.find(index, { equals, limit, ...(after.length > 0 && { after }) })
    if (page.length > 0) yield page
    const last = page.at(-1)
    if (!last || page.length < limit) return
    after = place(last)
  }
}
