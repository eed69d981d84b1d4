/** What a pool reads of the store: page by page, so as not to hold the event loop. */
import { countedByOwner, type Work } from './work.ts'
import type { WorkStore } from './work-store.ts'

/** How many documents are read in one go. */
const PAGE = 250

type Finds<T extends Work> = Pick<WorkStore<T, never>, 'find'>

/** Whose work waits. */
export async function* tenantsThatWait(work: Finds<Work>, pool: string): AsyncGenerator<string> {
  let after: string[] = []
  for (;;) {
    const [next] = await work.find('ready', { equals: [pool], ...(after.length > 0 && { after }), limit: 1 })
    if (!next) return
    yield next.tenant
    after = [next.tenant]
  }
}

/** A tenant's work of a rank that can be claimed now, the oldest first. */
export const readyWork = <T extends Work>(work: Finds<T>, pool: string, tenant: string, rank: number) =>
  pages(work, 'ready', [pool, tenant, rank, 0], last => [last.id])

/** Every lease and every backoff. */
export const countedWork = <T extends Work>(work: Finds<T>, pool: string) =>
  pages(work, 'due', [pool, countedByOwner], last => [last.tenant, last.id])

async function* pages<T extends Work>(
  work: Finds<T>,
  index: 'ready' | 'due',
  equals: readonly (string | number)[],
  place: (last: T) => string[],
): AsyncGenerator<T[]> {
  let after: string[] = []
  for (;;) {
    const page = await work.find(index, { equals, limit: PAGE, ...(after.length > 0 && { after }) })
    if (page.length > 0) yield page
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    after = place(last)
  }
}
