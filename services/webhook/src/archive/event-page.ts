/** A page of a tenant's events, in the order in which they came. */
import type { Cursors } from '@millhand/api'
import { Order } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import { type Page, type Query, settlesAfterMs } from '@millhand/store'
import type { Archive, ArchivedEvent } from '../archived-event.ts'
import { matches } from '../event-types.ts'
import { microseconds } from './arrivals.ts'

export interface EventPageOptions {
  readonly archive: Pick<Archive, 'find'>
  readonly cursors: Cursors
  readonly tenant: string
  readonly filters: EventFilters
  readonly limit: number
  readonly order: Order
  readonly cursor: string | undefined
  readonly now: number
}

interface EventFilters {
  /** `task.succeeded`, `task.*`, `*`. */
  readonly type: string | undefined
  /** Milliseconds since 1970. */
  readonly createdAfter: number | undefined
  readonly resourceId: string | undefined
}

/** How many events a page looks at: a filter that few pass gives a short page instead of a slow one. */
const LOOKS_AT = 1_000
/** How many are read at once where a filter decides which of them the page gets. */
const READS_AT_ONCE = 200
/** How much earlier than it happened an event may seem to have come: two machines' clocks. */
export const clocksDifferMs = 3_600_000

/** Fails with `invalid_cursor` for a cursor of another tenant, other filters or another order. */
export async function eventPage(options: EventPageOptions): Promise<Page<ArchivedEvent>> {
  const { archive, cursors, tenant, filters, limit, order, cursor, now } = options
  const { type, createdAfter, resourceId } = filters
  const boundTo = JSON.stringify(['events', tenant, type, createdAfter, resourceId, order])
  const { index, equals, passes } = planOf(tenant, filters)
  const atOnce = passes ? READS_AT_ONCE : limit + 1
  const ascends = order === Order.ASC
  const earliest = [createdAfter === undefined ? 0 : microseconds(createdAfter - clocksDifferMs)]
  // The newest may still come out of order. Contract, section 1, "lists".
  const settled = ascends ? [microseconds(now - settlesAfterMs)] : undefined

  const data: ArchivedEvent[] = []
  let last = cursor === undefined ? undefined : (cursors.open(cursor, boundTo) as [arrived: number, id: string])
  let looked = 0
  let hasMore = true
  while (hasMore && data.length < limit && looked < LOOKS_AT) {
    const before = ascends ? settled : last
    const found = await archive.find(index, {
      equals,
      after: ascends ? (last ?? earliest) : earliest,
      ...(before && { before }),
      order: ascends ? 'asc' : 'desc',
      limit: atOnce,
    })
    looked += found.length
    let used = 0
    while (used < found.length && data.length < limit) {
      const event = found[used++] as ArchivedEvent
      last = [event.arrived, event.id]
      if (passes?.(event) ?? true) data.push(event)
    }
    hasMore = found.length === atOnce || found.slice(used).some(passes ?? everything)
  }
  return { data, more: { hasMore, ...(hasMore && last !== undefined && { nextCursor: cursors.seal(last, boundTo) }) } }
}

const everything = () => true

interface Plan {
  readonly index: 'by_arrival' | 'by_type' | 'by_resource'
  readonly equals: Query['equals']
  /** What the index leaves to be looked at; nothing without it. */
  readonly passes: ((event: ArchivedEvent) => boolean) | undefined
}

/** The index that fits the filters best. */
function planOf(tenant: string, { type, createdAfter, resourceId }: EventFilters): Plan {
  const isTime = createdAfter === undefined ? everything : (event: ArchivedEvent) => event.created_at > createdAfter
  const isType = type === undefined ? everything : (event: ArchivedEvent) => matches(type, event.type)
  const filtered = (filter: typeof isTime) =>
    createdAfter === undefined && filter === everything
      ? undefined
      : (event: ArchivedEvent) => isTime(event) && filter(event)
  if (resourceId !== undefined) return { index: 'by_resource', equals: [tenant, resourceId], passes: filtered(isType) }
  if (type !== undefined && !type.endsWith('*')) {
    return { index: 'by_type', equals: [tenant, type], passes: filtered(everything) }
  }
  return { index: 'by_arrival', equals: [tenant], passes: filtered(isType) }
}
