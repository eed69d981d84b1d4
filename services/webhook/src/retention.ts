/** Removes what has been kept long enough. */
import type { Clock } from '@millhand/process'
import { type Collection, type Document, sweep } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import { microseconds } from './archive/arrival-clock.ts'
import { type Archive, archiveSpec } from './archived-event.ts'
import { type Deliveries, deliveriesSpec } from './delivery.ts'
import { type Replays, replaysSpec } from './replay/replay.ts'
import { type Webhooks, webhooksSpec } from './webhook.ts'

export interface RetentionDeps {
  /** Where the log is the archive, its events go with the log. */
  readonly archive: Archive | undefined
  readonly deliveries: Deliveries
  readonly replays: Replays
  readonly webhooks: Webhooks
  readonly clock: Clock
  readonly log: Pick<Log, 'error'>
}

const DAY_MS = 86_400_000
/** Events from when they came, deliveries and replays from their end. */
export const keptMs = 30 * DAY_MS
/** A deleted endpoint, for whoever deletes it again. Its deliveries end by themselves, and go as all do. */
const DELETED_KEPT_MS = DAY_MS
const EVERY_MS = 3_600_000

/** At once and every hour until the signal ends. */
export async function removeExpired(deps: RetentionDeps, signal: AbortSignal): Promise<void> {
  const { archive, deliveries, replays, webhooks, clock, log } = deps
  const removing = <I extends string>(
    name: string,
    collection: Pick<Collection<Document, I>, 'find' | 'write'>,
    index: I,
    before: () => number,
  ) => {
    const range = () => ({ equals: [], before: [before()] })
    return sweep({ name, collection, index, range, everyMs: EVERY_MS, clock, log }, signal)
  }
  const expired = () => clock.now() - keptMs
  await Promise.all([
    archive && removing(archiveSpec.name, archive, 'by_age', () => microseconds(expired())),
    removing(deliveriesSpec.name, deliveries, 'by_end', expired),
    removing(replaysSpec.name, replays, 'by_end', expired),
    removing(webhooksSpec.name, webhooks, 'deleted', () => clock.now() - DELETED_KEPT_MS),
  ])
}
