/** A page of a tenant's events, in the order in which they came. */
import type { Page, Query } from '@millhand/store'
import type { ArchivedEvent, ReadableArchive } from '../archived-event.ts'
import { matches } from '../event-types.ts'
import { type PageInOrder, pageInOrder } from './ordered-page.ts'

export interface EventPageOptions extends Pick<PageInOrder<ArchivedEvent>, 'cursors' | 'request' | 'now'> {
  readonly archive: Pick<ReadableArchive, 'find'>
  readonly tenant: string
  readonly filters: EventFilters
}

interface EventFilters {
  /** `task.succeeded`, `task.*`, `*`. */
  readonly type: string | undefined
  /** Milliseconds since 1970. */
  readonly createdAfter: number | undefined
  readonly resourceId: string | undefined
}

/** A filter may decide which of them the page gets. */
const READS_AT_ONCE = 200
/** How much earlier than it happened an event may seem to have come: two machines' clocks. */
export const clocksDifferMs = 3_600_000

/** Fails with `invalid_cursor` for a cursor of another tenant, other filters or another order. */
export async function eventPage(options: EventPageOptions): Promise<Page<ArchivedEvent>> {
  const { archive, cursors, tenant, filters, request, now } = options
  const { type, createdAfter, resourceId } = filters
  const { index, equals, passes } = planOf(tenant, filters)
  return await pageInOrder({
    find: query => archive.find(index, { ...query, equals }),
    passes,
    ...(createdAfter !== undefined && { since: createdAfter - clocksDifferMs }),
    atOnce: READS_AT_ONCE,
    list: ['events', tenant, type, createdAfter, resourceId],
    ...{ cursors, request, now },
  })
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
