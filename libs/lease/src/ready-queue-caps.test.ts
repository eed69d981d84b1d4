/** What the ready queue does with flows that may not run more. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Counters } from './counters.ts'
import { type Cap, type Ready, ReadyQueue } from './ready-queue.ts'

const anyNumber = { weight: 1, maxRunning: Number.POSITIVE_INFINITY }

/** Flows are endpoints `<account>.<n>`: two of each may run at once, and so many of an account. */
function open(accountMax: number, window = 100) {
  const running = new Counters()
  const most = new Map<string, number>()
  let asked = 0
  const caps = ({ flow }: Ready): Cap[] => {
    asked++
    return [
      { key: flow, maxRunning: most.get(flow) ?? 2 },
      { key: flow.split('.')[0] as string, maxRunning: accountMax },
    ]
  }
  const queue = new ReadyQueue({ running: key => running.of(key), caps, window })
  const keysOf = (flow: string) => [flow, flow.split('.')[0] as string]
  return {
    queue,
    offer: (flow: string, id: string) =>
      queue.offer({ tenant: 't', id, flow, group: flow, rank: 1, alone: false, share: anyNumber }),
    take(runs: number): string[] {
      const flows = queue.take(runs).map(([one]) => (one as Ready).flow)
      for (const flow of flows) for (const key of keysOf(flow)) running.add(key, 1)
      return flows
    },
    end(flow: string) {
      for (const key of keysOf(flow)) running.add(key, -1)
      for (const key of keysOf(flow)) queue.free(key)
    },
    /** Which nobody needs to tell the queue. */
    lower: (flow: string) => void most.set(flow, 0),
    setMost(flow: string, maxRunning: number) {
      most.set(flow, maxRunning)
      queue.free(flow)
    },
    timesAsked: () => asked,
  }
}

describe('a ready queue with caps', () => {
  it('gives several of a line in one go, as many as may run', () => {
    const { offer, take, end } = open(9)
    for (let i = 0; i < 5; i++) offer('a.1', `a${i}`)
    assert.deepEqual(take(9), ['a.1', 'a.1'])
    assert.deepEqual(take(9), [])
    end('a.1')
    assert.deepEqual(take(9), ['a.1'])
  })

  it('holds all lines of an account to what it may have, and lets them take turns in it', () => {
    const { offer, take, end } = open(3)
    for (const flow of ['a.1', 'a.2', 'a.3', 'a.4', 'b.1']) for (let i = 0; i < 5; i++) offer(flow, `${flow}-${i}`)
    assert.deepEqual(take(99).sort(), ['a.1', 'a.2', 'a.3', 'b.1', 'b.1'])
    const next: string[] = []
    for (const flow of ['a.1', 'a.2', 'a.3', 'a.4', 'a.1', 'a.2']) {
      end(flow)
      next.push(...take(99))
    }
    assert.equal(next.length, 6)
    for (const flow of new Set(next)) assert.ok(next.filter(one => one === flow).length <= 2, next.join(' '))
  })

  it('gives the place of a line that can’t take it to another of the account', () => {
    const { offer, take, end, lower } = open(2)
    for (const flow of ['a.1', 'a.2', 'a.3', 'a.4']) for (let i = 0; i < 5; i++) offer(flow, `${flow}-${i}`)
    assert.deepEqual(take(9), ['a.1', 'a.2'])
    for (const flow of ['a.1', 'a.2', 'a.3']) lower(flow)
    end('a.1')
    assert.deepEqual(take(9), ['a.4'])
  })

  it('takes up a line again when it may run more than before', () => {
    const { offer, take, setMost } = open(9)
    for (let i = 0; i < 5; i++) offer('a.1', `a${i}`)
    setMost('a.1', 0)
    assert.deepEqual(take(9), [])
    setMost('a.1', 4)
    assert.equal(take(9).length, 4)
  })

  it('looks at no line again that may not run more, however many there are', () => {
    const { offer, take, end, timesAsked } = open(Number.POSITIVE_INFINITY)
    for (let n = 0; n < 5_000; n++) for (let i = 0; i < 3; i++) offer(`a.${n}`, `${n}-${i}`)
    take(20_000)
    const before = timesAsked()
    for (let n = 0; n < 100; n++) {
      end('a.7')
      offer('a.7', `more-${n}`)
      assert.deepEqual(take(512), ['a.7'])
    }
    assert.ok(timesAsked() - before < 500, `${timesAsked() - before} lines were looked at`)
  })

  it('asks for refills of no line that needs none, and of each that does', () => {
    const { queue, offer, take } = open(Number.POSITIVE_INFINITY, 4)
    for (let n = 0; n < 50; n++) for (let i = 0; i < 5; i++) offer(`a.${n}`, `${n}-${i}`)
    assert.deepEqual(queue.beginRefills(), [])
    take(1)
    assert.deepEqual(queue.beginRefills(), [])
    take(99)
    assert.equal(queue.beginRefills().length, 50)
    assert.deepEqual(queue.beginRefills(), [])
  })

  it('strands nothing and exceeds nothing, whatever comes and ends in whatever order', () => {
    const flows = ['a.1', 'a.2', 'a.3', 'b.1', 'b.2']
    const step = fc.oneof(
      fc.record({ offer: fc.constantFrom(...flows) }),
      fc.record({ take: fc.integer({ min: 1, max: 6 }) }),
      fc.record({ end: fc.nat(20) }),
      fc.record({ flow: fc.constantFrom(...flows), most: fc.nat(3) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), steps => {
        const { queue, offer, take, end, setMost } = open(3)
        const most = new Map<string, number>()
        const under: string[] = []
        const count = (start: string) => under.filter(flow => flow.startsWith(start)).length
        const takeSome = (runs: number) => {
          for (const flow of take(runs)) {
            under.push(flow)
            assert.ok(count(flow) <= (most.get(flow) ?? 2), flow)
            assert.ok(count(flow.slice(0, 1)) <= 3, flow)
          }
        }
        const endOne = (place: number) => under.splice(place, 1).forEach(end)
        steps.forEach((one, n) => {
          if ('offer' in one) offer(one.offer, `w${n}`)
          else if ('take' in one) takeSome(one.take)
          else if ('end' in one) endOne(one.end)
          else {
            most.set(one.flow, one.most)
            setMost(one.flow, one.most)
          }
        })
        for (const flow of flows) {
          most.set(flow, 2)
          setMost(flow, 2)
        }
        for (let round = 0; queue.size > 0; round++) {
          assert.ok(round < 200, `${queue.size} are stranded`)
          takeSome(1)
          if (round % 2 === 1) endOne(0)
        }
      }),
    )
  })
})
