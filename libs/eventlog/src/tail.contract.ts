/** What a tail has to do. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { A, B, eachTest, event, type OpenLog, withoutPosition } from './contract-log.fixture.ts'
import type { LoggedEvent } from './event-log.ts'

export function describeTail(open: () => Promise<OpenLog>): void {
  describe('tail', () => {
    const at = eachTest(open)

    it('yields what is there from the beginning, then what comes, in order per key', async () => {
      await at.append(event(A, 'k', 1), event(B, 'k', 9), event(A, 'k', 2))
      const reader = read(at.log.tail([A], 'beginning', at.signal))
      assert.deepEqual(
        (await reader.take(2)).map(({ id }) => id),
        ['k.1', 'k.2'],
      )
      await at.append(event(A, 'k', 3))
      assert.deepEqual((await reader.take(1)).map(withoutPosition), [event(A, 'k', 3)])
    })

    it('goes on strictly after a position, over a reopening too', async () => {
      await at.append(...[1, 2, 3, 4].map(n => event(A, 'k', n)))
      const [, second] = await read(at.log.tail([A], 'beginning', at.signal)).take(4)
      assert.ok(second)
      await at.reopen()
      const reader = read(at.log.tail([A], second.position, at.signal))
      assert.deepEqual(
        (await reader.take(2)).map(({ id }) => id),
        ['k.3', 'k.4'],
      )
    })

    it('begins at the end with nothing older', async () => {
      await at.append(event(A, 'old', 1))
      const reader = read(at.log.tail([A], 'end', at.signal))
      let first: readonly LoggedEvent[] | undefined
      const taking = reader.take(1).then(events => {
        first = events
      })
      // An adapter may need a while to learn where the end is; what is appended meanwhile may be left out.
      for (let n = 1; first === undefined; n++) await at.append(event(A, 'new', n))
      await taking
      assert.equal(first?.[0]?.key, 'new')
    })

    it('returns when the signal ends, also while it waits', async () => {
      const ending = new AbortController()
      const iterator = at.log.tail([A], 'beginning', ending.signal)[Symbol.asyncIterator]()
      const next = iterator.next()
      setImmediate(() => ending.abort())
      assert.equal((await next).done, true)
      const again = at.log.tail([A], 'beginning', AbortSignal.abort())[Symbol.asyncIterator]()
      assert.equal((await again.next()).done, true)
    })

    it('serves many readers at once, each its own place', async () => {
      await at.append(event(A, 'k', 1))
      const readers = Array.from({ length: 10 }, () => read(at.log.tail([A], 'beginning', at.signal)))
      await Promise.all(readers.map(reader => reader.take(1)))
      await at.append(event(A, 'k', 2))
      const taken = await Promise.all(readers.map(reader => reader.take(1)))
      assert.deepEqual(
        taken.map(events => events[0]?.id),
        Array(10).fill('k.2'),
      )
    })
  })
}

/** Takes events one by one out of the batches of a tail. */
function read(batches: AsyncIterable<readonly LoggedEvent[]>) {
  const iterator = batches[Symbol.asyncIterator]()
  const left: LoggedEvent[] = []
  return {
    async take(count: number): Promise<LoggedEvent[]> {
      while (left.length < count) {
        const next = await iterator.next()
        if (next.done) assert.fail('the tail has ended')
        left.push(...next.value)
      }
      return left.splice(0, count)
    },
  }
}
