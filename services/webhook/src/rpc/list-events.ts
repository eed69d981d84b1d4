import type { HandlerContext } from '@connectrpc/connect'
import type { Cursors } from '@millhand/api'
import type { ListEventsRequest, ListEventsResponse } from '@millhand/api/gen/millhand/webhook/v1/archive_pb.ts'
import type { Clock } from '@millhand/runner'
import type { Archive } from '../archived-event.ts'

export interface ListEventsDeps {
  readonly archive: Pick<Archive, 'find'>
  readonly cursors: Cursors
  readonly clock: Clock
}

/** Lists events by their arrival, the latest first. */
export const listEvents =
  (deps: ListEventsDeps) =>
  async (req: ListEventsRequest, call: HandlerContext): Promise<ListEventsResponse> => {
    throw new Error(`${deps.clock.now()} ${req} ${call}`)
  }
