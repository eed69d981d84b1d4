import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Ready, ReadyQueue } from './ready-queue.ts'

const queue = (options: Partial<ConstructorParameters<typeof ReadyQueue>[0]> = {}) =>
  new ReadyQueue({ running: () => 0, maxBatch: () => 4, window: 100, ...options })
const share = (weight: number, maxRunning = Number.POSITIVE_INFINITY) => ({ weight, maxRunning })
const work = (tenant: string, id: string, more: Partial<Ready> = {}): Ready => ({
  tenant,
  id,
  flow: tenant,
  group: 'm',
  rank: 1,
  alone: false,
  share: share(1),
  ...more,
})
/** Run after run, as an executor takes them that has room for one at a time. */
const takeEach = (q: ReadyQueue, most: number): Ready[][] => {
  const runs: Ready[][] = []
  while (runs.length < most) {
    const [run] = q.take(1)
    if (!run) break
    runs.push(run)
  }
  return runs
}
const ids = (runs: readonly (readonly Ready[])[]) => runs.map(run => run.map(one => one.id).join(' '))

describe('ready queue', () => {
  it('gives the work of a tenant by rank, then by age', () => {
    const q = queue({ maxBatch: () => 1 })
    q.offer(work('a', 'low', { rank: 2 }))
    q.offer(work('a', 'normal'))
    q.offer(work('a', 'high', { rank: 0 }))
    q.offer(work('a', 'later'))
    assert.deepEqual(ids(takeEach(q, 9)), ['high', 'normal', 'later', 'low'])
  })

  it('one tenant’s backlog delays another’s first piece by one run at most', () => {
    const q = queue({ maxBatch: () => 1 })
    for (let i = 0; i < 50; i++) q.offer(work('a', `a${i}`))
    takeEach(q, 3)
    q.offer(work('b', 'b0'))
    assert.ok(ids(takeEach(q, 2)).includes('b0'))
  })

  it('nor by its weight, nor by the turns that it could not take', () => {
    const q = queue({ maxBatch: () => 1 })
    for (let i = 0; i < 50; i++) q.offer(work('a', `a${i}`, { share: share(8) }))
    for (let i = 0; i < 50; i++) q.offer(work('c', `c${i}`, { group: 'n' }))
    for (let i = 0; i < 20; i++) q.take(1, new Set(['n']))
    q.offer(work('b', 'b0'))
    assert.ok(ids(takeEach(q, 3)).includes('b0'))
  })

  it('nor does one that comes anew each time get more than its turns', () => {
    const q = queue({ maxBatch: () => 1 })
    const others = ['b', 'c', 'd']
    for (const tenant of others) for (let i = 0; i < 40; i++) q.offer(work(tenant, `${tenant}${i}`))
    const taken = { a: 0, others: 0 }
    for (let i = 0; i < 40; i++) {
      q.offer(work('a', `a${taken.a}`))
      const [[first] = []] = q.take(1)
      if (first?.tenant === 'a') taken.a++
      else taken.others++
    }
    assert.deepEqual(taken, { a: 10, others: 30 })
  })

  it('takes turns by weight', () => {
    const q = queue({ maxBatch: () => 1 })
    for (let i = 0; i < 60; i++) {
      q.offer(work('a', `a${i}`, { share: share(3) }))
      q.offer(work('b', `b${i}`))
      q.offer(work('c', `c${i}`, { share: share(2) }))
    }
    const taken = ids(takeEach(q, 60))
    const of = (tenant: string) => taken.filter(id => id.startsWith(tenant)).length
    assert.deepEqual([of('a'), of('b'), of('c')], [30, 10, 20])
  })

  it('has a tenant’s share from its latest work, in whatever order it comes', () => {
    const q = queue({ maxBatch: () => 1 })
    q.offer(work('a', 'a2', { share: share(1, 1) }))
    q.offer(work('a', 'a1', { share: share(1, 5) }))
    q.offer(work('a', 'a3', { share: share(1, 1), group: 'n' }))
    assert.equal(q.take(9).flat().length, 1)
  })

  it('gives no tenant more than may run, alone or in company, and others theirs', () => {
    const running: Record<string, number> = { a: 2, b: 0 }
    const q = queue({ running: tenant => running[tenant] ?? 0 })
    for (let i = 0; i < 9; i++) q.offer(work('a', `a${i}`, { share: share(1, 4), group: i < 5 ? 'm' : 'n' }))
    assert.equal(q.free('a'), false)
    q.offer(work('b', 'b0', { share: share(1, 4) }))
    assert.deepEqual(
      q.take(9).map(run => run.map(({ tenant }) => tenant).sort()),
      [['a', 'a', 'b']],
    )
    assert.deepEqual([q.free('a'), q.free('a'), q.free('b')], [true, false, false])
    running.a = 4
    assert.deepEqual(q.take(9), [])
    assert.equal(q.size, 7)
    running.a = 3
    q.free('a')
    assert.equal(q.take(9).flat().length, 1)
  })

  it('forgets tenants that have no work', () => {
    const seen = new Set<string>()
    const q = queue({ running: tenant => seen.add(tenant).size })
    for (let i = 0; i < 1_000; i++) {
      q.offer(work(`t${i}`, `w${i}`, { share: share(1, 5_000) }))
      assert.equal(q.take(2).length, 1)
    }
    assert.ok(q.flows < 10, `${q.flows} tenants are remembered`)
  })

  it('fills a run with one group, over all tenants', () => {
    const q = queue()
    q.offer(work('a', 'a1'))
    q.offer(work('a', 'a2', { group: 'n' }))
    q.offer(work('a', 'a3'))
    q.offer(work('b', 'b1'))
    const [first, second] = takeEach(q, 2)
    assert.deepEqual(first?.map(one => one.id).sort(), ['a1', 'a3', 'b1'])
    assert.deepEqual(
      second?.map(one => one.id),
      ['a2'],
    )
  })

  it('work that runs alone shares no run', () => {
    const q = queue()
    q.offer(work('a', 'a1', { alone: true }))
    q.offer(work('a', 'a2'))
    q.offer(work('a', 'a3', { alone: true }))
    assert.deepEqual(ids(takeEach(q, 9)), ['a1', 'a2', 'a3'])
  })

  it('passes over groups that are busy, whoever waits for them', () => {
    const q = queue()
    q.offer(work('a', 'a1'))
    q.offer(work('b', 'b1'))
    q.offer(work('c', 'c1', { group: 'n' }))
    assert.deepEqual(ids(q.take(9, new Set(['m']))), ['c1'])
    assert.equal(q.size, 2)
  })

  it('takes no two runs of one group at once', () => {
    const q = queue({ maxBatch: () => 1 })
    for (const id of ['1', '2']) q.offer(work('a', id))
    q.offer(work('a', 'n', { group: 'n' }))
    assert.deepEqual(ids(q.take(3)), ['1', 'n'])
    assert.deepEqual(ids(q.take(3)), ['2'])
  })

  it('gives room for newcomers to lines of which nothing runs, one piece each', () => {
    const running: Record<string, number> = { a: 1 }
    const q = queue({ running: flow => running[flow] ?? 0 })
    for (let i = 0; i < 20; i++) q.offer(work('a', `a${i}`))
    assert.deepEqual(q.take(9, new Set(), { newcomersOnly: true }), [])
    q.offer(work('b', 'b0', { group: 'n' }))
    q.offer(work('c', 'c0'))
    assert.deepEqual(ids(q.take(9, new Set(['m']), { newcomersOnly: true })), ['b0'])
    assert.deepEqual(
      ids(q.take(9, new Set(), { newcomersOnly: true })),
      ['c0'],
      'a line that may not take it rides along with nobody',
    )
    running.a = 0
    assert.equal(q.take(1, new Set(), { newcomersOnly: true }).length, 1)
    assert.equal(q.size, 16)
  })

  it('what is withdrawn is not given', () => {
    const q = queue()
    for (const id of ['1', '2', '3']) q.offer(work('a', id))
    q.withdraw('2')
    q.withdraw('2')
    assert.deepEqual(ids(q.take(1)), ['1 3'])
  })

  it('a full window refuses until the store is read again, rank by rank, and loses nothing that comes meanwhile', () => {
    const q = queue({ window: 2, maxBatch: () => 1 })
    assert.deepEqual(
      ['1', '2', '3'].map(id => q.offer(work('a', id))),
      [true, true, false],
    )
    assert.equal(q.offer(work('a', 'high', { rank: 0 })), true)
    assert.deepEqual(q.beginRefills(), [])
    assert.deepEqual(ids(takeEach(q, 2)), ['high', '1'])
    assert.deepEqual(q.beginRefills(), [{ flow: 'a', rank: 1 }])
    assert.equal(q.offer(work('a', '5')), true) // Written while the store is being read.
    assert.deepEqual(
      ['2', '3'].map(id => q.offer(work('a', id))),
      [true, false],
    )
    q.more({ flow: 'a', rank: 1 })
    assert.deepEqual(ids(takeEach(q, 9)), ['2', '5'])
    assert.deepEqual(q.beginRefills(), [{ flow: 'a', rank: 1 }])
    assert.deepEqual([q.offer(work('a', '3')), ...ids(takeEach(q, 9))], [true, '3'])
  })

  it('a window that was withdrawn is read again', () => {
    const q = queue({ window: 2 })
    for (const id of ['1', '2', '3']) q.offer(work('a', id))
    for (const id of ['1', '2']) q.withdraw(id)
    assert.deepEqual(q.take(1), [])
    assert.deepEqual(q.beginRefills(), [{ flow: 'a', rank: 1 }])
  })

  it('holds little of each tenant where many have a backlog, and yet gives everything', () => {
    const [tenants, backlog] = [2_500, 60]
    const q = queue({ window: 50, maxBatch: () => 1 })
    const stored = new Map<string, Set<string>>()
    const offer = (tenant: string) => {
      for (const id of stored.get(tenant) ?? []) if (!q.offer(work(tenant, id))) return false
      return true
    }
    for (let n = 0; n < tenants; n++) {
      stored.set(`t${n}`, new Set(Array.from({ length: backlog }, (_, i) => `t${n}-${i}`)))
      offer(`t${n}`)
    }
    assert.ok(q.size < 105_000, `${q.size} are held`)
    for (let given = 0; given < tenants * backlog; ) {
      const runs = takeEach(q, 5_000)
      assert.ok(runs.length > 0, `${given} were given`)
      for (const [{ tenant, id }] of runs as [Ready][]) assert.ok(stored.get(tenant)?.delete(id))
      given += runs.length
      for (const { flow, rank } of q.beginRefills()) if (!offer(flow)) q.more({ flow, rank })
    }
    assert.deepEqual([q.take(1), q.flows], [[], 0])
  })

  it('a tenant between others that share runs is served in its turn', () => {
    const q = queue({ maxBatch: () => 2 })
    for (let i = 0; i < 20; i++) {
      q.offer(work('a', `a${i}`))
      if (i === 0) q.offer(work('b', 'b0', { group: 'n' }))
      q.offer(work('c', `c${i}`))
    }
    assert.ok(ids(takeEach(q, 3)).includes('b0'))
  })

  it('tells about how much runs first', () => {
    const q = queue()
    for (const id of ['1', '2', '3']) q.offer(work('a', id))
    assert.deepEqual([q.position('1'), q.position('3'), q.position('unknown')], [0, 2, undefined])
  })

  it('gives everything that was offered exactly once, whatever the order of calls', () => {
    const step = fc.oneof(
      fc.record({
        offer: fc.record({
          tenant: fc.constantFrom('a', 'b', 'c'),
          id: fc.integer({ min: 0, max: 30 }),
          rank: fc.nat(2),
          group: fc.constantFrom('m', 'n'),
          alone: fc.boolean(),
        }),
      }),
      fc.record({ take: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ withdraw: fc.integer({ min: 0, max: 30 }) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), steps => {
        const q = queue()
        const waiting = new Set<string>()
        const take = (runs: number) => {
          for (const run of takeEach(q, runs)) {
            assert.equal(new Set(run.map(one => one.group)).size, 1)
            assert.ok(run.length <= (run.some(one => one.alone) ? 1 : 4))
            for (const one of run) assert.ok(waiting.delete(one.id), `${one.id} was given without waiting`)
          }
        }
        for (const step of steps) {
          if ('offer' in step) {
            const id = `${step.offer.tenant}${step.offer.id}`
            q.offer({ ...step.offer, id, flow: step.offer.tenant, share: share(step.offer.rank + 1) })
            waiting.add(id)
          } else if ('take' in step) take(step.take)
          else
            for (const tenant of ['a', 'b', 'c']) {
              q.withdraw(`${tenant}${step.withdraw}`)
              waiting.delete(`${tenant}${step.withdraw}`)
            }
        }
        take(1000)
        assert.equal(waiting.size, 0)
        assert.equal(q.size, 0)
      }),
    )
  })
})
