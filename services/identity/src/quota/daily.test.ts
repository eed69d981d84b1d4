import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Clock } from '@millhand/runner'
import { manualClock } from '@millhand/runner'
import fc from 'fast-check'
import { scheduledCollection } from '../scheduled-collection.fixture.ts'
import { type DailyRecord, dailySpec, releasePlaces, takePlace } from './daily.ts'

const tenant = 'acct_1/live'
const day = '2026-11-21'
const { signal } = new AbortController()

type Step = { readonly kind: 'take' | 'release'; readonly id: string }
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('take', 'take', 'release'),
  id: fc.integer({ min: 0, max: 9 }).map(n => `wtask_${n}`),
})

describe('a day’s quota', () => {
  it('gives no more places than there are, one to an id, whoever takes and releases at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 6 }),
        async (schedule, limit, takers) => {
          const records = scheduledCollection<DailyRecord, 'by_day'>(schedule, dailySpec)
          const still = manualClock(Date.parse(day))
          const clock: Clock = { ...still, sleep: () => schedule.schedule(Promise.resolve(), 'sleep') }
          const deps = { daily: records.seenBy(), clock, random: () => 0 }
          const held = new Set<string>()
          const released = new Set<string>()
          const refused: string[] = []
          const run = async (steps: readonly Step[]) => {
            for (const { kind, id } of steps) {
              if (kind === 'release') {
                released.add(id)
                await releasePlaces(deps, { tenant, day, ids: [id], signal })
              } else if (await takePlace(deps, { tenant, day, id, limit, signal })) held.add(id)
              else refused.push(id)
              const ids = records.documents.get(`${tenant}/${day}`)?.ids ?? []
              assert.ok(ids.length <= limit, `${ids.length} of ${limit}`)
              assert.equal(new Set(ids).size, ids.length)
            }
          }
          await schedule.waitFor(Promise.all(takers.map(run)))
          const ids = new Set(records.documents.get(`${tenant}/${day}`)?.ids)
          for (const id of held) if (!released.has(id)) assert.ok(ids.has(id), `${id} has lost its place`)
          // Nobody was refused while there was a place: as many had one, at some time.
          if (refused.length > 0) assert.ok(new Set([...held]).size >= limit)
          if (released.size === 0) assert.deepEqual(ids, held)
        },
      ),
      { numRuns: 1_000 },
    )
  })
})
