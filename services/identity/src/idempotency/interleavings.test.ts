import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '@millhand/process'
import type { Change } from '@millhand/store'
import fc from 'fast-check'
import { begun, noon, open, textOf } from './idempotency.fixture.ts'
import type { IdempotencyRecord, IdempotencyRecords } from './idempotency-record.ts'

/** What one who sends the request does, once it holds the operation. `after` is by how much time goes on before a step. */
interface Sender {
  readonly arrivesAfter: number
  readonly renewals: readonly number[]
  /** What the service says: that it made the object, or that it did nothing. */
  readonly call: 'makes' | 'refuses' | 'is lost'
  /** Dies before the call, after it, or not at all. */
  readonly dies: 'before' | 'after' | 'never'
  readonly endsAfter: number
}

const DAY_MS = 86_400_000

/** Milliseconds: within a lease, and beyond it. Ten senders together stay far within the day of an answer. */
const pause = fc.oneof(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 9_000, max: 40_000 }))

const sender: fc.Arbitrary<Sender> = fc.record({
  arrivesAfter: pause,
  renewals: fc.array(pause, { maxLength: 2 }),
  call: fc.constantFrom('makes', 'makes', 'refuses', 'is lost'),
  dies: fc.constantFrom('never', 'never', 'before', 'after'),
  endsAfter: pause,
})

test('whoever dies, is late or takes over: one object, one answer, and nobody is told another', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(sender, { minLength: 1, maxLength: 10 }), async (schedule, senders) => {
      const clock = manualClock(noon)
      const sleep = () => schedule.schedule(Promise.resolve(), 'sleep')
      const { asks, service } = open(scheduled(schedule), { ...clock, sleep })
      // Yesterday's life of the key has expired, and is swept while the next one begins.
      const yesterday = asks('key')
      const before = schedule.waitFor(yesterday.reserve('of yesterday', 'another request'))
      await schedule.waitFor(yesterday.complete('of yesterday', begun(await before), 'forgotten'))
      clock.step(DAY_MS)
      await schedule.waitFor(asks('another key').reserve('anybody'))
      const ending = new AbortController()
      const sweeping = service.run(ending.signal)
      const { reserve, renew, complete, release } = asks('key')
      const objects = new Set<string>()
      const told: string[] = []

      async function send(name: string, { arrivesAfter, renewals, call, dies, endsAfter }: Sender): Promise<void> {
        clock.step(arrivesAfter)
        const outcome = await reserve(name)
        if (outcome.case === 'answered') told.push(textOf(outcome.value))
        if (outcome.case !== 'begun' || dies === 'before') return
        const operation = begun(outcome)
        if (call !== 'refuses') objects.add(operation)
        for (const after of renewals) {
          clock.step(after)
          await renew(name)
        }
        clock.step(endsAfter)
        if (dies === 'after') return
        if (call !== 'makes') return void (await release(name, call === 'refuses'))
        const counts = await complete(name, operation, `the answer of ${name}`)
        if (counts !== undefined) told.push(counts)
      }

      const all = Promise.all(senders.map((each, n) => send(`sender ${n}`, each)))
      await schedule.waitFor(all)
      assert.ok(objects.size <= 1, `${objects.size} objects`)
      assert.ok(new Set(told).size <= 1, told.join(', '))
      const outcome = await schedule.waitFor(reserve('last'))
      if (told.length > 0) assert.equal(outcome.case === 'answered' && textOf(outcome.value), told[0])
      ending.abort()
      await schedule.waitFor(sweeping)
    }),
    { numRuns: 1_000 },
  )
})

/** Records in memory, each read and write of which happens when the schedule says so. */
function scheduled(schedule: fc.Scheduler): IdempotencyRecords {
  const records = new Map<string, IdempotencyRecord>()
  const write = (change: Change<IdempotencyRecord>) => {
    const id = change.kind === 'remove' ? change.id : change.document.id
    const before = records.get(id)?.version
    if (before !== (change.kind === 'insert' ? undefined : change.version)) {
      return { kind: 'conflict', index: change.kind === 'insert' ? 'primary' : 'version' } as const
    }
    const version = change.kind === 'insert' ? (change.version ?? 1) : change.version + 1
    if (change.kind === 'remove') records.delete(id)
    else records.set(id, { ...change.document, version } as IdempotencyRecord)
    return { kind: 'written', version } as const
  }
  return {
    async get(_tenant, id) {
      await schedule.schedule(Promise.resolve(), 'get')
      return records.get(id)
    },
    async write(change) {
      await schedule.schedule(Promise.resolve(), change.kind)
      return write(change)
    },
    async find(_index, { before: [time = Number.POSITIVE_INFINITY] = [], order, limit }) {
      await schedule.schedule(Promise.resolve(), 'find')
      const due = [...records.values()].filter(({ expires_at }) => expires_at < Number(time))
      const sorted = due.sort((a, b) => a.expires_at - b.expires_at)
      return (order === 'desc' ? sorted.reverse() : sorted).slice(0, limit)
    },
    count: () => Promise.resolve(records.size),
  }
}
