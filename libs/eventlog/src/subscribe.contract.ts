/** What a subscription has to do. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { A, B, eachTest, event, Inbox, idsUpTo, type OpenLog, withoutPosition } from './contract-log.fixture.ts'

export function describeSubscribe(open: () => Promise<OpenLog>): void {
  describe('subscribe', () => {
    const at = eachTest(open)

    it('gives a new group the log from its beginning, each event whole', async () => {
      const plain = event(A, 'k', 1)
      const traced = { ...event(A, 'k', 2), traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }
      await at.append(plain, traced)
      const { inbox } = at.collect('g', [A])
      await inbox.until(2)
      assert.deepEqual(inbox.events.map(withoutPosition), [plain, traced])
    })

    it('goes on with what is appended later', async () => {
      const { inbox } = at.collect('g', [A])
      for (let n = 1; n <= 20; n++) {
        await at.append(event(A, 'k', n))
        await inbox.until(n)
      }
      assert.deepEqual(inbox.idsOf('k'), idsUpTo('k', 20))
    })

    it('gives only the topics that were asked for', async () => {
      await at.append(event(B, 'b', 1), event(A, 'a', 1), event(B, 'b', 2))
      const { inbox } = at.collect('only_a', [A])
      const both = at.collect('both', [A, B]).inbox
      await both.until(3)
      await at.append(event(B, 'b', 3), event(A, 'a', 2))
      await Promise.all([inbox.until(2), both.until(5)])
      assert.deepEqual(
        inbox.events.map(({ id }) => id),
        ['a.1', 'a.2'],
      )
    })

    it('keeps the order of each key, in a log of more than one batch', async () => {
      const keys = ['k1', 'k2', 'k3']
      for (let n = 1; n <= 500; n += 50) {
        await at.append(...Array.from({ length: 50 }, (_, i) => keys.map(key => event(A, key, n + i))).flat())
      }
      const { inbox } = at.collect('g', [A])
      await inbox.until(1500)
      for (const key of keys) assert.deepEqual(inbox.idsOf(key), idsUpTo(key, 500))
    })

    it('gives every group everything', async () => {
      await at.append(event(A, 'k', 1))
      const inboxes = ['g1', 'g2', 'g3'].map(group => at.collect(group, [A]).inbox)
      await at.append(event(A, 'k', 2))
      await Promise.all(inboxes.map(inbox => inbox.until(2)))
      for (const inbox of inboxes) assert.deepEqual(inbox.idsOf('k'), ['k.1', 'k.2'])
    })

    it('keeps the place of a group, over a reopening too', async () => {
      for (let n = 1; n <= 3; n++) {
        const first = new AbortController()
        await at.append(event(A, 'k', n))
        const { inbox, ended } = at.collect('g', [A], first.signal)
        await inbox.until(1)
        first.abort()
        await ended
        assert.deepEqual(
          inbox.events.map(({ id }) => id),
          [`k.${n}`],
        )
        await at.reopen()
      }
    })

    it('gives a handler that rejects the same events again, before any later one of the key', async () => {
      const inbox = new Inbox()
      let failures = 2
      at.runs(
        at.log.subscribe(
          'g',
          [A],
          async events => {
            if (failures-- > 0) throw new Error('not now')
            inbox.add(events)
          },
          at.signal,
        ),
      )
      await at.append(event(A, 'k', 1))
      await at.append(event(A, 'k', 2))
      await inbox.until(2)
      assert.deepEqual(inbox.idsOf('k'), ['k.1', 'k.2'])
    })

    it('does not move the place of a group whose handler rejected', async () => {
      await at.append(event(A, 'k', 1))
      const first = new AbortController()
      const failing = at.log.subscribe(
        'g',
        [A],
        async () => {
          first.abort()
          throw new Error('not now')
        },
        first.signal,
      )
      await failing
      await at.reopen()
      const { inbox } = at.collect('g', [A])
      await inbox.until(1)
      assert.deepEqual(inbox.idsOf('k'), ['k.1'])
    })

    it('shares the work among the subscribers of one group, and goes on when one ends', async () => {
      const first = new AbortController()
      const one = at.collect('g', [A], first.signal)
      const two = at.collect('g', [A])
      const handled = () => new Set([...one.inbox.events, ...two.inbox.events].map(({ id }) => id))
      await at.append(...Array.from({ length: 40 }, (_, n) => event(A, `k${n}`, 1)))
      while (handled().size < 40) await Promise.race([one.inbox.more(), two.inbox.more()])
      first.abort()
      await one.ended
      await at.append(...Array.from({ length: 40 }, (_, n) => event(A, `k${n}`, 2)))
      while (handled().size < 80) await two.inbox.more()
      assert.ok(one.inbox.events.length + two.inbox.events.length < 160)
    })

    it('resolves only when the last handler is done', async () => {
      const entered = Promise.withResolvers<void>()
      const leave = Promise.withResolvers<void>()
      let done = false
      const ending = new AbortController()
      await at.append(event(A, 'k', 1))
      const subscription = at.log.subscribe(
        'g',
        [A],
        async () => {
          entered.resolve()
          await leave.promise
          done = true
        },
        ending.signal,
      )
      await entered.promise
      ending.abort()
      setImmediate(leave.resolve)
      await subscription
      assert.equal(done, true)
    })

    it('does nothing when the signal has ended before', async () => {
      await at.append(event(A, 'k', 1))
      await at.log.subscribe('g', [A], () => assert.fail('called'), AbortSignal.abort())
    })
  })
}
