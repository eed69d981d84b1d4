/** Removes what has been kept long enough, and lines that no batch has. */
import type { Blobs } from '@millhand/blob'
import { type Clock, everyInterval } from '@millhand/process'
import { sweep } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import { type Batches, batchesSpec, hasEnded } from './batch.ts'
import { LINES_AT } from './rpc/create-batch.ts'

export interface RetentionDeps {
  readonly batches: Batches
  readonly blobs: Blobs
  readonly clock: Clock
  readonly log: Log
}

const EVERY_MS = 3_600_000

/** At once and every hour until the signal ends. */
export async function removeExpired(deps: RetentionDeps, signal: AbortSignal): Promise<void> {
  const { batches, clock, log } = deps
  const range = () => ({ equals: [], before: [clock.now()] })
  await Promise.all([
    sweep(
      { name: batchesSpec.name, collection: batches, index: 'ended', range, everyMs: EVERY_MS, clock, log },
      signal,
    ),
    everyInterval(clock, EVERY_MS, signal, () =>
      removeStrayLines(deps, signal).catch(error => log.error('batch.sweep_failed', { error })),
    ),
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
