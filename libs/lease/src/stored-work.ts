/** What a pool reads of the store: page by page, so as not to hold the event loop. */
import type { Scalar } from '@millhand/store'
import type { Refill } from './ready-queue.ts'
import { countedByOwner, type Work } from './work.ts'
import type { WorkStore } from './work-store.ts'

/** How many documents are read in one go. */
const PAGE = 250

type Finds<T extends Work> = Pick<WorkStore<T, never>, 'find'>

/** How the `ready` index of a pool's work goes: pool, line, rank, and then what `rest` has values for. */
export interface Lines<T> {
  readonly of: (work: T) => string
  /** The values of work that can be claimed now, for the fields between rank and id. */
  readonly rest: readonly Scalar[]
}

/** Tenants take turns, and what waits for its next attempt is not ready. */
export const tenants: Lines<Work> = { of: ({ tenant }) => tenant, rest: [0] }

/**
 * What can be claimed now, line by line, page by page: of a line's rank that `isFull` after a page no more is read, nor
 * of one where it meets what only waits.
 */
export async function* readyWork<T extends Work>(
  work: Finds<T>,
  pool: string,
  lines: Lines<T>,
  isFull: (rank: Refill) => boolean,
): AsyncGenerator<T[]> {
  let after: Scalar[] = []
  for (;;) {
    const page = await work.find('ready', { equals: [pool], limit: PAGE, ...(after.length > 0 && { after }) })
    const ready = page.filter(({ backoff_ms }) => backoff_ms === 0)
    if (ready.length > 0) yield ready
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    const [line, { rank }] = [lines.of(last), last]
    after = last.backoff_ms !== 0 || isFull({ line, rank }) ? [line, rank] : [line, rank, ...lines.rest, last.id]
  }
}

/** The same of one line and rank, the oldest first, in pages of at most `limit`. */
export const readyOfRank = <T extends Work>(
  work: Finds<T>,
  pool: string,
  { rest }: Lines<T>,
  { line, rank }: Refill,
  limit: number,
) => pages(work, 'ready', [pool, line, rank, ...rest], last => [last.id], Math.min(limit, PAGE))

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
