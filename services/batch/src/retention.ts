/** Removes what has been kept long enough, and lines that no batch has. */
import type { Blobs } from '@millhand/blob'
import { type Clock, everyInterval } from '@millhand/process'
import { sweep } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import { type Batches, batchesSpec, hasEnded } from './batch.ts'
import type { ItemsCollection } from './items-store.ts'
import { LINES_AT } from './rpc/create-batch.ts'

export interface RetentionDeps {
  readonly batches: Batches
  readonly items: ItemsCollection
  readonly blobs: Blobs
  readonly clock: Clock
  readonly log: Log
}

const EVERY_MS = 3_600_000
const PAGE = 20

/** At once and every hour until the signal ends. */
export async function removeExpired(deps: RetentionDeps, signal: AbortSignal): Promise<void> {
  const { batches, clock, log } = deps
  const range = () => ({ equals: [], before: [clock.now()] })
  await Promise.all([
    sweep(
      { name: batchesSpec.name, collection: batches, index: 'ended', range, everyMs: EVERY_MS, clock, log },
      signal,
    ),
    everyInterval(clock, EVERY_MS, signal, async () => {
      const ended = await Promise.allSettled([removeStrayLines(deps, signal), removeStrayItems(deps, signal)])
      for (const one of ended) if (one.status === 'rejected') log.error('batch.sweep_failed', { error: one.reason })
    }),
  ])
}

/** Those of creates that ended before their batch was written, and of batches that have ended. */
async function removeStrayLines({ batches, blobs, clock }: RetentionDeps, signal: AbortSignal): Promise<void> {
  const writtenBefore = clock.now() - EVERY_MS
  for await (const { key, writtenAt } of blobs.list(LINES_AT)) {
    if (signal.aborted) return
    if (writtenAt >= writtenBefore) continue
    const [account, mode, id] = key.slice(LINES_AT.length).split('/')
    const batch = await batches.get(`${account}/${mode}`, `${id}`)
    if (batch === undefined || hasEnded(batch) || batch.lines !== key) await blobs.delete(key)
  }
}

/** Those of batches whose owner died between their last write and the removal. */
async function removeStrayItems({ batches, items }: RetentionDeps, signal: AbortSignal): Promise<void> {
  for (let after = ['']; ; ) {
    const page = await items.find('primary', { equals: [], after, limit: PAGE })
    for (const { tenant, id, version } of page) {
      if (signal.aborted) return
      const batch = await batches.get(tenant, id)
      if (batch === undefined || hasEnded(batch)) await items.write({ kind: 'remove', version, tenant, id, events: [] })
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    after = [last.tenant, last.id]
  }
}
