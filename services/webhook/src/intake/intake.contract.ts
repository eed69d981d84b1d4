/** What the intake has to do, whatever store and log it works on. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventLog } from '@millhand/eventlog'
import { systemClock as clock, manualClock } from '@millhand/process'
import { type Database, noAccount, type OutboxEvent } from '@millhand/store'
import { type ReplayRecord, replaysSpec } from '../replay/replay.ts'
import { removeExpired } from '../retention.ts'
import { killedAfter, openArchive, running, tasksTopic, withClock, writingBy } from './intake.fixture.ts'
import type { IntakeDeps } from './intake.ts'
import { endpoint, taskEvent } from './task-event.fixture.ts'

export interface OpenedLog {
  readonly db: Database
  readonly events: EventLog
  append(...events: OutboxEvent[]): Promise<void>
  close(): Promise<void>
}

export function describeIntake(name: string, open: () => Promise<OpenedLog>) {
  describe(`${name}: intake`, () => {
    let log: OpenedLog
    let at: ReturnType<typeof openArchive>
    beforeEach(async () => {
      log = await open()
      at = openArchive(log)
    })
    afterEach(() => log.close())

    /** Appends them, and runs an intake until it is done with them. */
    async function takeIn(...events: OutboxEvent[]) {
      await log.append(...events)
      const intake = running(at.deps)
      await intake.until(...events)
      await intake.stop()
    }

    it('archives every event as it was written, in the order in which it came', async () => {
      const events = Array.from({ length: 30 }, (_, n) => taskEvent({ task: 'task_1', at: 1_000 - n }))
      await takeIn(...events)
      const archived = await at.archived()
      assert.deepEqual(
        archived.map(({ id, value, created_at, resource_id }) => [id, value, created_at, resource_id]),
        events.map(({ id, value, time, key }) => [id, value, time, key]),
      )
      assert.equal(new Set(archived.map(({ arrived }) => arrived)).size, 30)
    })

    it('makes a delivery for each enabled endpoint of the account and mode that asked for the type', async () => {
      const [named, all, some] = [endpoint(), endpoint({ events: ['*'] }), endpoint({ events: ['batch.*', 'task.*'] })]
      const silent = [
        endpoint({ events: ['task.queued', 'tas.*', 'workforce.*'] }),
        endpoint({ status: 'disabled' }),
        endpoint({ status: 'deleted' }),
        endpoint({ tenant: 'acct_a/test' }),
        endpoint({ tenant: 'acct_b/live' }),
        endpoint({ created_at: Date.now() + 60_000 }),
      ]
      await at.add(named, all, some, ...silent)
      const event = taskEvent()
      await takeIn(event, taskEvent({ account: 'acct_nobody' }))
      assert.deepEqual(await at.rows(), [named, all, some].map(({ id }) => `${event.id} -> ${id}`).sort())
    })

    it('tells an endpoint from when it was made until it is disabled, whatever else it reads at the time', async () => {
      const intake = running(at.deps)
      const [before, during, afterwards] = [taskEvent({ at: Date.now() - 60_000 }), taskEvent(), taskEvent()]
      const heard = endpoint({ created_at: Date.now() })
      await log.append(before)
      await intake.until(before)
      await at.add(heard)
      await log.append(during)
      await intake.until(during)
      await at.webhooks.write({ kind: 'replace', version: 1, document: { ...heard, status: 'disabled' }, events: [] })
      await log.append(afterwards)
      await intake.until(afterwards)
      await intake.stop()
      assert.deepEqual(await at.rows(), [`${during.id} -> ${heard.id}`])
    })

    it('has an event in the archive before there is a delivery of it', async () => {
      await at.add(endpoint(), endpoint())
      const { archive, deliveries } = at.deps
      const missing: string[] = []
      const events = Array.from({ length: 50 }, () => taskEvent())
      await log.append(...events)
      const intake = running({
        ...at.deps,
        deliveries: {
          async insert(row, none) {
            if (!(await archive.get(row.tenant, row.event_id))) missing.push(row.event_id)
            return await deliveries.insert(row, none)
          },
        },
      })
      await intake.until(...events)
      await intake.stop()
      assert.equal((await at.rows()).length, 100)
      assert.deepEqual(missing, [])
    })

    it('makes a delivery for the callback that the object names: for its end where no types are named', async () => {
      const end = taskEvent({ callback: { url: 'https://example.com/a' } })
      const begun = taskEvent({ type: 'task.started', callback: { url: 'https://example.com/a', events: [] } })
      const asked = taskEvent({
        type: 'task.started',
        callback: { url: 'https://other.com/', events: ['task.started'] },
      })
      const none = [7, null, {}, { url: 7 }, { url: 'https://example.com/', events: 'all' }].map(callback =>
        taskEvent({ callback }),
      )
      await takeIn(end, begun, asked, ...none)
      const rows = await at.rows()
      assert.deepEqual(
        rows.map(row => row.replace(/callback:.*/, 'callback')),
        [`${end.id} -> callback`, `${asked.id} -> callback`].sort(),
      )
      assert.deepEqual(at.logged, [])
    })

    it('passes over what is no event of ours, and says so once each', async () => {
      const good = taskEvent()
      const { id } = taskEvent()
      const real = taskEvent()
      const strange = [
        { ...taskEvent(), value: '{' },
        { ...taskEvent(), value: 'null' },
        { ...taskEvent(), id: 'x', value: '{"id":"x"}' },
        { ...taskEvent(), id },
        { ...taskEvent(), type: 'task.other' },
        { ...real, value: real.value.replace('"resource_version":1', '"resource_version":-1') },
        { ...real, time: Date.UTC(10_000, 0) },
        { ...real, value: real.value.replace('"live"', '"real"') },
        taskEvent({ account: 'acct_a/test' }),
        taskEvent({ account: '\ud800' }),
      ]
      await takeIn(...strange, good)
      assert.deepEqual(
        (await at.archived()).map(event => event.id),
        [good.id],
      )
      assert.deepEqual(at.logged, Array(10).fill('intake.event_unreadable'))
    })

    it('goes on where it stopped', async () => {
      const [first, second] = [taskEvent(), taskEvent()]
      await takeIn(first)
      await log.append(second)
      const intake = running(
        writingBy(at.deps, change => {
          assert.ok(change.kind === 'insert')
          assert.equal(change.document.id, second.id)
          return at.deps.archive.write(change)
        }),
      )
      await intake.until(second)
      await intake.stop()
      assert.equal((await at.archived()).length, 2)
    })

    it('saves its offset once a second while nobody asks for anything, and with each batch of what somebody asks for', async () => {
      const manual = manualClock(Date.now())
      let saves = 0
      const offsets: IntakeDeps['offsets'] = {
        get: (...key) => at.offsets.get(...key),
        write(change) {
          saves++
          return at.offsets.write(change)
        },
      }
      const intake = running({ ...at.deps, clock: manual, offsets })
      const take = async (event: OutboxEvent) => {
        await log.append(event)
        await intake.until(event)
      }
      for (let n = 0; n < 5; n++) await take(taskEvent())
      assert.equal(saves, 0)
      await manual.advance(1_000)
      assert.equal(saves, 1)
      await take(taskEvent({ callback: { url: 'https://example.com/called', events: [] } }))
      assert.equal(saves, 2)
      const last = taskEvent()
      await take(last)
      await intake.stop()
      assert.equal(saves, 3, 'an orderly end saves what is unsaved')
      const { position = '' } = (await at.offsets.get(noAccount, 'intake')) ?? {}
      const { read, end } = await log.events.progress([tasksTopic], position)
      assert.equal(read, end)
    })

    it('doubles nothing and loses nothing when its owner is killed in mid batch, at whatever write', async () => {
      await at.add(endpoint(), endpoint())
      const events = Array.from({ length: 4 }, () => taskEvent())
      await log.append(...events)
      // 4 events, 8 rows and a place for each batch: killed before each of the writes of one.
      for (let left = 0; left <= 12; left++) await killedAfter(at.deps, left)
      const last = taskEvent()
      await takeIn(last)
      assert.deepEqual((await at.archived()).map(({ id }) => id).sort(), [...events, last].map(({ id }) => id).sort())
      assert.equal((await at.rows()).length, 10)
    })

    it('does no harm beside another owner, which one of them ends up behind', async () => {
      await at.add(endpoint())
      const [first, second] = [running(at.deps), running(at.deps)]
      const events = Array.from({ length: 60 }, (_, n) => taskEvent({ task: `task_${n}` }))
      for (const event of events) {
        await log.append(event)
        await Promise.any([first.until(event), second.until(event)])
      }
      await Promise.all([first.stop(), second.stop()])
      assert.equal((await at.archived()).length, 60)
      assert.equal((await at.rows()).length, 60)
    })

    it('waits while the store is away, says so once, and goes on', async () => {
      let away = 3
      const offsets: IntakeDeps['offsets'] = {
        write: change => at.offsets.write(change),
        get: (...key) => (away-- > 0 ? Promise.reject(new Error('away')) : at.offsets.get(...key)),
      }
      const intake = running({ ...at.deps, offsets, clock: { ...clock, sleep: async () => {} } })
      const event = taskEvent()
      await log.append(event)
      await intake.until(event)
      await intake.stop()
      assert.deepEqual(at.logged, ['intake.failed'])
    })

    it('waits before it reads on where the log has ended by itself', async () => {
      let ended = 0
      const waits: number[] = []
      const events: IntakeDeps['events'] = {
        tail: (...from) => (ended++ < 2 ? (async function* () {})() : log.events.tail(...from)),
      }
      const sleep = async (ms: number) => void waits.push(ms)
      const intake = running({ ...at.deps, events, clock: { ...clock, sleep } })
      const event = taskEvent()
      await log.append(event)
      await intake.until(event)
      await intake.stop()
      assert.deepEqual(waits, [500, 500])
      assert.deepEqual(at.logged, ['intake.failed'])
    })

    it('begins at the beginning where its place is none of this log', async () => {
      const event = taskEvent()
      const offset = { tenant: noAccount, id: 'intake', position: '?', since: 0 }
      await at.offsets.write({ kind: 'insert', document: offset, events: [] })
      await takeIn(event)
      assert.equal((await at.archived())[0]?.id, event.id)
      assert.deepEqual(at.logged, ['intake.place_unreadable'])
    })

    it('delivers nothing again where it begins at the beginning, though what was delivered is kept no more', async () => {
      const heard = endpoint()
      await at.add(heard)
      const replays = log.db.collection<ReplayRecord, keyof typeof replaysSpec.indexes>(replaysSpec)
      const daysAgo = (days: number) => Date.now() - days * 86_400_000
      const [forgotten, known] = [taskEvent({ at: daysAgo(30) }), taskEvent({ at: daysAgo(29.9) })]
      for (const event of [forgotten, known]) {
        await log.append(event)
        const then = running(withClock(at.deps, { ...clock, now: () => event.time }))
        await then.until(event)
        await then.stop()
      }
      for (const row of await at.deliveries.find('primary', { equals: [], limit: 9 })) {
        const document = { ...row, status: 'succeeded' as const, finished_at: row.created_at }
        await at.deliveries.write({ kind: 'replace', version: row.version, document, events: [] })
      }
      const ending = new AbortController()
      const sweeping = removeExpired(
        { ...at.deps, deliveries: at.deliveries, replays, webhooks: at.webhooks },
        ending.signal,
      )
      while ((await at.rows()).length > 1 || (await at.archived()).length > 1) await nextTurn()
      ending.abort()
      await sweeping
      // The second time by an owner that finds a place in the midst of what is read anew.
      for (const position of ['?', 'beginning']) {
        const offset = await at.offsets.get(noAccount, 'intake')
        assert.ok(offset)
        await at.offsets.write({
          kind: 'replace',
          version: offset.version,
          document: { ...offset, position },
          events: [],
        })
        await takeIn(taskEvent({ type: 'batch.completed' }))
        assert.deepEqual(await at.rows(), [`${known.id} -> ${heard.id}`])
      }
      assert.equal((await at.archived()).length, 3)
      assert.deepEqual(at.logged, ['intake.place_unreadable'])
    })

    it('counts arrivals on from the newest that is stored, also when the clock has gone back since', async () => {
      await takeIn(taskEvent())
      const late = taskEvent()
      await log.append(late)
      const past = running(withClock(at.deps, { ...clock, now: () => clock.now() - 1_000_000 }))
      await past.until(late)
      await past.stop()
      const [first, second] = await at.archived()
      assert.equal(second?.arrived, (first?.arrived ?? 0) + 1)
    })
  })
}
