import type { HandlerContext } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import type { Event } from '@millhand/api/gen/millhand/event/v1/event_pb.ts'
import type { GetEventRequest } from '@millhand/api/gen/millhand/webhook/v1/archive_pb.ts'
import { principal } from '@millhand/rpc'
import { eventMessage } from '../archive/event-message.ts'
import type { ReadableArchive } from '../archived-event.ts'

/** Gets an event. */
export const getEvent =
  ({ archive }: { readonly archive: Pick<ReadableArchive, 'get'> }) =>
  async ({ id }: GetEventRequest, call: HandlerContext): Promise<Event> => {
    const event = await archive.get(principal(call).tenant, id)
    if (!event) throw fail('not_found', `There is no event \`${id.slice(0, 64)}\`. Events are kept for 30 days.`)
    return eventMessage(event)
  }
