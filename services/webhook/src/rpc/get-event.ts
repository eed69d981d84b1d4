import type { HandlerContext } from '@connectrpc/connect'
import type { Event } from '@millhand/api/gen/millhand/event/v1/event_pb.ts'
import type { GetEventRequest } from '@millhand/api/gen/millhand/webhook/v1/archive_pb.ts'
import type { Archive } from '../archived-event.ts'

/** Gets an event. */
export const getEvent =
  ({ archive }: { readonly archive: Pick<Archive, 'get'> }) =>
  async (req: GetEventRequest, call: HandlerContext): Promise<Event> => {
    throw new Error(`${archive} ${req} ${call}`)
  }
