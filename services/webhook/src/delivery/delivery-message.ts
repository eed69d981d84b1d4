/** A delivery as REST shows it. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { modeOfWord } from '@millhand/api'
import {
  type Delivery,
  type DeliveryAttempt,
  DeliveryStatus,
} from '@millhand/api/gen/millhand/webhook/v1/delivery_pb.ts'
import type { Attempt, DeliveryRecord } from '../delivery.ts'

export const deliveryMessage = (delivery: DeliveryRecord): Delivery => ({
  $typeName: 'millhand.webhook.v1.Delivery',
  id: delivery.id,
  webhookId: delivery.endpoint,
  eventId: delivery.event_id,
  eventType: delivery.event_type,
  status: shown[delivery.status],
  attempts: delivery.attempts.map(attemptMessage),
  attempt: delivery.tried,
  createdAt: timestampFromMs(delivery.created_at),
  mode: modeOfWord(delivery.mode),
  resourceVersion: delivery.resource_version,
  ...(delivery.status === 'waiting' && { nextAttemptAt: timestampFromMs(delivery.due_at) }),
  ...(delivery.finished_at !== undefined && { finishedAt: timestampFromMs(delivery.finished_at) }),
})

/** As lists show it, so that a page is never large: of the answers the beginning of the newest. */
export const deliveryInList = (delivery: DeliveryRecord): Delivery => {
  const last = delivery.attempts.length - 1
  const attempts = delivery.attempts.map((attempt, at) => ({
    ...attempt,
    response: at === last ? attempt.response.slice(0, SHOWN_IN_LIST).toWellFormed() : '',
  }))
  return deliveryMessage({ ...delivery, attempts })
}

const SHOWN_IN_LIST = 256

const attemptMessage = ({ at, ms, status, error, response }: Attempt): DeliveryAttempt => ({
  $typeName: 'millhand.webhook.v1.DeliveryAttempt',
  createdAt: timestampFromMs(at),
  durationMs: ms,
  response,
  ...(status !== undefined && { status }),
  ...(error !== undefined && { error }),
})

/** Whether it waits for its first try or for a later one is told by `nextAttemptAt`. */
const shown: Readonly<Record<DeliveryRecord['status'], DeliveryStatus>> = {
  queued: DeliveryStatus.QUEUED,
  waiting: DeliveryStatus.QUEUED,
  running: DeliveryStatus.RUNNING,
  succeeded: DeliveryStatus.SUCCEEDED,
  failed: DeliveryStatus.FAILED,
  cancelled: DeliveryStatus.CANCELLED,
}

/** The states that are shown as one. */
export const statesShownAs = (status: DeliveryStatus): DeliveryRecord['status'][] =>
  (Object.keys(shown) as DeliveryRecord['status'][]).filter(state => shown[state] === status)
