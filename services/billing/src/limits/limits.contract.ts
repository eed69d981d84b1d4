/** What an account sees of its spending limits, and what gateways hear of them. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { LoggedEvent } from '@millhand/eventlog'
import type { Database, OutboxEvent } from '@millhand/store'
import { as, type BillingUnderTest, startBilling } from '../billing-service.fixture.ts'
import { endEvent } from '../usage/task-event.fixture.ts'

const DAY_MS = 86_400_000

export interface OpenedStore {
  readonly db: Database
  close(): Promise<void>
}

export function describeLimits(
  name: string,
  open: () => Promise<OpenedStore>,
  options: { skip?: string | false } = {},
) {
  describe(`${name}: spending limits`, options, () => {
    let opened: OpenedStore
    let under: BillingUnderTest
    let billing: BillingUnderTest['billing']
    /** All that were written. */
    let events: OutboxEvent[]

    beforeEach(async () => {
      opened = await open()
      events = []
      under = startBilling(recorded(opened.db, events))
      billing = under.billing
    })
    afterEach(async () => {
      await under.stop()
      await opened.close()
    })

    const hear = (...some: LoggedEvent[]) => under.hear('billing-compute', ...some)
    const usd = (amount: string) => ({ amount, currency: 'USD' })
    const task = (id: string, cost: string, tenant = 'acct_a/live') =>
      endEvent({ id, tenant, at: under.clock.now(), computeMs: 1_000, cost })
    const reached = async () =>
      (await billing.listReachedLimits({})).limits.map(({ tenant, spent }) => [tenant, spent?.amount])
    const shown = async (caller: ReturnType<typeof as>) =>
      (await billing.getBilling({}, caller)).limits.map(({ limit, spent }) => [limit?.amount, spent?.amount])
    /** All events of limits so far. */
    const told = () =>
      events
        .filter(({ topic }) => topic === 'millhand.billing.v1')
        .map(({ type, value }) => [type, JSON.parse(value).data.object.spent.amount])

    it('are told of, refuse, and end with the month; the same events again say nothing more', async () => {
      const a = as('acct_a')
      assert.deepEqual((await billing.updateLimits({}, a)).limits, [])
      await billing.updateLimits({ compute: usd('0.0001') }, a)
      const tasks = ['1', '2', '3'].map(n => task(`task_${n}`, '0.000040'))
      for (const one of [...tasks.slice(0, 2), ...tasks.slice(0, 2)]) await hear(one)
      assert.deepEqual(told(), [['billing.limit_warning', '0.000080']])
      assert.deepEqual(await reached(), [])
      await hear(...tasks)
      await hear(task('task_4', '0.000040'), task('task_5', '1.000000', 'acct_b/live'))
      assert.deepEqual(told(), [
        ['billing.limit_warning', '0.000080'],
        ['billing.limit_reached', '0.000120'],
      ])
      assert.deepEqual(await reached(), [['acct_a/live', '0.000120']])
      assert.deepEqual(await shown(a), [['0.000100', '0.000160']])
      assert.deepEqual(await shown(as('acct_b')), [])
      under.clock.step(30 * DAY_MS)
      assert.deepEqual(await reached(), [])
      assert.deepEqual(await shown(a), [['0.000100', '0.000000']])
    })

    it('that are raised let go on, and one below what is spent is reached at once', async () => {
      const a = as('acct_a')
      await hear(task('task_1', '0.000500'))
      await billing.updateLimits({ compute: usd('0.0002'), workforce: usd('5') }, a)
      assert.deepEqual(await reached(), [['acct_a/live', '0.000500']])
      assert.deepEqual(told(), [['billing.limit_reached', '0.000500']])
      await billing.updateLimits({ compute: usd('0.0002') }, a)
      assert.equal(told().length, 1, 'the same limit is not told of again')
      await billing.updateLimits({ compute: usd('1') }, a)
      assert.deepEqual(await reached(), [])
      await billing.updateLimits({ compute: usd('0.0002') }, a)
      assert.deepEqual([(await reached()).length, told().length], [1, 1], 'nor when it is set again')
      await billing.updateLimits({}, a)
      assert.deepEqual(await shown(a), [])
    })

    it('of the workforce are told to it, account by account', async () => {
      const a = as('acct_a')
      const reachedOf = async (caller: ReturnType<typeof as>) =>
        (await under.workforceUsage.getReachedWorkforceLimit({}, caller)).reached?.limit?.amount
      await billing.updateLimits({ compute: usd('0') }, a)
      assert.equal(await reachedOf(a), undefined)
      await billing.updateLimits({ workforce: usd('0') }, a)
      assert.equal(await reachedOf(a), '0.000000')
      assert.equal(await reachedOf(as('acct_b')), undefined)
      await billing.updateLimits({ workforce: usd('1') }, a)
      assert.equal(await reachedOf(a), undefined)
    })

    it('of the sandbox are those of what it would have cost', async () => {
      const test = as('acct_a', 'test')
      await billing.updateLimits({ compute: usd('0.00002') }, test)
      await hear(task('task_1', '0.000000', 'acct_a/test'))
      assert.deepEqual(await reached(), [['acct_a/test', '0.000020']])
      assert.deepEqual(await shown(as('acct_a')), [])
    })

    it('are amounts of US dollars', async () => {
      for (const compute of [usd('-1'), usd('1e3'), usd('0.0000001'), usd(''), { amount: '1', currency: 'EUR' }])
        await assert.rejects(billing.updateLimits({ compute }, as('acct_a')), /`compute\.(amount|currency)` must be/)
    })
  })
}

/** A database whose events are noted when they are written. */
const recorded = (db: Database, events: OutboxEvent[]): Database => ({
  collection(spec) {
    const collection = db.collection<never, never>(spec as never)
    return {
      ...collection,
      async write(change: Parameters<typeof collection.write>[0]) {
        const result = await collection.write(change)
        if (result.kind === 'written') events.push(...change.events)
        return result
      },
    } as never
  },
})
