/** A page of what is listed in the order in which it came. */
import type { Cursors } from '@millhand/api'
import { Order } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import { type Page, type Query, settlesAfterMs } from '@millhand/store'
import { microseconds } from './arrival-clock.ts'
import type { ArrivalOrdered } from './ordered-writes.ts'

export interface PageInOrder<T extends ArrivalOrdered> {
  /** Finds by an index whose next field is `arrived`. */
  readonly find: (query: Pick<Query, 'after' | 'before' | 'order'> & { readonly limit: number }) => Promise<T[]>
  /** Which documents the page may have; all of them without it. */
  readonly passes?: ((document: T) => boolean) | undefined
  /** When the first that may be listed came, in milliseconds since 1970. */
  readonly since?: number
  /** How many are read at once, at most. */
  readonly atOnce: number
  /** What is listed, and its filters: a cursor is good for the same alone. */
  readonly list: readonly unknown[]
  readonly cursors: Cursors
  readonly request: {
    readonly limit?: number | undefined
    readonly order?: Order | undefined
    readonly cursor?: string | undefined
  }
  readonly now: number
}

/** How many documents a page looks at: a filter that few pass gives a short page instead of a slow one. */
const LOOKS_AT = 1_000

/** Fails with `invalid_cursor` for a cursor of another list, other filters or another order. */
export async function pageInOrder<T extends ArrivalOrdered>(options: PageInOrder<T>): Promise<Page<T>> {
  const { find, passes, since = 0, atOnce, list, cursors, now } = options
  const { limit = 20, order = Order.DESC, cursor } = options.request
  const boundTo = JSON.stringify([...list, order])
  const ascends = order === Order.ASC
  const earliest = [microseconds(since)]
  // The newest may still come out of order. Contract, section 1, "lists".
  const settled = ascends ? [microseconds(now - settlesAfterMs)] : undefined

  const data: T[] = []
  let last = cursor === undefined ? undefined : (cursors.open(cursor, boundTo) as [arrived: number, id: string])
  let looked = 0
  let hasMore = true
  while (hasMore && data.length < limit && looked < LOOKS_AT) {
    const before = ascends ? settled : last
    const asked = passes ? atOnce : Math.min(atOnce, limit - data.length + 1)
    const found = await find({
      after: ascends ? (last ?? earliest) : earliest,
      ...(before && { before }),
      order: ascends ? 'asc' : 'desc',
      limit: asked,
    })
    looked += found.length
    let used = 0
    while (used < found.length && data.length < limit) {
      const document = found[used++] as T
      last = [document.arrived, document.id]
      if (passes?.(document) ?? true) data.push(document)
    }
    hasMore = found.length === asked || found.slice(used).some(passes ?? everything)
  }
  return { data, more: { hasMore, ...(hasMore && last !== undefined && { nextCursor: cursors.seal(last, boundTo) }) } }
}

const everything = () => true
