import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Clock, manualClock } from '@millhand/process'
import fc from 'fast-check'
import { scheduledCollection } from '../scheduled-collection.fixture.ts'
import { createDays, dailySpec } from './daily-quota.ts'
import { type DailyRecord, type QuotaPlace, usedOf, withPlaces } from './daily-quota-record.ts'

const tenant = 'acct_1/live'
const day = '2026-11-21'
const { signal } = new AbortController()

type Step = { readonly kind: 'take' | 'release'; readonly id: string; readonly replica: number }
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('take', 'take', 'release'),
  id: fc.integer({ min: 0, max: 9 }).map(n => `wtask_${n}`),
  replica: fc.integer({ min: 0, max: 1 }),
})

describe('a day’s quota', () => {
  it('gives no more places than there are, one to an id, whoever takes and releases at once, at whichever replica', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 6 }),
        async (schedule, limit, takers) => {
          const records = scheduledCollection<DailyRecord, 'by_day'>(schedule, dailySpec)
          const clock: Clock = {
            ...manualClock(Date.parse(day)),
            sleep: () => schedule.schedule(Promise.resolve(), 'sleep'),
          }
          const replicas = [1, 2].map(() =>
            createDays({ daily: records.seenBy(), clock, random: () => 0, events: () => [] }),
          )
          const taken = new Map<string, QuotaPlace>()
          const released = new Set<string>()
          const refused: string[] = []
          const run = async (steps: readonly Step[]) => {
            for (const { kind, id, replica } of steps) {
              const days = replicas[replica]
              if (kind === 'release') {
                const place = taken.get(id)
                if (place) released.add(id)
                await days?.release({ tenant, day }, place ? [place] : [], signal)
              } else {
                const given = await days?.take({ tenant, day }, { id, limit }, signal)
                const before = taken.get(id)
                if (given && (before === undefined || before.at < given.place.at)) taken.set(id, given.place)
                if (!given) refused.push(id)
              }
              const ids = records.documents.get(`${tenant}/${day}`)?.places.map(place => place.id) ?? []
              assert.ok(ids.length <= limit, `${ids.length} of ${limit}`)
              assert.equal(new Set(ids).size, ids.length)
            }
          }
          await schedule.waitFor(Promise.all(takers.map(run)))
          const ids = new Set(records.documents.get(`${tenant}/${day}`)?.places.map(place => place.id))
          for (const id of taken.keys()) if (!released.has(id)) assert.ok(ids.has(id), `${id} has lost its place`)
          // Nobody was refused while there was a place: as many had one, at some time.
          if (refused.length > 0) assert.ok(taken.size >= limit)
          if (released.size === 0) assert.deepEqual([...ids].sort(), [...taken.keys()].sort())
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it('frees no place that was taken again since who frees it saw it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async schedule => {
        const records = scheduledCollection<DailyRecord, 'by_day'>(schedule, dailySpec)
        const clock: Clock = { ...manualClock(0), sleep: () => schedule.schedule(Promise.resolve(), 'sleep') }
        const days = createDays({ daily: records.seenBy(), clock, random: () => 0, events: () => [] })
        const take = () => days.take({ tenant, day }, { id: 'wtask_1', limit: 1 }, signal)
        let used: number | undefined
        const story = async () => {
          const seen = await take()
          assert.ok(seen)
          await Promise.all([days.release({ tenant, day }, [seen.place], signal), take()])
          used = usedOf(records.documents.get(`${tenant}/${day}`))
        }
        await schedule.waitFor(story())
        assert.equal(used, 1)
      }),
      { numRuns: 200 },
    )
  })

  it('keeps those who ask at once waiting for one write', async () => {
    let writes = 0
    const clock = manualClock(0)
    const stored: DailyRecord[] = []
    const days = createDays({
      daily: {
        get: async () => stored.at(-1),
        find: async () => [],
        count: async () => 0,
        async write(change) {
          writes++
          if (change.kind === 'remove') throw new Error('nothing is removed')
          stored.push({ ...change.document, version: writes })
          return { kind: 'written', version: writes }
        },
      },
      clock,
      random: () => 0,
      events: () => [],
    })
    const ids = Array.from({ length: 50 }, (_, n) => `wtask_${n}`)
    await Promise.all(ids.map(id => days.take({ tenant, day }, { id, limit: 100 }, signal)))
    assert.equal(usedOf(stored.at(-1)), 50)
    assert.equal(writes, 2)
  })

  it('counts without a limit too, and knows by name only the last ten thousand', () => {
    let record: DailyRecord | undefined
    for (let from = 0; from < 12_000; from += 1_000) {
      const asked = Array.from({ length: 1_000 }, (_, n) => ({ id: `wtask_${from + n}`, limit: null }))
      record = { ...withPlaces(record, { tenant, day }, asked, 0).record, version: 1 }
    }
    assert.equal(usedOf(record), 12_000)
    assert.equal(record?.places.length, 10_000)
    assert.equal(record?.warned, undefined)
  })

  it('warns once at four fifths and once at the end, and anew where the plan has another limit', () => {
    let record: DailyRecord | undefined
    const warnings: unknown[] = []
    const take = (id: number, limit: number) => {
      record = { ...withPlaces(record, { tenant, day }, [{ id: `wtask_${id}`, limit }], 0).record, version: 1 }
      const { warned } = record
      if (warned && (warnings.at(-1) as { version?: number })?.version !== warned.version) warnings.push(warned)
    }
    for (let id = 0; id < 12; id++) take(id, 10)
    for (let id = 12; id < 40; id++) take(id, 20)
    assert.deepEqual(warnings, [
      { limit: 10, step: 1, version: 1 },
      { limit: 10, step: 2, version: 2 },
      { limit: 20, step: 1, version: 3 },
      { limit: 20, step: 2, version: 4 },
    ])
  })
})
