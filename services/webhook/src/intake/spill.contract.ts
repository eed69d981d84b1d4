/** What the intake owes to the others where one account has much to be delivered, whatever store and log it works on. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { OutboxEvent } from '@millhand/store'
import type { DeliveryRecord } from '../delivery.ts'
import type { WebhookRecord } from '../webhook.ts'
import { drainSpill, type FanOutDeps } from './fan-out.ts'
import type { OpenedLog } from './intake.contract.ts'
import { killedAfter, openArchive, running } from './intake.fixture.ts'
import { endpoint, taskEvent } from './task-event.fixture.ts'

const FEW = 12
const MANY = 30
/** How many of so few events are made at once for so many endpoints; the others are spilled. */
const AT_ONCE = 6

export function describeSpill(name: string, open: () => Promise<OpenedLog>, options: { readonly killedEvery: number }) {
  describe(`${name}: the spill of the intake`, () => {
    let log: OpenedLog
    let at: ReturnType<typeof openArchive>
    beforeEach(async () => {
      log = await open()
      at = openArchive(log)
    })
    afterEach(() => log.close())

    const endpoints = (count: number, said: Partial<WebhookRecord> = {}) =>
      Array.from({ length: count }, () => endpoint(said))
    const taskEvents = (count: number, said: Parameters<typeof taskEvent>[0] = {}) =>
      Array.from({ length: count }, () => taskEvent(said))
    const rowsOf = (events: readonly OutboxEvent[], to: readonly WebhookRecord[]) =>
      events.flatMap(event => to.map(({ id }) => `${event.id} -> ${id}`)).sort()
    const spilled = () => at.spill.count('primary', { equals: [] }, 10_000)
    async function takeIn(...events: OutboxEvent[]) {
      await log.append(...events)
      const intake = running(at.deps)
      await intake.until(...events)
      await intake.stop()
    }
    /** Works it off until no more than so many are left. */
    async function workOff(more: Partial<FanOutDeps> = {}, left = 0) {
      const ending = new AbortController()
      const working = drainSpill({ ...at.deps, ...more }, ending.signal)
      while ((await spilled()) > left) await nextTurn()
      ending.abort()
      await working
    }

    it('lets the event of another account through long before all is made for one with many endpoints', async () => {
      const [heavy, other] = [endpoints(100), endpoint({ tenant: 'acct_b/live' })]
      await at.add(...heavy, other)
      await log.append(...taskEvents(5_000))
      await log.append(taskEvent({ account: 'acct_b' }))
      const isThere = Promise.withResolvers<number>()
      let made = 0
      const deps = {
        ...at.deps,
        deliveries: {
          async insert(row: DeliveryRecord, none: readonly []) {
            const isNew = await at.deps.deliveries.insert(row, none)
            if (row.endpoint === other.id) isThere.resolve(made)
            else made++
            return isNew
          },
        },
      }
      const [ending, intake] = [new AbortController(), running(deps)]
      const working = drainSpill(deps, ending.signal)
      const before = await isThere.promise
      ending.abort()
      await Promise.all([intake.stop(), working])
      assert.ok(before < 100_000, `${before} of 500,000 were made before`)
      // And what was not made is to be made.
      assert.ok((5_000 - (await spilled())) * 100 <= made)
    })

    it('has nothing of an account that has many events for one endpoint', async () => {
      const one = endpoint()
      await at.add(one)
      const events = taskEvents(300)
      await takeIn(...events)
      assert.equal(await spilled(), 0)
      assert.deepEqual(await at.rows(), rowsOf(events, [one]))
    })

    it('is made once each, callbacks too', async () => {
      const [heavy, others] = [endpoints(MANY), endpoints(2, { tenant: 'acct_b/live' })]
      await at.add(...heavy, ...others)
      const callback = { url: 'https://example.com/', events: [] }
      const events = taskEvents(FEW, { callback })
      const light = taskEvents(FEW, { account: 'acct_b' })
      await takeIn(...events, ...light)
      assert.deepEqual(
        (await at.spill.find('primary', { equals: [], limit: 100 })).map(({ id }) => id),
        events.slice(AT_ONCE).map(({ id }) => id),
      )
      await workOff()
      const rows = await at.rows()
      assert.equal(rows.filter(row => row.includes('callback:')).length, FEW)
      assert.deepEqual(
        rows.filter(row => !row.includes('callback:')),
        [...rowsOf(events, heavy), ...rowsOf(light, others)].sort(),
      )
    })

    it('doubles nothing and loses nothing when its owner is killed, at whatever write', async () => {
      const heavy = endpoints(MANY)
      await at.add(...heavy)
      const events = taskEvents(FEW)
      await log.append(...events)
      const writes = FEW + AT_ONCE * MANY + (FEW - AT_ONCE)
      for (let left = 0; left <= writes; left += options.killedEvery) await killedAfter(at.deps, left)
      const last = taskEvent()
      await takeIn(last)
      const toCome = async () => (await spilled()) * (MANY + 1)
      for (let left = 0; left < (await toCome()); left += options.killedEvery) {
        await killedAfter(at.deps, left, drainSpill)
      }
      await workOff()
      assert.deepEqual(await at.rows(), rowsOf([...events, last], heavy))
    })

    it('is nothing to an endpoint that is disabled or deleted meanwhile, or of an event that is kept no more', async () => {
      const [heavy, disabled, deleted] = [endpoints(MANY - 2), endpoint(), endpoint()]
      await at.add(...heavy, disabled, deleted)
      const events = taskEvents(FEW)
      await takeIn(...events)
      for (const [webhook, status] of [[disabled, 'disabled'] as const, [deleted, 'deleted'] as const]) {
        await at.webhooks.write({ kind: 'replace', version: 1, document: { ...webhook, status }, events: [] })
      }
      const [gone, ...kept] = events.slice(AT_ONCE)
      const ref = { tenant: 'acct_a/live', id: gone?.id ?? '' }
      const { version = 0 } = (await at.deps.archive.get(ref.tenant, ref.id)) ?? {}
      await at.deps.archive.write({ kind: 'remove', version, ...ref, events: [] })
      await workOff()
      const made = rowsOf(events.slice(0, AT_ONCE), [...heavy, disabled, deleted])
      assert.deepEqual(await at.rows(), [...made, ...rowsOf(kept, heavy)].sort())
    })

    it('of one account holds up that of no other where it fails, is told of once, and goes on later', async () => {
      const [broken, whole] = [endpoints(MANY), endpoints(MANY, { tenant: 'acct_b/live' })]
      await at.add(...broken, ...whole)
      const [first, second] = [taskEvents(FEW), taskEvents(FEW, { account: 'acct_b' })]
      await takeIn(...first, ...second)
      let isBroken = true
      const webhooks: FanOutDeps['webhooks'] = {
        count: (...query) => at.webhooks.count(...query),
        async find(index, query) {
          if (isBroken && query.equals[0] === 'acct_a/live') throw new Error('broken')
          return await at.webhooks.find(index, query)
        },
      }
      await workOff({ webhooks }, FEW - AT_ONCE)
      assert.deepEqual(at.logged, ['intake.spill_failed'])
      isBroken = false
      await workOff({ webhooks })
      assert.deepEqual(await at.rows(), [...rowsOf(first, broken), ...rowsOf(second, whole)].sort())
    })
  })
}
