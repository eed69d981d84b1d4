import { timestampMs } from '@bufbuild/protobuf/wkt'
import type { HandlerContext } from '@connectrpc/connect'
import type { Cursors } from '@millhand/api'
import type { ListEventsRequest, ListEventsResponse } from '@millhand/api/gen/millhand/webhook/v1/archive_pb.ts'
import type { Clock } from '@millhand/process'
import { principal } from '@millhand/rpc'
import { eventMessage } from '../archive/event-message.ts'
import { eventPage } from '../archive/event-page.ts'
import type { ReadableArchive } from '../archived-event.ts'

export interface ListEventsDeps {
  readonly archive: Pick<ReadableArchive, 'find'>
  readonly cursors: Cursors
  readonly clock: Clock
}

/** Lists events by their arrival, the latest first. */
export const listEvents =
  ({ archive, cursors, clock }: ListEventsDeps) =>
  async (req: ListEventsRequest, call: HandlerContext): Promise<ListEventsResponse> => {
    const { type, createdAfter, resourceId } = req
    const { data, more } = await eventPage({
      archive,
      cursors,
      tenant: principal(call).tenant,
      filters: { type, resourceId, createdAfter: createdAfter && timestampMs(createdAfter) },
      request: req,
      now: clock.now(),
    })
    return { $typeName: 'millhand.webhook.v1.ListEventsResponse', data: data.map(eventMessage), ...more }
  }
