/** What the ready queue does with lines that may not run more. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Cap, type Ready, ReadyQueue } from './ready-queue.ts'
import { Tally } from './tally.ts'

const anyNumber = { weight: 1, mostRunning: Number.POSITIVE_INFINITY }

/** Lines are endpoints `<account>.<n>`: two of each may run at once, and so many of an account. */
function open(accountMost: number, window = 100) {
  const running = new Tally()
  const most = new Map<string, number>()
  let asked = 0
  const caps = ({ line }: Ready): Cap[] => {
    asked++
    return [
      { key: line, mostRunning: most.get(line) ?? 2 },
      { key: line.split('.')[0] as string, mostRunning: accountMost },
    ]
  }
  const queue = new ReadyQueue({ running: key => running.of(key), caps, window })
  const keysOf = (line: string) => [line, line.split('.')[0] as string]
  return {
    queue,
    offer: (line: string, id: string) =>
      queue.offer({ tenant: 't', id, line, group: line, rank: 1, alone: false, share: anyNumber }),
    take(runs: number): string[] {
      const lines = queue.take(runs).map(([one]) => (one as Ready).line)
      for (const line of lines) for (const key of keysOf(line)) running.add(key, 1)
      return lines
    },
    end(line: string) {
      for (const key of keysOf(line)) running.add(key, -1)
      for (const key of keysOf(line)) queue.free(key)
    },
    /** Which nobody needs to tell the queue. */
    lower: (line: string) => void most.set(line, 0),
    setMost(line: string, mostRunning: number) {
      most.set(line, mostRunning)
      queue.free(line)
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
    for (const line of ['a.1', 'a.2', 'a.3', 'a.4', 'b.1']) for (let i = 0; i < 5; i++) offer(line, `${line}-${i}`)
    assert.deepEqual(take(99).sort(), ['a.1', 'a.2', 'a.3', 'b.1', 'b.1'])
    const next: string[] = []
    for (const line of ['a.1', 'a.2', 'a.3', 'a.4', 'a.1', 'a.2']) {
      end(line)
      next.push(...take(99))
    }
    assert.equal(next.length, 6)
    for (const line of new Set(next)) assert.ok(next.filter(one => one === line).length <= 2, next.join(' '))
  })

  it('gives the place of a line that can’t take it to another of the account', () => {
    const { offer, take, end, lower } = open(2)
    for (const line of ['a.1', 'a.2', 'a.3', 'a.4']) for (let i = 0; i < 5; i++) offer(line, `${line}-${i}`)
    assert.deepEqual(take(9), ['a.1', 'a.2'])
    for (const line of ['a.1', 'a.2', 'a.3']) lower(line)
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
    const lines = ['a.1', 'a.2', 'a.3', 'b.1', 'b.2']
    const step = fc.oneof(
      fc.record({ offer: fc.constantFrom(...lines) }),
      fc.record({ take: fc.integer({ min: 1, max: 6 }) }),
      fc.record({ end: fc.nat(20) }),
      fc.record({ line: fc.constantFrom(...lines), most: fc.nat(3) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), steps => {
        const { queue, offer, take, end, setMost } = open(3)
        const most = new Map<string, number>()
        const under: string[] = []
        const count = (start: string) => under.filter(line => line.startsWith(start)).length
        const takeSome = (runs: number) => {
          for (const line of take(runs)) {
            under.push(line)
            assert.ok(count(line) <= (most.get(line) ?? 2), line)
            assert.ok(count(line.slice(0, 1)) <= 3, line)
          }
        }
        const endOne = (place: number) => under.splice(place, 1).forEach(end)
        steps.forEach((one, n) => {
          if ('offer' in one) offer(one.offer, `w${n}`)
          else if ('take' in one) takeSome(one.take)
          else if ('end' in one) endOne(one.end)
          else {
            most.set(one.line, one.most)
            setMost(one.line, one.most)
          }
        })
        for (const line of lines) {
          most.set(line, 2)
          setMost(line, 2)
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
