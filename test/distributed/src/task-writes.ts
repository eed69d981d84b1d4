import type { Document } from 'mongodb'

/** How many writes of tasks a server was asked for. */
export interface TaskWrites {
  readonly hear: (command: Document) => void
  /** Counts from nothing on. */
  forget(): void
  readonly inserts: number
  /** Of a task's next version: what takes published events out of it has none. */
  readonly updates: number
  /** Of outboxes, of tasks that were written; a sweep over all is none. */
  readonly outboxReads: number
  /** The ids of the tasks out of whose outboxes an update took what is published, and did nothing else. */
  readonly clears: readonly string[]
}

/** Counts documents and statements, however many of them a command has. */
export function taskWrites(): TaskWrites {
  const none = () => ({ inserts: 0, updates: 0, outboxReads: 0, clears: [] as string[] })
  const counts = none()
  return Object.assign(counts, {
    hear({ insert, documents = [], update, updates = [], find, filter, projection }: Document) {
      if (insert === 'tasks') counts.inserts += documents.length
      if (update === 'tasks') {
        for (const { q, u } of updates as Document[]) {
          if (u.$set?.version !== undefined) counts.updates += 1
          else counts.clears.push(q._id.split('/').at(-1))
        }
      }
      if (find === 'tasks' && projection?.outbox) counts.outboxReads += filter._id?.$in?.length ?? 0
    },
    forget: () => void Object.assign(counts, none()),
  })
}
