import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt'
import { firstIdAt, type IdPrefix, idTime, parseId } from '@millhand/api'
import { Order } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import { type IdRange, settlesAfterMs } from '@millhand/store'

interface ListRequest {
  readonly createdAfter?: Timestamp | undefined
  readonly createdBefore?: Timestamp | undefined
  readonly order?: Order | undefined
}

/**
 * Ids sort by creation, so the time filters of a list are bounds on the id. Both are exclusive. `createdAt` is the only
 * millisecond that is looked for, where there is one.
 */
export function createdRange(
  prefix: IdPrefix,
  { createdAfter, createdBefore, order }: ListRequest,
  now: number,
  createdAt?: number,
): IdRange {
  const from = [createdAfter && timestampMs(createdAfter) + 1, createdAt].filter(bound => bound !== undefined)
  const after = from.length > 0 ? firstIdAt(prefix, Math.max(...from)) : undefined
  const until = createdBefore && timestampMs(createdBefore)
  const settled = order === Order.ASC ? now - settlesAfterMs : undefined
  const bounds = [until, settled, createdAt === undefined ? undefined : createdAt + 1].filter(
    bound => bound !== undefined,
  )
  return { after, before: bounds.length > 0 ? firstIdAt(prefix, Math.min(...bounds)) : undefined }
}

/** When all tasks of a batch were created, in milliseconds since 1970: their ids have the batch's time. Undefined for no batch. */
export const createdAtOfBatch = (batch: string | undefined): number | undefined =>
  batch === undefined ? undefined : idTime(parseId('batch', batch) ?? NO_BATCH)

/** Sorts before the time of every batch. */
const NO_BATCH = firstIdAt('batch', 0)
