/** What becomes of deliveries that can't be tried, whatever they are stored in. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { ArchivedEvent } from '../archived-event.ts'
import type { OpenedStore } from './deliveries.contract.ts'
import { type Deployment, openDeployment } from './deliveries.fixture.ts'
import { noon, someEvents } from './delivery.fixture.ts'
import { newDelivery, ranks } from './new-delivery.ts'

export function describePutOffs(
  name: string,
  open: () => Promise<OpenedStore>,
  options: { readonly skip?: string | false | undefined } = {},
) {
  describe(`${name}: deliveries that can’t be tried`, { skip: options.skip ?? false }, () => {
    let store: OpenedStore
    let here: Deployment
    let events: ArchivedEvent[]
    beforeEach(async () => {
      store = await open()
      here = await openDeployment(store.db)
      events = someEvents(2).map(event => ({ ...event, traceparent: `00-${traceId}-b7ad6b7169203331-01` }))
      await here.keep(events)
      await here.endpoint('wh_1')
    })
    afterEach(async () => {
      await here.close()
      await store.close()
    })

    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const failingSince = async () => (await here.webhooks.get('acct_1/live', 'wh_1'))?.failing_since

    for (const code of ['dns_unavailable', 'no_sockets'] as const) {
      it(`wait ever longer, over a change of owners too, and that is no try, while there is ${code}`, async () => {
        const [event] = events as [ArchivedEvent]
        const failed = { kind: 'failed', code, message: '', ms: 1 } as const
        const begun: number[] = []
        const away = {
          async post() {
            begun.push(here.clock.now())
            return failed
          },
        }
        const before = here.own({ dial: away })
        await here.send(before, [event], 'wh_1')
        await here.until(() => begun.length === 4, 250)
        await here.untilStatus(event, 'wh_1', 'waiting')
        await before.stop()
        const { due_at } = await here.rowOf(event, 'wh_1')
        assert.equal(due_at - (begun.at(-1) ?? 0), 6_000)
        const after = here.own({ dial: away })
        await here.until(() => begun.length === 6, 250)
        assert.equal((await here.untilStatus(event, 'wh_1', 'waiting')).put_offs, 6)
        await after.stop()
        here.own()
        const done = await here.untilStatus(event, 'wh_1', 'succeeded', 500)
        assert.deepEqual([done.tried, done.attempts.length, done.put_offs], [1, 1, 0])
        assert.equal(await failingSince(), undefined)
      })
    }

    it('are not tried while the store can’t be asked, however long that is', async () => {
      const [event] = events as [ArchivedEvent]
      let left = 10
      const owner = here.own({
        webhooks: {
          // Once for the delivery, once for whether any can be read.
          get: async (...key) => (left-- > 0 ? Promise.reject(new Error('away')) : await here.webhooks.get(...key)),
        },
      })
      await here.send(owner, [event], 'wh_1')
      const { attempts } = await here.untilStatus(event, 'wh_1', 'succeeded', 500)
      assert.deepEqual([attempts.length, left < 0], [1, true])
    })

    it('for what nobody knows are tried by the schedule, and fail in the end, which is held against no endpoint', async () => {
      const [poisoned, well] = events as [ArchivedEvent, ArchivedEvent]
      const owner = here.own({
        dial: {
          async post(request, signal) {
            if (request.headers['webhook-id'] === poisoned.id) throw new Error('poison')
            return await here.dialer.post(request, signal)
          },
        },
      })
      const row = { ...newDelivery(poisoned, { endpoint: 'wh_1' }, ranks.first), tries: 10, tried: 10 }
      await owner.dispatcher.store.insert(row, [])
      await here.send(owner, [well], 'wh_1')
      const half = await here.untilStatus(poisoned, 'wh_1', 'waiting')
      assert.deepEqual([half.tries, half.put_offs, half.due_at], [10, 1, noon + 750])
      await here.untilStatus(well, 'wh_1', 'succeeded', 500)
      await here.until(async () => (await here.rowOf(poisoned, 'wh_1')).tries === 11, 500)
      here.clock.step(86_400_000)
      const { tried, attempts } = await here.untilStatus(poisoned, 'wh_1', 'failed', 500)
      assert.deepEqual([tried, attempts.map(({ error }) => error)], [12, ['internal_error', 'internal_error']])
      assert.equal(await failingSince(), undefined)
      assert.deepEqual(new Set(here.logged), new Set(['webhook.not_tried']))
      assert.deepEqual(here.traced, new Set([traceId]))
    })
  })
}
