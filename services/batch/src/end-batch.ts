/** The end of a batch: its files are written, then one write ends it, with its event. */
import { type BatchRecord, hasEnded, type Status } from './batch.ts'
import { type BatchStoreDeps, changeBatch } from './batch-store.ts'
import { type BatchItems, countsOf } from './item-state.ts'
import { isCutByWindow, type ResultsDeps, writeResults } from './results.ts'

export interface EndDeps extends BatchStoreDeps, ResultsDeps {
  /** How long an ended batch and its files are kept, in milliseconds. */
  readonly retentionMs: number
}

/** Ends a batch whose tasks have all ended, and removes its lines. It can't be cancelled any more. */
export async function endBatch(deps: EndDeps, listed: BatchRecord, items: BatchItems): Promise<void> {
  const { clock, blobs, retentionMs } = deps
  const { tenant, id } = listed
  const counts = countsOf(items)
  // It is written with the states of the tasks, unless the owner died in between.
  const batch = await changeBatch(deps, tenant, id, now =>
    hasEnded(now) || now.tasks_ended_at !== undefined ? now : { ...now, counts, tasks_ended_at: clock.now() },
  )
  if (batch === undefined || hasEnded(batch)) return
  const isLate = counts.expired > 0 && (batch.tasks_ended_at ?? clock.now()) >= batch.expires_at
  const status = await endStatus(deps, batch, items, isLate)
  const finished_at = clock.now()
  const due_at = finished_at + retentionMs
  const files = await writeResults(deps, batch, items, { status, isLate, until: due_at })
  await deps.calls.releaseInputs(batch)
  await changeBatch(deps, tenant, id, now => (hasEnded(now) ? now : { ...now, ...files, status, finished_at, due_at }))
  await blobs.delete(batch.lines)
}

async function endStatus(
  { blobs }: Pick<EndDeps, 'blobs'>,
  batch: BatchRecord,
  items: BatchItems,
  isLate: boolean,
): Promise<Status> {
  if (batch.status === 'cancelling') return 'cancelled'
  return isLate && (await isCutByWindow(blobs, batch, items)) ? 'expired' : 'completed'
}
