import assert from 'node:assert/strict'
import { it } from 'node:test'
import { manualClock } from '@millhand/process'
import { createLog } from '@millhand/telemetry'
import { memoryCollection } from '../usage/memory-collection.fixture.ts'
import { type CalendarRecord, calendarSpec, createCalendar } from './calendar.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const GRACE_MS = 3 * DAY_MS
const START = Date.UTC(2026, 10, 15)

function world() {
  const clock = manualClock(START)
  const calendar = memoryCollection<CalendarRecord, never>(calendarSpec, async () => {})
  const logged: string[] = []
  const log = { ...createLog({ level: 'error', write: () => {} }), error: (event: string) => void logged.push(event) }
  const start = () => createCalendar({ calendar, clock, log, graceMs: GRACE_MS })
  return { clock, logged, start }
}

it('the clock is relied on while it goes on as time does, forward and back', async () => {
  const { clock, logged, start } = world()
  const now = start()
  assert.equal(await now(), START)
  await clock.advance(40 * DAY_MS)
  assert.equal(await now(), START + 40 * DAY_MS)
  clock.step(-10 * DAY_MS)
  assert.equal(await now(), START + 30 * DAY_MS)
  clock.step(GRACE_MS)
  assert.equal(await start()(), START + 30 * DAY_MS + GRACE_MS, 'the machine was off for a while')
  assert.deepEqual(logged, [])
})

it('a clock that is a month ahead is not, also by processes that start then, until it is right again', async () => {
  const { clock, logged, start } = world()
  await start()()
  clock.step(31 * DAY_MS)
  for (let starts = 0; starts < 3; starts++) {
    const now = start()
    await now()
    await clock.advance(HOUR_MS)
    assert.equal(await now(), START + (starts + 1) * HOUR_MS)
  }
  assert.deepEqual(logged, Array(6).fill('billing.clock_ahead'))
  clock.step(-31 * DAY_MS)
  assert.equal(await start()(), clock.now())
})

it('a clock that is ahead for a day while billing runs is right: the machine was off for long', async () => {
  const { clock, start } = world()
  await start()()
  clock.step(31 * DAY_MS)
  const now = start()
  for (let hours = 0; hours < 24; hours++) {
    assert.ok((await now()) < clock.now())
    await clock.advance(HOUR_MS)
  }
  assert.equal(await now(), clock.now())
})
