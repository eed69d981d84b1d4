import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics } from '@millhand/telemetry'
import type { EventLog, LoggedEvent } from './event-log.ts'
import { observeBehind, readerNames, withReaderMetrics } from './reader-metrics.ts'

const event: LoggedEvent = { topic: 't', key: 'k', id: 'e', type: 'x', time: 0, value: '{}', position: '1' }

/** A log of two batches, and what is counted of each reader. */
function open() {
  let now = 0
  const counts = new Map<string, number>()
  const delays: number[] = []
  const batches = [[event, event], [event]]
  const log: EventLog = {
    async subscribe(_group, _topics, handler) {
      for (const batch of batches) await handler(batch)
    },
    async *tail() {
      yield* batches
    },
    progress: async () => ({ read: 0, end: 0 }),
  }
  const counter = (name: string) => (labels: { readonly reader?: string }, by?: number) => {
    const key = `${name.replace('millhand_event_reader_', '')} ${labels.reader}`
    counts.set(key, (counts.get(key) ?? 0) + (by ?? 1))
  }
  const pass = (ms: number) => {
    now += ms
  }
  const histogram = () => (_: object, seconds: number) => void delays.push(seconds)
  const metrics = { counter, histogram } as never
  return {
    log: withReaderMetrics(
      log,
      metrics,
      () => now,
      () => now,
    ),
    counts,
    delays,
    pass,
  }
}

const { signal } = new AbortController()

test('counts what a group reads, and for how long it is at it', async () => {
  const { log, counts, delays, pass } = open()
  await log.subscribe('billing-compute', ['t'], async () => pass(1500), signal)
  assert.deepEqual(
    [...counts],
    [
      ['events_total billing-compute', 3],
      ['seconds_total billing-compute', 3],
    ],
  )
  assert.deepEqual(delays, [1.5, 3])
})

test('counts a batch that fails', async () => {
  const { log, counts, pass } = open()
  const failing = async () => {
    pass(500)
    throw new Error('the store is away')
  }
  await assert.rejects(log.subscribe('batch-progress', ['t'], failing, signal))
  assert.equal(counts.get('seconds_total batch-progress'), 0.5)
})

test('counts what is read of a tail until the next batch is asked for', async () => {
  const { log, counts, pass } = open()
  for await (const _ of log.tail(['t'], 'beginning', signal)) pass(250)
  assert.equal(counts.get('events_total webhook'), 3)
  assert.equal(counts.get('seconds_total webhook'), 0.5)
})

test('counts no group that is not of this list', async () => {
  const { log, counts } = open()
  await log.subscribe('another', ['t'], async () => {}, signal)
  assert.equal(counts.size, 0)
  assert.equal(new Set(readerNames).size, readerNames.length)
})

test('tells how far behind the groups of this list are, until that ends', async () => {
  const metrics = createMetrics()
  const ends = observeBehind(
    metrics,
    async () =>
      new Map([
        ['billing-compute', 7],
        ['another', 9],
      ]),
  )
  const text = () => metrics.text({ warn: error => assert.fail(String(error)) })
  assert.match(await text(), /^millhand_event_reader_behind_events\{reader="billing-compute"\} 7$/m)
  assert.doesNotMatch(await text(), /another/)
  ends()
  assert.doesNotMatch(await text(), /behind_events/)
})
