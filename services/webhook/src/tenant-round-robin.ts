/** Turns of tenants: whoever has much to be done delays nobody who has little. */
import type { Collection, Document, Query } from '@millhand/store'

/** The tenants that have documents in an index, each once: it is looked for when the one before has had its turn. */
export async function* distinctTenants<I extends string>(
  collection: Pick<Collection<Document, I>, 'find'>,
  index: I | 'primary',
): AsyncGenerator<string> {
  for (let after: Query['after']; ; ) {
    const [first] = await collection.find(index, { equals: [], limit: 1, ...(after && { after }) })
    if (!first) return
    yield first.tenant
    after = [first.tenant]
  }
}
