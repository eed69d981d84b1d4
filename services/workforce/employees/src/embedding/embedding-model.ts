/** The embedding model, as runs ask it: from the executor, in the name of the process of a kind. */
import type { Embedded } from '../runner/protocol.ts'

export interface EmbeddingModel {
  /** One unit vector a text. Never rejects; ends at once when the signal fires. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Embedded>
  /** Ends its process. Idempotent. */
  close(): Promise<void>
}
