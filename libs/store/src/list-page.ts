/** A page of a tenant's documents, in the order of their ids. */
import type { Cursors } from '@millhand/api'
import { Order } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import type { Document, Query } from './collection.ts'

/** How many records one page looks at: a filter that few of them pass gives a short page instead of a slow one. */
const looksAt = 1_000

/** How many records it reads at once where a filter decides which of them the page gets. */
const readsAtOnce = 100

/** `asc` leaves out the newest ids, which may still come out of order. Contract, section 1, "lists". */
export const settlesAfterMs = 2_000

export interface PageOf<T extends Document> {
  readonly find: (index: 'primary', query: Query) => Promise<T[]>
  readonly tenant: string
  /** Ids strictly between these. */
  readonly range: IdRange
  /** Which documents the page may have; all of them without it. */
  readonly passes?: ((document: T) => boolean) | undefined
  /** What is listed, and its filters: a cursor is good for the same alone. */
  readonly list: readonly unknown[]
  readonly cursors: Cursors
  readonly request: {
    readonly limit?: number | undefined
    readonly order?: Order | undefined
    readonly cursor?: string | undefined
  }
}

export interface IdRange {
  readonly after: string | undefined
  readonly before: string | undefined
}

export interface Page<T> {
  readonly data: readonly T[]
  readonly more: { readonly hasMore: boolean; readonly nextCursor?: string }
}

/** Fails with `invalid_cursor` for a cursor of another list, other filters or another order. */
export async function readPage<T extends Document>(options: PageOf<T>): Promise<Page<T>> {
  const { find, tenant, range, passes, cursors } = options
  const { limit = 20, order = Order.DESC, cursor } = options.request
  const boundTo = JSON.stringify([tenant, ...options.list, order])
  const atOnce = passes ? readsAtOnce : limit + 1

  const data: T[] = []
  let last = cursor === undefined ? undefined : String(cursors.open(cursor, boundTo))
  let looked = 0
  let hasMore = true
  while (hasMore && data.length < limit && looked < looksAt) {
    const chunk = await find('primary', {
      equals: [tenant],
      ...(order === Order.ASC
        ? between(last ?? range.after, range.before)
        : between(range.after, last ?? range.before)),
      order: order === Order.ASC ? 'asc' : 'desc',
      limit: atOnce,
    })
    looked += chunk.length
    let used = 0
    while (used < chunk.length && data.length < limit) {
      const document = chunk[used++] as T
      last = document.id
      if (passes?.(document) ?? true) data.push(document)
    }
    hasMore = chunk.length === atOnce || chunk.slice(used).some(passes ?? everything)
  }
  return { data, more: { hasMore, ...(hasMore && last !== undefined && { nextCursor: cursors.seal(last, boundTo) }) } }
}

const everything = () => true

const between = (after: string | undefined, before: string | undefined) => ({
  ...(after !== undefined && { after: [after] }),
  ...(before !== undefined && { before: [before] }),
})
