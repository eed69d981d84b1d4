import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeOf, retryAfterOf } from '@millhand/api'
import { manualClock } from '@millhand/process'
import fc from 'fast-check'
import { QueueLimit } from './queue-limit.ts'

const full = (error: unknown) => codeOf(error) === 'queue_full' && retryAfterOf(error) === 1

/** A store that has so many tasks of a tenant, and how often it was asked how many. */
function opened() {
  const clock = manualClock()
  const store = { waiting: 0, counts: 0 }
  const queueLimit = new QueueLimit(async (_, limit) => {
    store.counts++
    return Math.min(limit, store.waiting)
  }, clock)
  const create = (most: number, isStored = true) =>
    queueLimit.admit('acct_a/live', most, async () => {
      if (isStored) store.waiting++
      return isStored
    })
  return { clock, store, queueLimit, create }
}

describe('a queue limit', () => {
  it('asks the store nothing until there could be too many, and then refuses', async () => {
    const { store, create } = opened()
    for (let i = 0; i < 100; i++) assert.ok(await create(100))
    assert.equal(store.counts, 1)
    await assert.rejects(create(100), full)
    assert.equal(store.waiting, 100)
  })

  it('lets the next in once there is room, and asks no more often than a count is worth', async () => {
    const { clock, store, create } = opened()
    for (let i = 0; i < 200; i++) await create(200)
    await assert.rejects(create(200), full)
    const { counts } = store
    store.waiting -= 2
    await assert.rejects(create(200), full)
    assert.equal(store.counts, counts)
    await clock.advance(2)
    for (let i = 0; i < 2; i++) assert.ok(await create(200))
    await clock.advance(2)
    await assert.rejects(create(200), full)
  })

  it('gives back the place of what was not stored, and keeps that of what may have been', async () => {
    const { clock, store, queueLimit, create } = opened()
    for (let i = 0; i < 5; i++) assert.equal(await create(1, false), false)
    const lost = queueLimit.admit('acct_a/live', 1, async () => {
      store.waiting++
      throw new Error('lost')
    })
    await assert.rejects(lost, /lost/)
    await clock.advance(1)
    await assert.rejects(create(1), full)
  })

  it('counts again in the background, for what others have let in', async () => {
    const { clock, store, create } = opened()
    await create(10)
    store.waiting = 10
    await clock.advance(10_001)
    assert.ok(await create(10)) // The count comes with it, and tells the next.
    await clock.advance(1)
    await assert.rejects(create(10), full)
  })

  it('is of each tenant', async () => {
    const { queueLimit, create } = opened()
    await create(1)
    await assert.rejects(create(1), full)
    assert.ok(await queueLimit.admit('acct_a/test', 2, async () => true))
  })

  it('asks no store that is not there for a place that there is', async () => {
    const clock = manualClock()
    let isAway = false
    const queueLimit = new QueueLimit(async () => {
      if (isAway) throw new Error('away')
      return 0
    }, clock)
    const create = () => queueLimit.admit('acct_a/live', 2, async () => true)
    await create()
    isAway = true
    await clock.advance(20_000)
    assert.ok(await create())
    await clock.advance(1)
    await assert.rejects(create(), /away/)
  })

  it('never has more wait than may, whatever comes between', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.constantFrom('create', 'taken', 'leave', 'pass'), { maxLength: 30 }),
        async (scheduler, most, steps) => {
          const clock = manualClock()
          let waiting = 0
          const count = async (_: string, limit: number) => {
            await scheduler.schedule(Promise.resolve(), 'asked')
            const seen = Math.min(limit, waiting)
            await scheduler.schedule(Promise.resolve(), 'counted')
            return seen
          }
          const queueLimit = new QueueLimit(count, clock)
          const store = async (isNew: boolean) => {
            await scheduler.schedule(Promise.resolve(), 'written')
            if (isNew) waiting++
            assert.ok(waiting <= most, `${waiting} wait`)
            await scheduler.schedule(Promise.resolve(), 'answered')
            return isNew
          }
          const all = scheduler.scheduleSequence(
            steps.map(step => async () => {
              if (step === 'leave' && waiting > 0) waiting--
              if (step === 'pass') await clock.advance(6_000)
              if (step === 'create' || step === 'taken') {
                creates.push(
                  queueLimit
                    .admit('t', most, () => store(step === 'create'))
                    .catch(error => assert.ok(full(error), error)),
                )
              }
            }),
          )
          const creates: Promise<unknown>[] = []
          await scheduler.waitFor(all.task)
          await scheduler.waitFor(Promise.all(creates))
        },
      ),
      { numRuns: 300 },
    )
  })
})
