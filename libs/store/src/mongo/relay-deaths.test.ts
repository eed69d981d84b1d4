/** A process that writes and publishes dies at each step of it, before the step has its effect and after. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createLog } from '@millhand/telemetry'
import { mongoMissing, startMongo } from '@millhand/test-servers'
import { MongoClient } from 'mongodb'
import type { Change, OutboxEvent } from '../collection.ts'
import { event, ITEMS, type Item, type ItemIndex, item, TENANT } from '../contract-items.fixture.ts'
import { EventsRefused } from '../events-refused.ts'
import { openMongo } from './mongo.ts'
import { startProxy } from './severing-proxy.fixture.ts'

const log = createLog({ level: 'error', format: 'json', write: () => {} })

const insertion = (id: string): Change<Item> => ({
  kind: 'insert',
  document: item(id),
  events: [event(id, `${id}.1`)],
})
const replacement = (version: number): Change<Item> => ({
  kind: 'replace',
  version,
  document: item('a', { rank: version }),
  events: [event('a', `a.${version + 1}`)],
})
const removal: Change<Item> = { kind: 'remove', version: 4, tenant: TENANT, id: 'a', events: [event('a', 'a.5')] }

/** What the process writes, and awaits the publication of: the second comes alone, the third while that is under way. */
const LIFE = [[insertion('b'), insertion('a')], [replacement(1), replacement(2)], [replacement(3)], [removal]]
const EVENTS = ['a.1', 'a.2', 'a.3', 'a.4', 'a.5']
/** Six writes, four publications, an event set aside, an outbox and a tombstone cleared; more where rounds are not full. */
const LEAST_STEPS = 13
/** The log does not take it. */
const REFUSED = 'b.1'

describe('MongoDB: a process that dies between write, publication and clear', { skip: mongoMissing }, async () => {
  const server = await startMongo()
  after(() => server[Symbol.asyncDispose]())

  for (const when of ['before', 'after'] as const) {
    it(`${when} each step: the next owner publishes the rest, in order, and empties the outboxes`, async () => {
      const steps: string[] = []
      const ends: Promise<void>[] = []
      for (let last = 0; ; last++) {
        const url = server.url()
        const ids: string[] = []
        const lived = await live({ url, ids, when, last })
        ends.push(lived.end())
        const made = await takeOver(url, ids, lived.acknowledged)
        const published = [...new Set(ids)]
        assert.deepEqual(published, EVENTS.slice(0, made), `dead ${when} step ${last}: ${lived.death}`)
        if (lived.death === undefined) break
        steps.push(lived.death)
      }
      await Promise.all(ends)
      assert.ok(steps.length >= LEAST_STEPS, steps.join())
    })
  }

  interface Life {
    readonly url: string
    /** What the log has, beside what it refuses. */
    readonly ids: string[]
    readonly when: 'before' | 'after'
    /** The step at which the process dies. */
    readonly last: number
  }

  /** Answers at what kind of step the process died, if it did, and how many writes of `a` it knew of. */
  async function live({ url, ids, when, last }: Life) {
    const proxy = await startProxy(Number(server.address.split(':')[1]))
    const through = url.replace(server.address, `127.0.0.1:${proxy.port}`)
    const db = openMongo({ url: `${through}?serverSelectionTimeoutMS=500`, log })
    const items = db.collection<Item, ItemIndex>(ITEMS)
    await db.prepare(AbortSignal.timeout(300_000))
    const ending = new AbortController()
    const died = Promise.withResolvers<string>()
    let step = 0
    let acknowledged = 0
    const die = (at: string) => {
      ending.abort()
      proxy.sever()
      died.resolve(at)
    }
    proxy.each(() => {
      if (step++ !== last) return undefined
      return { fate: when === 'before' ? 'request lost' : 'answer lost', meanwhile: async () => die('write') }
    })
    const publish = async (events: readonly OutboxEvent[]) => {
      const isLast = step++ === last
      if (!(isLast && when === 'before')) ids.push(...accepted(events))
      if (isLast) die('publication')
      if (ending.signal.aborted) return await new Promise<never>(() => {})
      refuse(events)
    }
    const running = db.relay({ publish }, ending.signal)
    const write = async (change: Change<Item>) => {
      await items.write(change)
      const isOfA = change.events.some(({ key }) => key === 'a')
      if (isOfA && !ending.signal.aborted) acknowledged += 1
    }
    const writeAll = async () => {
      for (const changes of LIFE) {
        for (const change of changes) await write(change)
        const expected = changes.flatMap(({ events }) => accepted(events))
        while (!ending.signal.aborted && !expected.every(id => ids.includes(id))) await pause(5)
        if (ending.signal.aborted) return
      }
      await untilEmpty(url)
    }
    const whole = writeAll().then(() => undefined)
    const death = await Promise.race([died.promise, whole])
    const end = async () => {
      ending.abort()
      await Promise.allSettled([running, death === undefined ? whole : undefined])
      await db.close()
      await proxy.close()
    }
    return { death, acknowledged, end }
  }

  /** Another process publishes what it finds. Answers how many writes of `a` were made. */
  async function takeOver(url: string, ids: string[], acknowledged: number): Promise<number> {
    const db = openMongo({ url, log })
    const items = db.collection<Item, ItemIndex>(ITEMS)
    const ending = new AbortController()
    const publish = async (events: readonly OutboxEvent[]) => {
      ids.push(...accepted(events))
      refuse(events)
    }
    const running = db.relay({ publish }, ending.signal)
    try {
      await untilEmpty(url)
      const version = (await items.get(TENANT, 'a'))?.version ?? (acknowledged >= 4 ? EVENTS.length : 0)
      assert.ok(version >= acknowledged, `${acknowledged} acknowledged, ${version} made`)
      return version
    } finally {
      ending.abort()
      await running
      await db.close()
    }
  }
})

const accepted = (events: readonly OutboxEvent[]) => events.flatMap(({ id }) => (id === REFUSED ? [] : [id]))

function refuse(events: readonly OutboxEvent[]): void {
  if (events.some(({ id }) => id === REFUSED)) throw new EventsRefused(new Map([[REFUSED, 'too large']]))
}

/** Waits until nothing is marked as to be published; then nothing may be in any outbox, and what was refused is kept. */
async function untilEmpty(url: string): Promise<void> {
  const client = new MongoClient(url)
  try {
    const items = client.db().collection(ITEMS.name)
    while ((await items.countDocuments({ outbox_pending: 1 })) > 0) await pause(10)
    const all = await items.find().toArray()
    assert.deepEqual(
      all.flatMap(({ outbox }) => outbox),
      [],
    )
    const kept = await client.db().collection<{ _id: string }>('dead_events').findOne({ _id: REFUSED })
    const hasB = all.some(({ id }) => id === 'b')
    assert.equal(kept !== null, hasB)
  } finally {
    await client.close()
  }
}
