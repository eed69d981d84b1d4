import type { Document } from 'mongodb'

/** How many writes of tasks a server was asked for. */
export interface TaskWrites {
  readonly hear: (command: Document) => void
  /** Counts from nothing on. */
  forget(): void
  readonly inserts: number
  /** Of a task's next version: what takes published events out of it has none. */
  readonly updates: number
}

/** Counts documents and statements, however many of them a command has. */
export function taskWrites(): TaskWrites {
  const counts = { inserts: 0, updates: 0 }
  return Object.assign(counts, {
    hear({ insert, documents = [], update, updates = [] }: Document) {
      if (insert === 'tasks') counts.inserts += documents.length
      if (update === 'tasks')
        counts.updates += updates.filter(({ u }: Document) => u.$set?.version !== undefined).length
    },
    forget: () => void Object.assign(counts, { inserts: 0, updates: 0 }),
  })
}
