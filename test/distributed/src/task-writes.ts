import type { Document } from 'mongodb'

/** How many writes of tasks a server was asked for, and how many reads of their outboxes. */
export interface TaskWrites {
  readonly hear: (command: Document) => void
  /** Counts from nothing on. */
  forget(): void
  readonly inserts: number
  /** Of a task's next version: what takes published events out of it has none. */
  readonly updates: number
  readonly outboxReads: number
}

/** Counts documents and statements, however many of them a command has. */
export function taskWrites(): TaskWrites {
  const none = { inserts: 0, updates: 0, outboxReads: 0 }
  const counts = { ...none }
  return Object.assign(counts, {
    hear({ insert, documents = [], update, updates = [], find, filter, projection }: Document) {
      if (find === 'tasks' && projection?.outbox) counts.outboxReads += filter._id.$in.length
      if (insert === 'tasks') counts.inserts += documents.length
      if (update === 'tasks')
        counts.updates += updates.filter(({ u }: Document) => u.$set?.version !== undefined).length
    },
    forget: () => void Object.assign(counts, none),
  })
}
