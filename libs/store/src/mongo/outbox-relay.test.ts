import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { processMetrics } from '@millhand/telemetry'
import { event } from '../contract-items.fixture.ts'
import { EventsRefused } from '../events-refused.ts'
import { opened } from './outbox-relay.fixture.ts'

/** How long after one round the next begins. */
const ROUND_MS = 10
/** By then an outbox that rests is cleared. */
const CLEARED_MS = 250

describe('the outbox relay', () => {
  it('publishes what waits at the start, in order, and takes it out', async () => {
    const { outbox, published, advance, end } = opened()
    outbox.write('a', ['a1', 'a2'])
    outbox.write('b', ['b1'])
    outbox.write('a', ['a3'])
    await advance(0)
    assert.deepEqual(published(), ['a1', 'a2', 'a3', 'b1'])
    await advance(CLEARED_MS)
    assert.deepEqual(outbox.pending(), [])
    await end()
  })

  it('measures how late each event is, and how old the oldest is that can not be published', async () => {
    const read = async (name: string) => {
      const lines = (await processMetrics.text({ warn: () => {} })).split('\n')
      return Number(
        lines
          .find(line => line.startsWith(name))
          ?.split(' ')
          .at(-1),
      )
    }
    const before = await read('millhand_outbox_delay_seconds_count')
    let isAway = true
    const publish = async () => {
      if (isAway) throw new Error('the log is away')
    }
    const { own, advance, end } = opened({ publish })
    await advance(0)
    own('a', ['a1', 'a2'], { time: 0 })
    await advance(0)
    const early = await read('millhand_outbox_oldest_seconds')
    await advance(5_000)
    assert.ok((await read('millhand_outbox_oldest_seconds')) > early + 4)
    assert.equal(await read('millhand_outbox_delay_seconds_count'), before)
    isAway = false
    await advance(5_000)
    assert.equal(await read('millhand_outbox_oldest_seconds'), 0)
    assert.equal(await read('millhand_outbox_delay_seconds_count'), before + 2)
    await end()
  })

  it('publishes a write of this process at once after quiet, then in rounds', async () => {
    const { relay, outbox, own, calls, advance, end } = opened()
    await advance(0)
    own('a', ['a1'])
    await advance(0)
    assert.deepEqual(calls(), [['a1']])
    outbox.write('a', ['a2'])
    relay.known.changed(outbox, 'a')
    await advance(5)
    own('b', ['b1'])
    await advance(ROUND_MS - 6)
    assert.deepEqual(calls(), [['a1']])
    await advance(1)
    assert.deepEqual(calls(), [['a1'], ['a2', 'b1']])
    await advance(CLEARED_MS)
    assert.deepEqual(outbox.pending(), [])
    own('a', ['a3'])
    await advance(0)
    assert.deepEqual(calls().at(-1), ['a3'])
    await end()
  })

  it('begins a round at once that is full', async () => {
    const { own, published, advance, end } = opened()
    own('a', ['a1'])
    await advance(0)
    for (let i = 0; i < 500; i++) own(`b${i}`, [`b${i}`])
    await advance(0)
    assert.equal(published().length, 501)
    await end()
  })

  it('tells at once of what it publishes in the next round', async () => {
    const { relay, outbox, heard, published, advance, end } = opened()
    await advance(0)
    for (const [key, told] of [
      ['a', ['a']],
      ['b', ['a', 'b']],
    ] as const) {
      outbox.write(key, [key], 'theirs')
      relay.ring(outbox, key)
      await advance(0)
      assert.deepEqual(heard, told)
      assert.deepEqual(published(), ['a'])
    }
    await end()
  })

  it('publishes what it is rung for at once, and what nobody rang for within a second', async () => {
    const { relay, outbox, published, advance, end } = opened()
    await advance(0)
    outbox.write('rung', ['r1'])
    outbox.write('quiet', ['q1'])
    relay.ring(outbox, 'rung')
    await advance(0)
    assert.deepEqual(published(), ['r1'])
    await advance(999)
    assert.deepEqual(published(), ['r1'])
    await advance(1)
    assert.deepEqual(published(), ['r1', 'q1'])
    await end()
  })

  it('repeats a publish that rejects, with growing pauses, and skips nothing', async () => {
    let refusals = 3
    const { outbox, own, calls, advance, end } = opened({
      publish: async () => {
        if (refusals-- > 0) throw new Error('no log')
      },
    })
    own('a', ['a1'])
    await advance(0)
    own('b', ['b1'])
    await advance(5_000)
    assert.deepEqual(calls(), [['a1'], ['a1'], ['a1'], ['a1'], ['b1']])
    await advance(CLEARED_MS)
    assert.deepEqual(outbox.pending(), [])
    await end()
  })

  it('has one publish in flight, of 500 events at most', async () => {
    let inFlight = 0
    const waiting: (() => void)[] = []
    const { relay, outbox, calls, advance, end } = opened({
      publish: async () => {
        assert.equal(++inFlight, 1)
        await new Promise<void>(resolve => waiting.push(resolve))
        inFlight -= 1
      },
    })
    const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `a${from + i}`)
    outbox.write('a', ids(0, 800))
    await advance(0)
    outbox.write('a', ids(800, 1_300))
    relay.known.changed(outbox, 'a')
    outbox.write('b', ['b1'])
    relay.ring(outbox, 'b')
    for (let i = 0; i < 5; i++) {
      await advance(1_000)
      waiting.shift()?.()
    }
    await advance(0)
    assert.deepEqual(
      calls().map(ids => ids.length),
      [500, 300, 500, 1],
    )
    const order = calls().flat()
    assert.deepEqual(
      order.filter(id => id !== 'b1'),
      ids(0, 1_300),
    )
    await end()
  })

  it('leaves what came while it published, and publishes it next', async () => {
    const { relay, outbox, calls, advance, end } = opened({
      publish: async ids => {
        if (!ids.includes('a1')) return
        outbox.write('a', ['a2'])
        relay.known.changed(outbox, 'a')
      },
    })
    outbox.write('a', ['a1'])
    await advance(ROUND_MS)
    assert.deepEqual(calls(), [['a1'], ['a2']])
    await advance(CLEARED_MS)
    assert.deepEqual(outbox.pending(), [])
    await end()
  })

  it('publishes again what an earlier relay did not live to take out, and that before anything newer', async () => {
    const first = opened({ publish: async () => first.abort() })
    first.outbox.write('a', ['a1', 'a2'])
    await first.advance(0)
    await first.end()
    assert.deepEqual(first.outbox.pending(), ['a'])
    first.outbox.write('a', ['a3'])
    const second = opened({ outbox: first.outbox })
    await second.advance(0)
    assert.deepEqual([...first.published(), ...second.published()], ['a1', 'a2', 'a1', 'a2', 'a3'])
    await second.end()
  })

  it('sets aside what the log refuses, and publishes all else in order', async () => {
    const { outbox, own, calls, setAside, lines, advance, end } = opened({
      publish: async ids => {
        if (ids.includes('a2')) throw new EventsRefused(new Map([['a2', 'too large']]))
      },
    })
    outbox.write('a', ['a1', 'a2', 'a3'])
    outbox.write('b', ['b1'])
    await advance(0)
    own('a', ['a4'])
    await advance(ROUND_MS)
    assert.deepEqual(calls(), [['a1', 'a2', 'a3', 'b1'], ['a4']])
    assert.deepEqual(setAside(), ['a2'])
    await advance(CLEARED_MS)
    assert.deepEqual(outbox.pending(), [])
    const [line] = lines()
    assert.partialDeepStrictEqual(JSON.parse(line ?? ''), {
      ...{ level: 'error', event: 'store.event_set_aside', event_id: 'a2', type: 'item.changed' },
      ...{ bytes: Buffer.byteLength(event('a', 'a2').value), collection: 'items', document: 'a', reason: 'too large' },
    })
    await end()
  })

  it('takes nothing out that is not kept elsewhere', async () => {
    const refusal = new EventsRefused(new Map([['a1', 'too large']]))
    const test = opened({ publish: () => Promise.reject(refusal) })
    test.failSetAside(2)
    test.outbox.write('a', ['a1'])
    await test.advance(0)
    assert.deepEqual(test.setAside(), [])
    assert.deepEqual(test.outbox.pending(), ['a'])
    await test.advance(2_000)
    assert.deepEqual(test.setAside(), ['a1'])
    await test.advance(CLEARED_MS)
    assert.deepEqual(test.outbox.pending(), [])
    await test.end()
    const ending = opened({ publish: () => Promise.reject(refusal) })
    ending.failSetAside(1)
    ending.outbox.write('a', ['a1'])
    await ending.advance(0)
    await ending.end()
    assert.deepEqual(ending.outbox.pending(), ['a'])
  })

  it('does not send again what it has not taken out yet', async () => {
    const { relay, outbox, own, published, advance, end } = opened()
    own('a', ['a1'])
    await advance(0)
    relay.known.changed(outbox, 'a')
    outbox.write('a', ['a2'], 'theirs')
    relay.ring(outbox, 'a')
    await advance(ROUND_MS)
    assert.deepEqual(published(), ['a1', 'a2'])
    await end()
  })

  it('reads again after a read that failed, and takes out again after that failed', async () => {
    const { relay, outbox, published, advance, end } = opened()
    await advance(0)
    outbox.fail = 2
    outbox.write('a', ['a1'])
    relay.known.changed(outbox, 'a')
    await advance(900)
    assert.deepEqual(published(), ['a1'])
    outbox.fail = 0
    outbox.write('a', ['a2'])
    relay.known.changed(outbox, 'a')
    outbox.failClear = 2
    await advance(900)
    assert.deepEqual(published(), ['a1', 'a2'])
    await advance(CLEARED_MS)
    assert.deepEqual(outbox.pending(), [])
    await end()
  })

  it('tells of documents that others changed, also while the log is away', async () => {
    const { relay, outbox, heard, advance, end } = opened({ publish: () => new Promise(() => {}) })
    outbox.write('swept', ['s1'], 'theirs')
    await advance(0)
    outbox.write('rung', ['r1'], 'theirs')
    outbox.write('own', ['o1'])
    relay.ring(outbox, 'rung')
    relay.ring(outbox, 'own')
    await advance(0)
    assert.deepEqual(heard, ['swept', 'rung'])
    outbox.write('unrung', ['u1'], 'theirs')
    await advance(1_100)
    assert.ok(heard.includes('unrung'))
    await end()
  })

  it('sweeps a fifth of the time at most, however long the backlog is', async () => {
    const { outbox, advance, end } = opened({ publish: () => new Promise(() => {}), pageMs: 1_000 })
    for (const key of ['a', 'b', 'c', 'd']) outbox.write(key, [`${key}1`])
    await advance(3_000)
    assert.equal(outbox.pages, 3) // Two of two, and an empty one.
    await advance(11_900)
    assert.equal(outbox.pages, 3)
    await advance(200)
    assert.equal(outbox.pages, 4)
    await end()
  })

  it('tells of a document that another changed after this process', async () => {
    const { relay, outbox, heard, published, advance, end } = opened()
    await advance(0)
    outbox.write('a', ['a1'])
    outbox.write('a', ['a2'], 'theirs')
    relay.known.changed(outbox, 'a')
    await advance(0)
    assert.deepEqual(heard, ['a'])
    assert.deepEqual(published(), ['a1', 'a2'])
    await end()
  })
})
