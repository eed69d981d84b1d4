/** The topics of Kafka: the public stream (contract, section 9), and the doorbell of executors. */
import type { Topic } from '@millhand/eventlog/kafka'
import type { OutboxEvent } from '@millhand/store'
import { dispatchTopic, type ServiceName, services } from './services.ts'

/** A ring says that there is work, not which: old ones say nothing. */
const RING_RETENTION_MS = 60_000

/** What the service writes, and makes where it is missing. */
export const topicsOf = (service: ServiceName, options: Omit<Topic, 'name'>): Topic[] =>
  services[service].writes.map(name => ({
    ...options,
    name,
    ...(name === dispatchTopic && { partitions: 1, retentionMs: RING_RETENTION_MS }),
  }))

type Publish = (events: readonly OutboxEvent[]) => Promise<void>

/** Publishes, and rings once for all the work that a batch has made ready. Losing a ring costs time, never a task. */
export function withDoorbell(publish: Publish, newId: () => string): Publish {
  return events => {
    const isReady = events.some(event => event.type.endsWith('task.queued') || event.type.endsWith('task.retrying'))
    if (!isReady) return publish(events)
    const ring = {
      topic: dispatchTopic,
      key: 'work',
      id: newId(),
      type: 'work.ready',
      time: Date.now(),
      value: '{}',
    }
    return publish([...events, ring])
  }
}
