import type { OutboxEvent } from '../collection.ts'
import { isDuplicate, type WriteCommands } from './commands.ts'

/** An event that the log refuses. Operators look for them, and may put one back into its document's outbox. */
export interface DeadEvent {
  readonly _id: string
  /** The document's collection and `_id`. */
  readonly collection: string
  readonly document: string
  readonly reason: string
  readonly set_aside_at: Date
  /** As it was in the outbox. */
  readonly event: OutboxEvent
}

const COLLECTION = 'dead_events'

/** Keeps it, durably, before it is taken out of its outbox. Doing it again is harmless. */
export async function keepDeadEvent(commands: WriteCommands, dead: DeadEvent): Promise<void> {
  const { errors } = await commands.insert(COLLECTION, [dead])
  for (const error of errors.values()) if (!isDuplicate(error)) throw error
}
