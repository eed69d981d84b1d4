/** Reads the event log: archives every event and makes its deliveries. docs/decisions/webhooks.md */
import type { EventLog, LoggedEvent } from '@millhand/eventlog'
import { type Log, traceIds } from '@millhand/telemetry'
import type { Archiver, NewEvent } from '../archive/archiver.ts'
import { clocksDifferMs } from '../archive/event-page.ts'
import type { ArchivedEvent } from '../archived-event.ts'
import { keptMs } from '../retention.ts'
import { AskingTenants } from './asking-tenants.ts'
import { type FanOutDeps, makeDeliveries } from './fan-out.ts'
import { type Offset, type Offsets, openOffset, savedOffset } from './offset.ts'
import { type ReadEvent, readEvent } from './read-event.ts'

export interface IntakeDeps extends FanOutDeps {
  readonly events: Pick<EventLog, 'tail'>
  /** What is read: the public topics. */
  readonly topics: readonly string[]
  readonly archiver: Archiver
  readonly offsets: Offsets
}

export interface Intake {
  /** Reads until the signal ends; of all replicas only the owner may. Never rejects: what fails is tried again. */
  run(signal: AbortSignal): Promise<void>
}

const RETRY_MS = 500

export function createIntake(deps: IntakeDeps): Intake {
  const { clock, log } = deps
  return {
    async run(signal) {
      let failures = 0
      const onTaken = () => {
        if (failures > 0) log.info('intake.resumed', { failures })
        failures = 0
      }
      while (!signal.aborted) {
        try {
          await readOn(deps, onTaken, signal)
        } catch (error) {
          if (signal.aborted) return
          failures += 1
          // The first tells of the outage; the others say the same.
          log[failures === 1 ? 'warn' : 'debug']('intake.failed', { failures, error })
          await clock.sleep(RETRY_MS, signal).catch(() => undefined)
        }
      }
    },
  }
}

/** From the stored offset on. A batch is read when the one before is durable, so the log waits where the store is slow. */
async function readOn(deps: IntakeDeps, onTaken: () => void, signal: AbortSignal): Promise<void> {
  const offset = await openOffset(deps.offsets)
  const archiveOne = await deps.archiver.open()
  const asking = new AskingTenants(deps.webhooks)
  const { batches, since } = tailFrom(deps, offset, asking, signal)
  const saved = savedOffset(offset, deps.clock)
  try {
    for await (const batch of batches) {
      const young = batch.filter(({ time }) => time >= since)
      const wanted = deps.archiver.isLog ? await asking.wanted(young) : young
      const isAsked = await takeIn(deps, wanted, archiveOne, signal)
      // To pass over what nobody asks for is no write of its own for each batch.
      await saved.moveTo(batch.at(-1)?.position ?? offset.position, since, !isAsked)
      onTaken()
    }
    if (!signal.aborted) throw new Error('the event log is closed')
  } finally {
    await saved.close()
  }
}

/**
 * From the beginning where the offset is of another log. That may have events of so long ago that nobody knows any more
 * whether they were delivered: they are passed over, by later owners too, since these go on in the midst of them.
 */
function tailFrom(
  { events, topics, clock, log }: IntakeDeps,
  { position, since }: Offset,
  asking: AskingTenants,
  signal: AbortSignal,
) {
  const tail = (from: string) => events.tail(topics, from, signal, event => asking.isUrgent(event))
  try {
    return { batches: tail(position), since }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    log.warn('intake.place_unreadable', { position, error })
    const kept = clock.now() - keptMs + clocksDifferMs
    return { batches: tail('beginning'), since: Math.max(since, kept) }
  }
}

/**
 * First the events, then their deliveries: none is ever tried whose event is not in the archive. Resolves to whether there
 * are deliveries.
 */
async function takeIn(
  deps: IntakeDeps,
  batch: readonly LoggedEvent[],
  archiveOne: (event: NewEvent) => Promise<ArchivedEvent>,
  signal: AbortSignal,
): Promise<boolean> {
  const read = batch.flatMap(event => readable(event, deps.log) ?? [])
  const archived = await Promise.all(
    read.map(async ({ event, callback }) => ({ event: await archiveOne(event), callback })),
  )
  return await makeDeliveries(deps, archived, signal)
}

/** An event that can't be read must not hold up all others for ever: the log tells of it, and it is passed over. */
function readable(event: LoggedEvent, log: Log): ReadEvent | undefined {
  try {
    return readEvent(event)
  } catch (error) {
    const { topic, id, position, traceparent } = event
    log.error('intake.event_unreadable', { topic, event_id: id, position, ...traceIds(traceparent), error })
    return undefined
  }
}
