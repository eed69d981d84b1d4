/** What becomes of deliveries, whatever they are stored in and whatever fails meanwhile. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { noDueTime } from '@millhand/lease'
import type { Database } from '@millhand/store'
import type { ArchivedEvent } from '../archived-event.ts'
import type { DeliveryRecord, DeliveryStatus } from '../delivery.ts'
import type { Dial } from './attempt.ts'
import { type Deployment, openDeployment } from './deliveries.fixture.ts'
import { noon, someEvents } from './delivery.fixture.ts'
import { newDelivery, ranks } from './new-delivery.ts'
import { first, hang, status } from './receiver.fixture.ts'

export interface OpenedStore {
  readonly db: Database
  close(): Promise<void>
}

export function describeDeliveries(
  name: string,
  open: () => Promise<OpenedStore>,
  options: { readonly skip?: string | false | undefined } = {},
) {
  describe(`${name}: deliveries`, { skip: options.skip ?? false }, () => {
    let store: OpenedStore
    let here: Deployment
    let event: ArchivedEvent
    beforeEach(async () => {
      store = await open()
      here = await openDeployment(store.db)
      event = someEvents(1)[0] as ArchivedEvent
      await here.keep([event])
    })
    afterEach(async () => {
      await here.close()
      await store.close()
    })

    it('are posted once each, signed, and kept with what was answered', async () => {
      await here.endpoint('wh_1')
      here.receiver.lets('wh_1', status(201, {}, 'thanks'))
      const owner = here.own()
      const events = someEvents(40)
      await here.keep(events)
      await here.send(owner, events, 'wh_1')
      for (const one of events) await here.untilStatus(one, 'wh_1', 'succeeded')
      assert.deepEqual(
        here.receiver.posts.map(({ headers }) => headers['webhook-id']).sort(),
        events.map(({ id }) => id),
      )
      const [post] = here.receiver.posts
      assert.deepEqual(
        ['content-type', 'user-agent', 'webhook-timestamp'].map(header => post?.headers[header]),
        ['application/json', 'Millhand-Webhooks/1', String(noon / 1000)],
      )
      assert.match(String(post?.headers['webhook-signature']), /^v1,[\w+/]{43}=$/)
      assert.equal(JSON.parse(post?.body ?? '').timestamp, new Date(noon).toISOString())
      const { attempts, tried, finished_at } = await here.rowOf(events[0] as ArchivedEvent, 'wh_1')
      assert.deepEqual([tried, finished_at, attempts.length], [1, noon, 1])
      assert.deepEqual([attempts[0]?.status, attempts[0]?.response, attempts[0]?.at], [201, 'thanks', noon])
    })

    it('are tried again by the schedule, with the same id and body', async () => {
      await here.endpoint('wh_1')
      here.receiver.lets('wh_1', first(2, status(500), status(204)))
      await here.send(here.own(), [event], 'wh_1')
      const waits = await here.untilStatus(event, 'wh_1', 'waiting')
      assert.equal(waits.due_at, noon + 5_000)
      await here.until(async () => (await here.webhooks.get('acct_1/live', 'wh_1'))?.failing_since === noon)
      const done = await here.untilStatus(event, 'wh_1', 'succeeded', 500)
      assert.deepEqual(
        done.attempts.map(attempt => attempt.status),
        [500, 500, 204],
      )
      assert.ok((done.attempts[1]?.at ?? 0) >= waits.due_at)
      const [one, ...others] = here.receiver.posts
      for (const { headers, body } of others) assert.deepEqual([headers['webhook-id'], body], [event.id, one?.body])
      await here.until(async () => (await here.webhooks.get('acct_1/live', 'wh_1'))?.failing_since === undefined)
    })

    it('are counted by what came of each try', async () => {
      await here.endpoint('wh_1')
      here.receiver.lets('wh_1', first(2, status(500), status(204)))
      const disabled = await here.endpoint('wh_2', { status: 'disabled' })
      let isAway = true
      const dial: Dial = {
        post: (request, signal) =>
          isAway
            ? Promise.resolve({ kind: 'failed', code: 'no_sockets', message: 'none left', ms: 1 })
            : here.dialer.post(request, signal),
      }
      const owner = here.own({ dial })
      await here.send(owner, [event], 'wh_1')
      await here.send(owner, [event], disabled.id)
      await here.untilStatus(event, 'wh_1', 'waiting')
      isAway = false
      await here.untilStatus(event, 'wh_1', 'succeeded', 500)
      await here.untilStatus(event, disabled.id, 'cancelled')
      const lines = (await here.metrics.text({ warn: () => {} })).split('\n')
      const counted = (series: string) =>
        Number(lines.find(line => line.startsWith(`millhand_webhook_${series} `))?.split(' ')[1])
      assert.deepEqual(
        ['succeeded', 'failed', 'cancelled', 'spoiled'].map(outcome =>
          counted(`tries_total{mode="live",outcome="${outcome}"}`),
        ),
        [1, 2, 1, 0],
      )
      assert.equal(counted('put_offs_total{mode="live",reason="no_sockets"}'), 1)
      assert.equal(counted('try_duration_seconds_count{mode="live",outcome="failed"}'), 2)
      assert.ok(counted('try_duration_seconds_sum{mode="live",outcome="succeeded"}') < 15)
    })

    it('succeed by every 2xx and by nothing else, and wait as long as the answers ask that have a say in it', async () => {
      const owner = here.own()
      const becomes: [DeliveryStatus, readonly number[], Partial<DeliveryRecord>][] = [
        ['succeeded', [200, 201, 202, 204, 299], { due_at: noDueTime }],
        ['waiting', [300, 301, 308, 400, 401, 404, 409, 422, 500, 501, 505, 599], { due_at: noon + 5_000 }],
        ['waiting', [429, 502, 503, 504], { due_at: noon + 3_600_000 }],
        ['failed', [410], { due_at: noDueTime }],
      ]
      for (const [end, codes, { due_at }] of becomes) {
        for (const code of codes) {
          await here.endpoint(`wh_${code}`)
          here.receiver.lets(`wh_${code}`, status(code, { 'retry-after': '3600' }))
          await here.send(owner, [event], `wh_${code}`)
          const row = await here.untilStatus(event, `wh_${code}`, end)
          assert.deepEqual([row.due_at, row.attempts[0]?.status], [due_at, code])
        }
      }
    })

    it('say nothing of an address that took the place of the one that failed', async () => {
      const before = await here.endpoint('wh_1')
      const answering = Promise.withResolvers<ServerResponse>()
      here.receiver.lets('wh_1', response => answering.resolve(response))
      const owner = here.own()
      await here.send(owner, [event], 'wh_1')
      await here.until(() => here.receiver.posts.length === 1)
      const document = { ...before, url: here.receiver.url('elsewhere') }
      await here.webhooks.write({ kind: 'replace', version: 1, document, events: [] })
      ;(await answering.promise).writeHead(500).end()
      await here.untilStatus(event, 'wh_1', 'waiting')
      await owner.stop()
      const { failing_since, version } = (await here.webhooks.get('acct_1/live', 'wh_1')) ?? {}
      assert.deepEqual([failing_since, version], [undefined, 2])
    })

    it('say nothing of the endpoint where another owner has made the try its own', async () => {
      await here.endpoint('wh_1')
      const answering = Promise.withResolvers<ServerResponse>()
      here.receiver.lets(
        'wh_1',
        first(1, response => answering.resolve(response), status(200)),
      )
      const answered = Promise.withResolvers<void>()
      const dial: Dial = { post: (...words) => here.dialer.post(...words).finally(answered.resolve) }
      const before = here.own({ dial })
      await here.send(before, [event], 'wh_1')
      const response = await answering.promise
      here.own()
      await here.untilStatus(event, 'wh_1', 'succeeded')
      response.writeHead(500).end()
      await answered.promise
      await before.stop()
      const { failing_since, version } = (await here.webhooks.get('acct_1/live', 'wh_1')) ?? {}
      assert.deepEqual([failing_since, version], [undefined, 1])
      assert.match(await here.metrics.text({ warn: () => {} }), /tries_total{mode="live",outcome="failed"} 0\n/)
    })

    it('end with a 410, which disables the endpoint and tells of it; the others are cancelled', async () => {
      await here.endpoint('wh_1')
      here.receiver.lets('wh_1', status(410))
      const owner = here.own()
      const events = someEvents(3)
      await here.keep(events)
      await here.send(owner, [event], 'wh_1')
      await here.untilStatus(event, 'wh_1', 'failed')
      await here.until(async () => (await here.webhooks.get('acct_1/live', 'wh_1'))?.disabled_reason === 'gone')
      await here.send(owner, events, 'wh_1')
      for (const one of events) await here.untilStatus(one, 'wh_1', 'cancelled', 500)
      assert.equal(here.receiver.posts.length, 1)
      assert.deepEqual(here.told, ['webhook.disabled'])
    })

    it('disable an endpoint that has failed for five days', async () => {
      const day = 86_400_000
      await here.endpoint('wh_1', { failing_since: noon - 5 * day, failed_at: noon - day })
      await here.endpoint('wh_2', { failing_since: noon - 5 * day + 60_000, failed_at: noon - day })
      const owner = here.own()
      for (const id of ['wh_1', 'wh_2']) {
        here.receiver.lets(id, status(503))
        await here.send(owner, [event], id)
        await here.untilStatus(event, id, 'waiting')
      }
      await here.until(async () => (await here.webhooks.get('acct_1/live', 'wh_1'))?.disabled_reason === 'failing')
      await owner.stop()
      assert.equal((await here.webhooks.get('acct_1/live', 'wh_2'))?.status, 'enabled')
      assert.deepEqual(here.told, ['webhook.disabled'])
    })

    it('are not posted to an endpoint that was disabled or deleted since', async () => {
      await here.endpoint('wh_1', { status: 'disabled' })
      await here.endpoint('wh_2', { status: 'deleted', deleted_at: noon })
      const owner = here.own()
      for (const id of ['wh_1', 'wh_2', 'wh_3']) {
        await here.send(owner, [event], id)
        await here.untilStatus(event, id, 'cancelled', 500)
      }
      assert.equal(here.receiver.posts.length, 0)
    })

    it('are cancelled as fast as they are found where nothing is posted, however many there are', async () => {
      await here.endpoint('wh_1', { status: 'disabled' })
      const events = someEvents(20)
      await here.send(here.own(), events, 'wh_1')
      for (const one of events) await here.untilStatus(one, 'wh_1', 'cancelled')
    })

    it('fail at once where the event can’t be read, and hold up no other', async () => {
      await here.endpoint('wh_1')
      const [lost, broken] = someEvents(2).map(one => ({ ...one, value: '[]' })) as [ArchivedEvent, ArchivedEvent]
      await here.keep([broken])
      await here.send(here.own(), [lost, broken, event], 'wh_1')
      await here.untilStatus(event, 'wh_1', 'succeeded', 500)
      const ends = await Promise.all([
        here.untilStatus(lost, 'wh_1', 'failed', 500),
        here.untilStatus(broken, 'wh_1', 'failed', 500),
      ])
      assert.deepEqual(
        ends.map(({ attempts }) => attempts[0]?.error),
        ['event_missing', 'event_unreadable'],
      )
    })

    it('wait where the secret can’t be read, which says nothing of the endpoint, and arrive once it can', async () => {
      const before = await here.endpoint('wh_1', { secret: 'sealed with another key' })
      await here.send(here.own(), [event], 'wh_1')
      const { due_at, attempts } = await here.untilStatus(event, 'wh_1', 'waiting')
      assert.deepEqual([due_at, attempts[0]?.error], [noon + 5_000, 'secret_unreadable'])
      assert.deepEqual(here.logged, ['webhook.unsigned'])
      assert.equal((await here.webhooks.get('acct_1/live', 'wh_1'))?.failing_since, undefined)
      await here.seal(before)
      const { attempts: all } = await here.untilStatus(event, 'wh_1', 'succeeded', 500)
      assert.deepEqual([all.length, here.receiver.posts.length], [2, 1])
    })

    it('go to callbacks too, signed with the account’s secret', async () => {
      const owner = here.own()
      const to = { endpoint: 'callback:acct_1/live/7', callback_url: here.receiver.url('called') }
      await owner.dispatcher.store.insert(newDelivery(event, to, ranks.first), [])
      await here.untilStatus(event, to.endpoint, 'succeeded')
      assert.match(String(here.receiver.of('called')[0]?.headers['webhook-signature']), /^v1,/)
    })

    it('may go anywhere by plain HTTP in the sandbox alone, by connections of the endpoint’s own', async () => {
      const asked: unknown[] = []
      const dial: Dial = {
        async post({ url, plainHttp, partition }) {
          asked.push({ url, plainHttp, partition })
          return { kind: 'answered', status: 200, excerpt: '', ms: 1 }
        },
      }
      const owner = here.own({ dial })
      for (const mode of ['live', 'test'] as const) {
        const [one] = someEvents(1, `acct_1/${mode}`) as [ArchivedEvent]
        await here.keep([one])
        const { url } = await here.endpoint(`wh_${mode}`, { tenant: `acct_1/${mode}`, mode })
        await here.send(owner, [one], `wh_${mode}`)
        await here.untilStatus(one, `wh_${mode}`, 'succeeded')
        assert.deepEqual(asked.pop(), { url, plainHttp: mode === 'test', partition: `wh_${mode}` })
      }
    })

    it('are written once the store takes it, however often that fails, and are posted once', async () => {
      await here.endpoint('wh_1')
      let failures = 0
      const owner = here.own({
        deliveries: {
          write: async change => {
            const isEnd = change.kind === 'replace' && change.document.status === 'succeeded'
            if (isEnd && failures++ < 4) throw new Error('away')
            return await here.deliveries.write(change)
          },
        },
      })
      await here.send(owner, [event], 'wh_1')
      await here.untilStatus(event, 'wh_1', 'succeeded', 500)
      assert.deepEqual([here.receiver.posts.length, failures], [1, 5])
      assert.deepEqual(here.logged, ['webhook.not_written'])
    })

    it('are posted again, the same, where their owner ended before it could write', async () => {
      await here.endpoint('wh_1')
      const away = { write: () => Promise.reject(new Error('away')) }
      let isAway = false
      const before = here.own({
        deliveries: { write: change => (isAway ? away.write() : here.deliveries.write(change)) },
      })
      here.receiver.lets(
        'wh_1',
        first(
          1,
          answer => {
            isAway = true
            answer.end()
          },
          status(200),
        ),
      )
      await here.send(before, [event], 'wh_1')
      await here.until(() => here.receiver.posts.length === 1)
      await before.stop()
      assert.equal((await here.rowOf(event, 'wh_1')).status, 'running')
      here.own()
      await here.untilStatus(event, 'wh_1', 'succeeded')
      const [one, two] = here.receiver.posts
      assert.deepEqual([two?.headers['webhook-id'], two?.body], [one?.headers['webhook-id'], one?.body])
      assert.equal(here.receiver.posts.length, 2)
    })

    it('are not posted by an owner that stood still until its lease was over, but by the next', async () => {
      await here.endpoint('wh_1')
      const [stalled, reading] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      let [isOwner, posted] = [true, 0]
      const before = here.own({
        isOwner: () => isOwner,
        dial: {
          async post() {
            posted++
            return { kind: 'answered', status: 200, excerpt: '', ms: 1 }
          },
        },
        webhooks: {
          async get(...words) {
            reading.resolve()
            await stalled.promise
            return await here.webhooks.get(...words)
          },
        },
      })
      await here.send(before, [event], 'wh_1')
      await reading.promise
      isOwner = false
      here.own()
      await here.untilStatus(event, 'wh_1', 'succeeded')
      stalled.resolve()
      await before.stop()
      assert.deepEqual([posted, here.receiver.posts.length], [0, 1])
    })

    it('are handed back by an owner that stops, and not counted as tried', async () => {
      await here.endpoint('wh_1')
      here.receiver.lets('wh_1', hang)
      const before = here.own()
      await here.send(before, [event], 'wh_1')
      await here.until(() => here.receiver.posts.length === 1)
      await before.stop()
      const back = await here.rowOf(event, 'wh_1')
      assert.deepEqual([back.status, back.tried, back.lease_id], ['queued', 0, ''])
      here.receiver.lets('wh_1', status(200))
      here.own()
      await here.untilStatus(event, 'wh_1', 'succeeded')
    })

    it('all arrive where two take themselves for the owner', async () => {
      await here.endpoint('wh_1')
      const events = someEvents(60)
      await here.keep(events)
      const [one, two] = [here.own(), here.own()]
      await here.send(one, events.slice(0, 40), 'wh_1')
      await here.send(two, events.slice(20), 'wh_1')
      for (const each of events) await here.untilStatus(each, 'wh_1', 'succeeded', 500)
      assert.deepEqual(new Set(here.receiver.posts.map(({ headers }) => headers['webhook-id'])).size, 60)
    })

    it('go on after the store was away', async () => {
      await here.endpoint('wh_1')
      const events = someEvents(20)
      await here.keep(events)
      let isAway = false
      const orAway =
        <A extends unknown[], R>(does: (...words: A) => Promise<R>) =>
        (...words: A) =>
          isAway ? Promise.reject(new Error('away')) : does(...words)
      const owner = here.own({
        deliveries: {
          get: orAway((...words) => here.deliveries.get(...words)),
          find: orAway((...words) => here.deliveries.find(...words)),
          write: orAway(change => here.deliveries.write(change)),
        },
      })
      await here.send(owner, events.slice(0, 10), 'wh_1')
      await here.until(() => here.receiver.posts.length >= 3)
      isAway = true
      await here.until(() => here.clock.now() > noon + 30_000, 500)
      isAway = false
      await here.send(owner, events.slice(10), 'wh_1')
      for (const each of events) await here.untilStatus(each, 'wh_1', 'succeeded', 500)
    })

    it('are found that nobody told of, and those that wait when the clock steps back', async () => {
      await here.endpoint('wh_1')
      here.receiver.lets('wh_1', first(1, status(500), status(200)))
      const owner = here.own()
      await here.send(owner, [event], 'wh_1')
      await here.untilStatus(event, 'wh_1', 'waiting')
      here.clock.step(-3_600_000)
      await here.until(() => here.clock.monotonic() > 60_000, 500)
      assert.equal((await here.rowOf(event, 'wh_1')).status, 'waiting')
      const [unheard] = someEvents(1) as [ArchivedEvent]
      await here.keep([unheard])
      const document = newDelivery(unheard, { endpoint: 'wh_1' }, ranks.first)
      await here.deliveries.write({ kind: 'insert', document, events: [] })
      await here.untilStatus(unheard, 'wh_1', 'succeeded', 500)
      here.clock.step(3_600_000)
      await here.untilStatus(event, 'wh_1', 'succeeded', 500)
    })

    it('are behind what a list in ascending order may have shown, where they took long to be stored', async () => {
      await here.endpoint('wh_1')
      const slow = new Set(['insert'])
      const owner = here.own({
        deliveries: {
          async write(change) {
            if (slow.delete(change.kind)) here.clock.step(5_000)
            return await here.deliveries.write(change)
          },
        },
      })
      const arrivedMs = async () => Math.floor((await here.rowOf(event, 'wh_1')).arrived / 1000)
      await here.send(owner, [event], 'wh_1')
      await here.untilStatus(event, 'wh_1', 'succeeded')
      assert.equal(await arrivedMs(), noon + 5_000)

      here.clock.step(5_000)
      await here.send(owner, [event], 'wh_1')
      assert.equal(await arrivedMs(), noon + 10_000, 'it may have been there unheard of')
      here.clock.step(3_600_000)
      await here.send(owner, [event], 'wh_1')
      assert.equal(await arrivedMs(), noon + 10_000, 'it was there for long')
    })

    it('are no second ones where they are made again, and none is forgotten that an owner of before made', async () => {
      await here.endpoint('wh_1')
      const document: DeliveryRecord = newDelivery(event, { endpoint: 'wh_1' }, ranks.first)
      const owner = here.own()
      await here.until(() => here.clock.monotonic() >= 1_000, 500)
      await here.deliveries.write({ kind: 'insert', document, events: [] })
      for (let n = 0; n < 3; n++) assert.equal(await owner.dispatcher.store.insert(document, []), false)
      await here.untilStatus(event, 'wh_1', 'succeeded')
      assert.equal(await owner.dispatcher.store.insert(document, []), false)
      assert.equal(here.receiver.posts.length, 1)
    })
  })
}
