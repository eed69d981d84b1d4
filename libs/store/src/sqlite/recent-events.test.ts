import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RecentEvents } from './recent-events.ts'

describe('recent events', () => {
  it('are those after one event up to another', () => {
    const recent = new RecentEvents()
    recent.add(1, events(3))
    recent.add(4, events(2))
    assert.deepEqual(names(recent.between(0, 5)), ['e1', 'e2', 'e3', 'e1', 'e2'])
    assert.deepEqual(names(recent.between(2, 4)), ['e3', 'e1'])
    assert.deepEqual(names(recent.between(5, 5)), [])
  })

  it('are unknown before the first that is kept and after the last', () => {
    const recent = new RecentEvents()
    assert.equal(recent.between(0, 1), undefined)
    recent.add(8, events(2))
    assert.equal(recent.between(6, 9), undefined)
    assert.deepEqual(names(recent.between(7, 9)), ['e1', 'e2'])
    assert.equal(recent.between(7, 10), undefined)
  })

  it('begin anew where the log goes on elsewhere', () => {
    const recent = new RecentEvents()
    recent.add(1, events(3))
    recent.add(5, events(1))
    assert.equal(recent.between(2, 5), undefined)
    assert.deepEqual(names(recent.between(4, 5)), ['e1'])
  })

  it('are bounded in number, the newest stay', () => {
    const recent = new RecentEvents()
    for (let first = 1; first < 20_001; first += 100) recent.add(first, events(100))
    assert.equal(recent.between(15_000, 20_000), undefined)
    assert.equal(recent.between(18_500, 20_000)?.length, 1_500)
  })

  it('are bounded in size, though one event alone is more', () => {
    const recent = new RecentEvents()
    recent.add(1, events(3, 'x'.repeat(1_500_000)))
    assert.equal(recent.between(0, 3), undefined)
    assert.equal(recent.between(2, 3)?.length, 1)
    recent.add(4, events(1, 'x'.repeat(5_000_000)))
    assert.equal(recent.between(3, 4), undefined)
    recent.add(5, events(1))
    assert.equal(recent.between(4, 5)?.length, 1)
  })
})

const names = (found: ReturnType<RecentEvents['between']>) => found?.map(({ id }) => id)

const events = (count: number, value = '{}') =>
  Array.from({ length: count }, (_, at) => ({
    ...{ topic: 'things', key: 'thing_1', id: `e${at + 1}`, type: 'thing.changed', time: 0, value },
    ...{ tenant: 'acct_1/live', position: String(at + 1) },
  }))
