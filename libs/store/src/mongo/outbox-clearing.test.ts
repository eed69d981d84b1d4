import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EventsRefused } from '../events-refused.ts'
import { opened } from './outbox-relay.fixture.ts'

/** How long after one round the next begins. */
const ROUND_MS = 10
/** By then an outbox that rests is cleared, and before the other it is not. */
const CLEARED_MS = 250
const KEPT_MS = 50

describe('the outbox relay: what its own process wrote', () => {
  it('is published without a read', async () => {
    const { outbox, own, published, advance, end } = opened()
    own('a', ['a1'])
    own('a', ['a2'])
    await advance(ROUND_MS)
    own('a', ['a3'])
    await advance(CLEARED_MS)
    own('a', ['a4'])
    await advance(2_000)
    assert.deepEqual(published(), ['a1', 'a2', 'a3', 'a4'])
    assert.deepEqual(outbox.reads, [])
    await end()
  })

  it('is read where more was written than it knows of, and published behind that', async () => {
    const { outbox, own, begin, published, advance, end } = opened()
    own('a', ['a1'])
    const write = begin('a')
    await advance(0)
    outbox.write('a', ['a2'], 'theirs')
    write(['a3'])
    await advance(ROUND_MS)
    assert.deepEqual(published(), ['a1', 'a2', 'a3'])
    own('a', ['a4'])
    await advance(ROUND_MS)
    assert.deepEqual(published(), ['a1', 'a2', 'a3', 'a4'])
    assert.deepEqual(outbox.reads, [['a']])
    await end()
  })

  it('is read where writes of one document are answered out of order', async () => {
    const { begin, published, advance, end } = opened()
    const [first, second] = [begin('a'), begin('a')]
    second(['a1'])
    await advance(ROUND_MS)
    first(['a2'])
    await advance(CLEARED_MS)
    assert.deepEqual(published(), ['a1', 'a2'])
    await end()
  })

  it('is read where more documents wait than a round takes', async () => {
    const log = Promise.withResolvers<void>()
    const { outbox, own, published, advance, end } = opened({ publish: () => log.promise })
    own('a', ['a1'])
    await advance(ROUND_MS)
    const ids = Array.from({ length: 600 }, (_, i) => `b${i}`)
    for (const id of ids) own(id, [id])
    log.resolve()
    await advance(900)
    assert.deepEqual(published(), ['a1', ...ids])
    assert.deepEqual(outbox.reads, [ids.slice(500)])
    assert.deepEqual(outbox.pending(), [])
    await end()
  })
})

