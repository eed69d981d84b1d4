import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@millhand/api'
import { manualClock } from '@millhand/process'
import { type Event, resumingEvents } from './stream-failover.ts'

const signal = new AbortController().signal

test('who gives no events is asked ever less often, each stream in its own time, and as at first after an event', async () => {
  const clock = manualClock(0)
  const startedAt = clock.monotonic()
  const asked: number[] = []
  async function* ask(): AsyncGenerator<Event> {
    asked.push(clock.monotonic() - startedAt)
    if (asked.length === 8) yield { sequence: 1n, type: 'task.log' } as Event
    throw fail('unavailable', 'nobody is there')
  }
  const reading = (async () => {
    for await (const _ of resumingEvents({ ask, after: undefined, clock, signal, random: () => 0.5 }));
  })()
  const given = assert.rejects(reading, /nobody is there/)
  for (let ms = 0; ms < 45_000; ms += 50) await clock.advance(50)
  await given
  const pauses = asked.slice(1).map((at, i) => at - (asked[i] ?? 0))
  assert.deepEqual(pauses.slice(0, 9), [50, 100, 200, 400, 800, 1_000, 1_000, 50, 100])
  assert.equal((asked.at(-1) ?? 0) - (asked[7] ?? 0), 30_000)
})
