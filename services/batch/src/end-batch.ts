/** The end of a batch: its files are written, then one write ends it, with its event. */
import { type BatchRecord, hasEnded, type Status } from './batch.ts'
import { type BatchStoreDeps, changeBatch } from './batch-store.ts'
import { type BatchItems, countsOf } from './item-state.ts'
import { type ResultsDeps, writeResults } from './results.ts'

export interface EndDeps extends BatchStoreDeps, ResultsDeps {
  /** How long an ended batch and its files are kept, in milliseconds. */
  readonly retentionMs: number
}

/** Ends a batch whose tasks have all ended, and removes its lines. */
export async function endBatch(deps: EndDeps, batch: BatchRecord, items: BatchItems): Promise<void> {
  const { clock, blobs, retentionMs } = deps
  const counts = countsOf(items)
  const finished_at = clock.now()
  const isLate = counts.expired > 0 && finished_at >= batch.expires_at
  const status: Status = batch.status === 'cancelling' ? 'cancelled' : isLate ? 'expired' : 'completed'
  const due_at = finished_at + retentionMs
  const files = await writeResults(deps, { ...batch, counts }, items, { status, until: due_at })
  await changeBatch(deps, batch.tenant, batch.id, now =>
    hasEnded(now) ? now : { ...now, ...files, status, counts, finished_at, due_at },
  )
  await blobs.delete(batch.lines)
}
