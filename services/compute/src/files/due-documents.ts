/** Documents that wait for the sweeper. */
import type { Collection, Document } from '@millhand/store'

/** Those that have been due, oldest first, each once. */
export async function* dueDocuments<T extends Document & { readonly due_at?: number | undefined }>(
  collection: Collection<T, 'due'>,
  now: number,
  signal: AbortSignal,
): AsyncGenerator<T, void> {
  let last: T | undefined
  do {
    const after = last && { after: [last.due_at ?? 0, last.tenant, last.id] }
    const found = await collection.find('due', { equals: [], ...after, before: [now], limit: 100 })
    for (const document of found) {
      if (signal.aborted) return
      yield document
    }
    last = found.at(-1)
  } while (last)
}