describe('the outbox relay: clearing', () => {
  it('is left to the next write of the document, and done for the last one', async () => {
    const { outbox, own, begin, advance, end } = opened()
    for (const id of ['a1', 'a2', 'a3']) {
      own('a', [id])
      await advance(KEPT_MS)
      assert.deepEqual(outbox.idsOf('a'), [id])
    }
    const write = begin('a')
    await advance(CLEARED_MS)
    assert.deepEqual(outbox.clears, []) // A write is on its way.
    write(['a4'])
    await advance(CLEARED_MS)
    assert.deepEqual(outbox.clears, [['a']])
    assert.deepEqual(outbox.pending(), [])
    await end()
  })

  it('by a write keeps what is not published yet', async () => {
    const answers: PromiseWithResolvers<void>[] = []
    const { outbox, own, published, advance, end } = opened({
      publish: async () => {
        const answer = Promise.withResolvers<void>()
        answers.push(answer)
        await answer.promise
      },
    })
    own('a', ['a1'])
    await advance(ROUND_MS)
    own('a', ['a2'])
    answers[0]?.resolve()
    await advance(ROUND_MS)
    own('a', ['a3'])
    assert.deepEqual(outbox.idsOf('a'), ['a2', 'a3'])
    answers[1]?.resolve()
    await advance(ROUND_MS)
    answers[2]?.resolve()
    await advance(ROUND_MS)
    own('a', ['a4'])
    assert.deepEqual(outbox.idsOf('a'), ['a4'])
    await advance(ROUND_MS)
    answers[3]?.resolve()
    await advance(CLEARED_MS)
    assert.deepEqual(published(), ['a1', 'a2', 'a3', 'a4'])
    assert.deepEqual(outbox.pending(), [])
    await end()
  })

  it('is done where the next write was not made, or that is not known', async () => {
    const { outbox, own, begin, published, advance, end } = opened()
    own('refused', ['r1'])
    own('unknown', ['u1'])
    await advance(0)
    const writes = [begin('refused'), begin('unknown')]
    await advance(CLEARED_MS)
    outbox.write('unknown', ['u2'])
    for (const write of writes) write()
    await advance(CLEARED_MS)
    assert.deepEqual(published(), ['r1', 'u1', 'u2'])
    await advance(CLEARED_MS)
    assert.deepEqual(outbox.pending(), [])
    await end()
  })

  it('is done when the relay ends', async () => {
    const { outbox, own, advance, end } = opened()
    own('a', ['a1'])
    await advance(0)
    assert.deepEqual(outbox.pending(), ['a'])
    await end()
    assert.deepEqual(outbox.pending(), [])
  })

  it('is done by the next relay where this one died, which repeats all that is there in order', async () => {
    const first = opened()
    first.own('a', ['a1', 'a2'])
    await first.advance(0)
    first.outbox.failClear = 1
    await first.end()
    assert.deepEqual(first.outbox.pending(), ['a'])
    first.outbox.write('a', ['a3'], 'theirs')
    const second = opened({ outbox: first.outbox })
    await second.advance(CLEARED_MS)
    assert.deepEqual(second.published(), ['a1', 'a2', 'a3'])
    assert.deepEqual(first.outbox.pending(), [])
    await second.end()
  })

  it('leaves what was put back after the event was set aside, however late it is repeated', async () => {
    let refuses = true
    const { outbox, own, published, setAside, advance, end } = opened({
      publish: async () => {
        if (refuses) throw new EventsRefused(new Map([['a1', 'too large']]))
      },
    })
    let putBack = async (): Promise<void> => {
      putBack = async () => {}
      refuses = false
      outbox.write('a', ['a1'], 'operator')
      throw new Error('the answer was lost')
    }
    outbox.afterClear = () => putBack()
    own('a', ['a1'])
    await advance(0)
    assert.deepEqual(setAside(), ['a1'])
    await advance(2_000)
    assert.deepEqual(published(), ['a1'])
    assert.deepEqual(outbox.pending(), [])
    await end()
  })

  it('leaves what was put back before it', async () => {
    let refuses = true
    const { outbox, own, published, setAside, advance, end } = opened({
      publish: async ids => {
        if (refuses && ids.includes('a2')) throw new EventsRefused(new Map([['a2', 'too large']]))
      },
    })
    own('a', ['a1', 'a2', 'a3'])
    await advance(0)
    assert.deepEqual(setAside(), ['a2'])
    refuses = false
    outbox.write('a', ['a2'], 'operator')
    await advance(2_000)
    assert.deepEqual(published(), ['a1', 'a2', 'a3', 'a2']) // From the earliest that may not be published, in order.
    assert.deepEqual(setAside(), ['a2'])
    assert.deepEqual(outbox.pending(), [])
    await end()
  })

  it('is done while others write the document without a pause', async () => {
    const { outbox, published, relay, advance, end } = opened()
    const ids = Array.from({ length: 100 }, (_, i) => `a${i}`)
    let most = 0
    for (const id of ids) {
      outbox.write('a', [id], 'theirs')
      relay.ring(outbox, 'a')
      await advance(KEPT_MS)
      most = Math.max(most, outbox.idsOf('a')?.length ?? 0)
    }
    assert.ok(most < 50, `${most} events`)
    assert.deepEqual(published(), ids)
    await end()
  })

  it('of many is done in parts', async () => {
    const { outbox, own, advance, end } = opened()
    for (const round of ['a', 'b', 'c']) {
      for (let i = 0; i < 400; i++) own(`${round}${i}`, [`${round}${i}`])
      await advance(ROUND_MS)
    }
    await advance(2_000)
    assert.ok(outbox.clears.every(({ length }) => length <= 500))
    assert.deepEqual(outbox.pending(), [])
    await end()
  })

  it('that fails is repeated, and what others write meanwhile is published once', async () => {
    const { outbox, own, published, advance, end } = opened()
    own('a', ['a1'])
    await advance(0)
    outbox.failClear = 2
    await advance(KEPT_MS)
    outbox.write('a', ['a2'], 'theirs')
    await advance(2_000)
    assert.deepEqual(published(), ['a1', 'a2'])
    assert.deepEqual(outbox.pending(), [])
    await end()
  })
})
