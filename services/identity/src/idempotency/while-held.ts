/** A change that only the holder of an operation makes. */
import type { Draft } from '@millhand/store'
import type { HeldRecord, IdempotencyRecord, IdempotencyRecords } from './idempotency-record.ts'

/**
 * Changes the record of a key while `holder` holds it to what `to` says, or removes it. Gives the record as it is where
 * somebody else holds it, or nobody.
 */
export async function whileHeld(
  idempotency: IdempotencyRecords,
  { tenant, id, holder }: { readonly tenant: string; readonly id: string; readonly holder: string },
  to: (before: HeldRecord) => Draft<IdempotencyRecord> | 'remove',
): Promise<'changed' | { readonly found: IdempotencyRecord | undefined }> {
  for (;;) {
    const found = await idempotency.get(tenant, id)
    if (found?.state !== 'held' || found.holder !== holder) return { found }
    const { version } = found
    const document = to(found)
    const result = await idempotency.write(
      document === 'remove'
        ? { kind: 'remove', version, tenant, id, events: [] }
        : { kind: 'replace', version, document, events: [] },
    )
    if (result.kind === 'written') return 'changed'
  }
}
