/** An intake on a database and a log, and what it has done. */
import type { EventLog, LoggedEvent } from '@millhand/eventlog'
import { type Clock, systemClock as clock } from '@millhand/process'
import type { Database, OutboxEvent } from '@millhand/store'
import { createLog } from '@millhand/telemetry'
import { collectionArchiver } from '../archive/archiver.ts'
import { type Archive, type ArchivedEvent, archiveSpec } from '../archived-event.ts'
import { type Deliveries, type DeliveryRecord, deliveriesSpec } from '../delivery.ts'
import { type WebhookRecord, type Webhooks, webhooksSpec } from '../webhook.ts'
import { createIntake, type IntakeDeps } from './intake.ts'
import { type OffsetRecord, offsetsSpec } from './offset.ts'
import { type SpilledEvent, spillSpec } from './overflow-event.ts'

export const tasksTopic = 'millhand.tasks.v1'

/** Of an intake that stores what it reads. */
export interface StoringIntakeDeps extends IntakeDeps {
  readonly archive: Archive
}

/** The dependencies with other writes to the archive. */
export function writingBy(deps: StoringIntakeDeps, write: Archive['write'], at = deps.clock): StoringIntakeDeps {
  const archive = { ...deps.archive, write }
  return { ...deps, clock: at, archive, archiver: collectionArchiver(archive, at) }
}

/** The dependencies with another clock. */
export const withClock = (deps: StoringIntakeDeps, at: Clock): StoringIntakeDeps =>
  writingBy(deps, change => deps.archive.write(change), at)

/** The collections that an intake works on, and what it has done. */
export function openArchive({ db, events }: { readonly db: Database; readonly events: EventLog }) {
  const archive: Archive = db.collection<ArchivedEvent, keyof typeof archiveSpec.indexes>(archiveSpec)
  const rows: Deliveries = db.collection<DeliveryRecord, keyof typeof deliveriesSpec.indexes>(deliveriesSpec)
  const webhooks: Webhooks = db.collection<WebhookRecord, keyof typeof webhooksSpec.indexes>(webhooksSpec)
  const offsets = db.collection<OffsetRecord, never>(offsetsSpec)
  const spill = db.collection<SpilledEvent, never>(spillSpec)
  const logged: string[] = []
  const note = (event: string) => void logged.push(event)
  const deps: StoringIntakeDeps = {
    events,
    topics: [tasksTopic],
    archive,
    archiver: collectionArchiver(archive, clock),
    offsets,
    webhooks,
    deliveries: {
      insert: async document => (await rows.write({ kind: 'insert', document, events: [] })).kind === 'written',
    },
    spill,
    clock,
    log: { ...createLog({ level: 'error' }), error: note, warn: note },
  }
  return {
    deps,
    webhooks,
    offsets,
    spill,
    deliveries: rows,
    logged,
    archived: () => archive.find('by_age', { equals: [], limit: 10_000 }),
    /** `<event> -> <endpoint>` of every row. */
    async rows() {
      const found = await rows.find('primary', { equals: [], limit: 10_000 })
      return found.map(({ event_id, endpoint }) => `${event_id} -> ${endpoint}`).sort()
    },
    add: (...documents: WebhookRecord[]) =>
      Promise.all(documents.map(document => webhooks.write({ kind: 'insert', document, events: [] }))),
  }
}

/** An intake that runs, and which events it is done with. */
export function running(deps: IntakeDeps) {
  const ending = new AbortController()
  const done = new Set<string>()
  let more = Promise.withResolvers<void>()
  async function* noting(batches: AsyncIterable<readonly LoggedEvent[]>) {
    for await (const batch of batches) {
      yield batch
      for (const { id } of batch) done.add(id)
      more.resolve()
      more = Promise.withResolvers()
    }
  }
  const tail: EventLog['tail'] = (...from) => noting(deps.events.tail(...from))
  const run = createIntake({ ...deps, events: { tail } }).run(ending.signal)
  return {
    async until(...events: readonly OutboxEvent[]) {
      while (!events.every(({ id }) => done.has(id))) await more.promise
    },
    /** Ends it in good order. */
    async stop() {
      ending.abort()
      await run
    },
  }
}

/** Runs an intake, or what else there is of it, whose process is dead after so many writes: nothing is answered any more. */
export async function killedAfter(
  deps: StoringIntakeDeps,
  most: number,
  run = (mortal: IntakeDeps, signal: AbortSignal) => createIntake(mortal).run(signal),
): Promise<void> {
  const killed = Promise.withResolvers<never>()
  killed.promise.catch(() => undefined)
  const ending = new AbortController()
  const writes: Promise<unknown>[] = []
  let left = most
  const dying = async <T>(write: () => Promise<T>): Promise<T> => {
    if (left-- > 0) {
      const writing = write()
      writes.push(writing)
      return await writing
    }
    ending.abort()
    killed.reject(new Error('killed'))
    return killed.promise
  }
  const mortal: IntakeDeps = {
    ...writingBy(deps, change => dying(() => deps.archive.write(change))),
    spill: { find: (...query) => deps.spill.find(...query), write: change => dying(() => deps.spill.write(change)) },
    offsets: { get: (...key) => deps.offsets.get(...key), write: change => dying(() => deps.offsets.write(change)) },
    deliveries: { insert: (...row) => dying(() => deps.deliveries.insert(...row)) },
  }
  await run(mortal, ending.signal)
  await Promise.all(writes)
}
