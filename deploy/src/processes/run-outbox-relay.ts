/** What the owner of a service of tasks publishes. */
import { createIds } from '@millhand/api'
import type { KafkaEventLog } from '@millhand/eventlog/kafka'
import { systemClock as clock } from '@millhand/process'
import type { MongoDatabase } from '@millhand/store/mongo'
import { withDoorbell } from '../topics.ts'

/** A service whose queues learn of each task that was written. */
interface TaskService<Task> {
  heard(task: Task): void
}

/** Publishes the outboxes, rings for work and tells `service` of the tasks, until the signal ends. */
export function relayOutbox<Task>(
  service: TaskService<Task>,
  { db, events, tasks }: { readonly db: MongoDatabase; readonly events: KafkaEventLog; readonly tasks: string },
  owning: AbortSignal,
): Promise<void> {
  const ids = createIds({ now: () => clock.now() })
  const publish = withDoorbell(
    batch => events.publish(batch),
    () => ids('evt'),
  )
  const heard = (collection: string, document: object) => {
    if (collection === tasks) service.heard(document as Task)
  }
  return db.relay({ publish, heard }, owning)
}
