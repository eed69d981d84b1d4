/** What the archive promises to those who read it, whatever it is stored in. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt'
import { type Client, createClient } from '@connectrpc/connect'
import { createCursors } from '@millhand/api'
import { Mode, Order } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import type { ListEventsRequest } from '@millhand/api/gen/millhand/webhook/v1/archive_pb.ts'
import { EventService } from '@millhand/api/gen/millhand/webhook/v1/event_service_pb.ts'
import { type ManualClock, manualClock } from '@millhand/process'
import { createDirectTransport, serve } from '@millhand/rpc'
import { type Database, settlesAfterMs } from '@millhand/store'
import { type Archive, type ArchivedEvent, archiveSpec } from '../archived-event.ts'
import { type TaskEventOptions, taskEvent } from '../intake/task-event.fixture.ts'
import { getEvent } from '../rpc/get-event.ts'
import { listEvents } from '../rpc/list-events.ts'
import { as, failure, noon } from '../webhook.fixture.ts'
import { archiveEvent } from './archive-event.ts'
import { createArrivalClock, microseconds } from './arrival-clock.ts'

export interface OpenedStore {
  readonly db: Database
  close(): Promise<void>
}

type Asked = Partial<Pick<ListEventsRequest, 'limit' | 'order' | 'type' | 'createdAfter' | 'resourceId'>>

export function describeEvents(name: string, open: () => Promise<OpenedStore>) {
  describe(`${name}: events`, () => {
    let store: OpenedStore
    let archive: Archive
    let clock: ManualClock
    let events: Client<typeof EventService>
    beforeEach(async () => {
      store = await open()
      archive = store.db.collection<ArchivedEvent, keyof typeof archiveSpec.indexes>(archiveSpec)
      clock = manualClock(noon)
      const cursors = createCursors(Buffer.alloc(32, 1))
      const transport = createDirectTransport()
      serve(router => {
        router.service(EventService, {
          getEvent: getEvent({ archive }),
          listEvents: listEvents({ archive, cursors, clock }),
        })
      }, transport)
      events = createClient(EventService, transport)
    })
    afterEach(() => store.close())

    /** Archives them, a second after each other, the last of them an hour ago. Answers with their ids. */
    async function archived(...all: Partial<TaskEventOptions>[]): Promise<string[]> {
      return await Promise.all(
        all.map(async (said, n) => {
          const came = noon - 3_600_000 - (all.length - 1 - n) * 1_000
          const event = taskEvent({ at: came, ...said })
          const { account = 'acct_a', mode = 'live' } = said
          const { id, type, key: resource_id, time: created_at, value } = event
          const document = { tenant: `${account}/${mode}`, id, type, resource_id, created_at, value }
          await archive.write({ kind: 'insert', document: { ...document, arrived: microseconds(came) }, events: [] })
          return id
        }),
      )
    }

    /** The ids of all pages, which are as long as they may be where nothing is filtered. */
    async function listed(asked: Asked = {}): Promise<string[]> {
      const ids: string[] = []
      for (let cursor: string | undefined, pages = 0; ; pages++) {
        assert.ok(pages < 100)
        const page = await events.listEvents({ ...asked, ...(cursor !== undefined && { cursor }) }, as('acct_a'))
        ids.push(...page.data.map(({ id }) => id))
        assert.equal(page.hasMore, page.nextCursor !== undefined)
        if (!page.hasMore) return ids
        cursor = page.nextCursor
      }
    }

    it('shows an event as it was written', async () => {
      const [id = ''] = await archived({ type: 'task.failed', task: 'task_9' })
      const event = await events.getEvent({ id }, as('acct_a'))
      assert.deepEqual([event.id, event.type, event.accountId, event.mode], [id, 'task.failed', 'acct_a', Mode.LIVE])
      assert.equal(event.createdAt && timestampMs(event.createdAt), noon - 3_600_000)
      assert.equal(event.resourceVersion, 1)
      assert.equal(event.data?.object, '{"id":"task_9","object":"task","output":"für 日本 😀"}')
      assert.deepEqual((await events.listEvents({}, as('acct_a'))).data, [event])
    })

    it('shows numbers as they were written, however large', async () => {
      const output = '{"n":12345678901234567890,"price":1.10,"tiny":1e-400}'
      const [id = ''] = await archived({ output })
      const { data } = await events.getEvent({ id }, as('acct_a'))
      assert.ok(data?.object.includes(`"output":${output}`), data?.object)
    })

    it('shows nobody the events of another account or mode', async () => {
      const [id = ''] = await archived({})
      for (const caller of [as('acct_b'), as('acct_a', { mode: 'test' })]) {
        assert.equal(await failure(events.getEvent({ id }, caller)), 'not_found')
        assert.deepEqual((await events.listEvents({}, caller)).data, [])
      }
    })

    it('lists all, page by page, in both orders', async () => {
      const ids = await archived(...Array.from({ length: 25 }, () => ({})))
      assert.deepEqual(await listed({ limit: 10, order: Order.ASC }), ids)
      assert.deepEqual(await listed({ limit: 10 }), ids.toReversed())
      assert.deepEqual(await listed({ limit: 25 }), ids.toReversed())
    })

    it('lists in the order in which events came: one that came late is behind those that were listed', async () => {
      const ids = await archived({}, {}, { at: noon - 7_200_000 })
      assert.deepEqual(await listed({ order: Order.ASC, limit: 1 }), ids)
    })

    it('filters by type, by all types that begin so, by resource and by time, alone and together', async () => {
      const [a = '', b = '', c = '', d = ''] = await archived(
        { type: 'task.queued', task: 'task_1' },
        { type: 'task.failed', task: 'task_2', at: noon - 9_000_000 },
        { type: 'batch.completed', task: 'batch_1' },
        { type: 'task.queued', task: 'task_2' },
      )
      const after = timestampFromMs(noon - 3_600_000 - 3_000)
      const table: [Asked, string[]][] = [
        [{ type: 'task.queued' }, [d, a]],
        [{ type: 'task.*' }, [d, b, a]],
        [{ type: '*' }, [d, c, b, a]],
        [{ type: 'task' }, []],
        [{ type: 'unheard.of' }, []],
        [{ resourceId: 'task_2' }, [d, b]],
        [{ resourceId: 'task_2', type: 'task.failed' }, [b]],
        [{ resourceId: 'task_2', type: 'task.*', createdAfter: after }, [d]],
        [{ createdAfter: after }, [d, c]],
        [{ createdAfter: after, type: 'task.queued' }, [d]],
        [
          { createdAfter: { $typeName: 'google.protobuf.Timestamp', seconds: -62_135_596_800n, nanos: 0 } },
          [d, c, b, a],
        ],
        [{ createdAfter: { $typeName: 'google.protobuf.Timestamp', seconds: 253_402_300_799n, nanos: 0 } }, []],
      ]
      for (const [asked, ids] of table) {
        const what = JSON.stringify(asked, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
        assert.deepEqual(await listed(asked), ids, what)
        assert.deepEqual(await listed({ ...asked, order: Order.ASC, limit: 1 }), ids.toReversed(), what)
      }
    })

    it('leaves out of ascending lists what came in the last 2 s, which may still come out of order', async () => {
      const [id = ''] = await archived({})
      clock.step(-3_600_000 + 1_999)
      assert.deepEqual(await listed({ order: Order.ASC }), [])
      assert.deepEqual(await listed(), [id])
      clock.step(2)
      assert.deepEqual(await listed({ order: Order.ASC }), [id])
    })

    /** Stores an event while others come, which are listed one by one; what the same reader sees of the rest then. */
    async function readOn(storing: (whileUnderWay: () => Promise<void>) => Promise<void>): Promise<string[]> {
      const page = (cursor?: string) =>
        events.listEvents({ order: Order.ASC, limit: cursor ? 100 : 1, ...(cursor && { cursor }) }, as('acct_a'))
      let cursor: string | undefined
      await storing(async () => {
        await clock.advance(1)
        for (const task of ['task_1', 'task_2', 'task_3']) {
          const { id, type, key, time, value } = taskEvent({ task, at: clock.now() })
          const document = { tenant: 'acct_a/live', id, type, resource_id: key, created_at: time, value }
          const arrived = microseconds(clock.now())
          await archive.write({ kind: 'insert', document: { ...document, arrived }, events: [] })
        }
        await clock.advance(settlesAfterMs + 1)
        cursor = (await page()).nextCursor
        assert.ok(cursor)
      })
      clock.step(60_000)
      return (await page(cursor)).data.map(({ data }) => JSON.parse(data?.object ?? '').id)
    }
    const late = () => {
      const { id, type, time, value } = taskEvent({ task: 'late', at: clock.now() })
      return { tenant: 'acct_a/live', id, type, resource_id: 'late', created_at: time, value }
    }

    it('leaves out of ascending lists nothing that took long to be stored', async () => {
      for (const slowWrites of [1, 2, Number.POSITIVE_INFINITY]) {
        const arrivalClock = createArrivalClock(clock)
        let writes = 0
        const archived = (whileUnderWay: () => Promise<void>) => {
          const write: Archive['write'] = async change => {
            assert.ok(writes < 10, 'a store that is always slow is no reason to go on for ever')
            if (++writes <= slowWrites) await whileUnderWay()
            return await archive.write(change)
          }
          const slow = { get: (...key: Parameters<Archive['get']>) => archive.get(...key), write }
          return archiveEvent({ archive: slow, arrivalClock, clock }, late())
        }
        const read = await readOn(async whileUnderWay => void (await archived(whileUnderWay)))
        assert.equal(read.at(-1), 'late', `after ${slowWrites} slow writes`)
        writes = 0
        clock.step(3_600_000)
        const next = await readOn(async whileUnderWay => void (await archived(whileUnderWay)))
        assert.ok(next.includes('late'))
        clock.step(3_600_000)
        if (slowWrites > 2) assert.equal(writes, 1, 'once it is known that writes are slow, none is made twice')
      }
    })

    it('leaves out nothing whose writer died before it heard that it was stored', async () => {
      const event = late()
      const again = () => archiveEvent({ archive, arrivalClock: createArrivalClock(clock), clock }, event)
      const read = await readOn(async whileUnderWay => {
        const arrived = microseconds(clock.now())
        await whileUnderWay()
        await archive.write({ kind: 'insert', document: { ...event, arrived }, events: [] })
        await again()
      })
      assert.equal(read.at(-1), 'late')
      const before = await archive.get(event.tenant, event.id)
      clock.step(3_600_000)
      await again()
      assert.deepEqual(await archive.get(event.tenant, event.id), before, 'what was there for long keeps its place')
    })

    it('takes a cursor of the same list alone', async () => {
      await archived({}, {}, {})
      const asked = { limit: 1, type: 'task.*' }
      const { nextCursor: cursor = '' } = await events.listEvents(asked, as('acct_a'))
      assert.equal((await events.listEvents({ ...asked, limit: 2, cursor }, as('acct_a'))).data.length, 2)
      for (const other of [{ type: 'task.succeeded' }, { order: Order.ASC }, { resourceId: 'task_1' }, { type: '*' }]) {
        assert.equal(
          await failure(events.listEvents({ ...asked, ...other, cursor }, as('acct_a'))),
          'invalid_cursor cursor',
        )
      }
      assert.equal(await failure(events.listEvents({ ...asked, cursor }, as('acct_b'))), 'invalid_cursor cursor')
      assert.equal(await failure(events.listEvents({ ...asked, cursor: 'x' }, as('acct_a'))), 'invalid_cursor cursor')
    })
  })
}
