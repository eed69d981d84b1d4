/** What the tests of the relay on a server share: processes that write, and a relay that publishes into an array. */
import assert from 'node:assert/strict'
import { createLog } from '@millhand/telemetry'
import { type Db, ObjectId } from 'mongodb'
import type { Change, Collection, DocumentRef, OutboxEvent } from '../collection.ts'
import { event, ITEMS, type Item, type ItemIndex, item, TENANT, written } from '../contract-items.fixture.ts'
import type { DeadEvent } from './dead-events.ts'
import { type MongoDatabase, openMongo, type RelayOptions } from './mongo.ts'

const log = createLog({ level: 'error' })

export const insertion = (id: string, eventId: string): Change<Item> => ({
  kind: 'insert',
  document: item(id),
  events: [event(id, eventId)],
})

interface Writer {
  readonly db: MongoDatabase
  readonly items: Collection<Item, ItemIndex>
  /** Makes the document this version, with one event `<id>.<version>`. */
  write(id: string, version: number): Promise<void>
  remove(id: string, version: number): Promise<void>
}

type Test = { after(fn: () => Promise<void>): void }

export function open(t: Test, url: string, onOutbox?: (refs: readonly DocumentRef[]) => void) {
  const writer = (): Writer => {
    const db = openMongo({ url, log, ...(onOutbox && { onOutbox }) })
    const items = db.collection<Item, ItemIndex>(ITEMS)
    t.after(() => db.close())
    return {
      db,
      items,
      async write(id, version) {
        const eventId = `${id}.${version}`
        const replacement: Change<Item> = {
          kind: 'replace',
          version: version - 1,
          document: item(id, { rank: version }),
          events: [event(id, eventId)],
        }
        assert.deepEqual(await items.write(version === 1 ? insertion(id, eventId) : replacement), written(version))
      },
      async remove(id, version) {
        const events = [event(id, `${id}.removed`)]
        assert.deepEqual(await items.write({ kind: 'remove', version, tenant: TENANT, id, events }), written(version))
      },
    }
  }
  return { owner: writer(), other: writer() }
}

/** A relay that publishes into an array, and then does what is given. */
export function started(
  t: Test,
  { db }: Writer,
  options: Partial<RelayOptions> = {},
  then: (events: readonly OutboxEvent[]) => Promise<void> = async () => {},
) {
  const ending = new AbortController()
  const events: OutboxEvent[] = []
  const watchers = new Set<() => void>()
  const publish = async (more: readonly OutboxEvent[]) => {
    events.push(...more)
    try {
      await then(more)
    } finally {
      for (const look of watchers) look()
    }
  }
  const running = db.relay({ ...options, publish }, ending.signal)
  const end = async () => {
    ending.abort()
    await running
  }
  t.after(end)
  const when = (done: () => boolean) =>
    new Promise<void>(resolve => {
      const look = () => {
        if (!done()) return
        watchers.delete(look)
        resolve()
      }
      watchers.add(look)
      look()
    })
  return {
    events,
    ids: (key?: string) => events.filter(event => key === undefined || event.key === key).map(({ id }) => id),
    when,
    /** Waits for these events. */
    has: (ids: readonly string[]) => when(() => ids.every(id => events.some(event => event.id === id))),
    abort: () => ending.abort(),
    end,
  }
}

export const until = (logs: readonly ReturnType<typeof started>[], done: () => boolean) =>
  Promise.race(logs.map(({ when }) => when(done)))

export const withoutRepeats = (events: readonly OutboxEvent[]) => [...new Set(events.map(({ id }) => id))]

/** An operator puts an event back that was set aside, as docs/many-machines.md has it. */
export async function putBack(db: Db, id: string): Promise<boolean> {
  const dead = await db.collection<DeadEvent>('dead_events').findOne({ _id: id })
  assert.ok(dead)
  const { matchedCount } = await db
    .collection<{ _id: string; outbox: OutboxEvent[] }>(dead.collection)
    .updateOne(
      { _id: dead.document },
      { $push: { outbox: dead.event }, $set: { outbox_pending: 1, write_id: new ObjectId().toHexString() } },
    )
  if (matchedCount === 1) await db.collection<DeadEvent>('dead_events').deleteOne({ _id: dead._id })
  return matchedCount === 1
}
