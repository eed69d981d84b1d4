import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SlidingWindow, WINDOW_MS } from './sliding-window.ts'
import { WindowMap } from './window-map.ts'

test('the ring counts as a list does that is filtered each time', () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ wait: fc.oneof(fc.nat(3_000), fc.constantFrom(0, WINDOW_MS - 1, WINDOW_MS)) }),
    },
    {
      weight: 8,
      arbitrary: fc.record({ add: fc.integer({ min: 1, max: 9 }), ago: fc.constantFrom(0, 0, 0, 500, 2_000) }),
    },
    { weight: 2, arbitrary: fc.record({ remove: fc.integer({ min: 1, max: 9 }), ago: fc.nat(3_000) }) },
    { weight: 1, arbitrary: fc.record({ copy: fc.constant(true) }) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), steps => {
      let window = new SlidingWindow()
      let model: number[] = []
      let now = 0
      const pass = () => {
        model = model.filter(time => now - time < WINDOW_MS)
      }
      for (const each of steps) {
        if ('wait' in each) now += each.wait
        else if ('add' in each) {
          const time = now - each.ago
          window.add(time, each.add)
          model = [...model, ...Array.from({ length: each.add }, () => time)].sort((a, b) => a - b)
        } else if ('remove' in each) {
          const upTo = model.filter(time => time <= now - each.ago)
          window.remove(now - each.ago, each.remove)
          model = [...upTo.slice(0, Math.max(0, upTo.length - each.remove)), ...model.slice(upTo.length)]
        } else {
          const copy = new SlidingWindow()
          copy.addAll(window)
          window = copy
        }
        pass()
        assert.equal(window.countAt(now), model.length)
        const leaving = model.map((_, place) => window.leavesIn(place, now) + now - WINDOW_MS)
        assert.deepEqual(leaving, model)
        const seconds = window.perSecond(now)
        assert.equal(
          seconds.reduce((sum, each) => sum + each, 0),
          model.length,
        )
        seconds.forEach((count, age) => {
          assert.equal(count, model.filter(time => Math.floor((now - time) / 1000) === age).length)
        })
      }
    }),
  )
})

test('what is kept of idle windows is thrown away as others are used', () => {
  const windows = new WindowMap(
    name => ({ name, window: new SlidingWindow() }),
    ({ window }, now) => window.countAt(now) === 0,
  )
  for (let n = 0; n < 1_000; n++) windows.get(`idle ${n}`, n).window.add(n)
  assert.equal(windows.size, 1_000)
  const later = 1_000 + WINDOW_MS
  for (let n = 0; n < 1_000; n++) windows.get('busy', later).window.add(later)
  assert.deepEqual(
    [...windows].map(([name]) => name),
    ['busy'],
  )
})

test('a window that is used anew is kept', () => {
  const windows = new WindowMap(
    () => new SlidingWindow(),
    (window, now) => window.countAt(now) === 0,
  )
  const first = windows.get('a', 0)
  first.add(0)
  for (let now = 0; now < 10 * WINDOW_MS; now += 1_000) {
    const window = windows.get('a', now)
    window.add(now)
    assert.equal(window, first)
  }
})

test('no time is longer in the window than the window is, whatever fractions the clock has', () => {
  for (let n = 0; n < 1_000; n++) {
    const now = 100_000 + n / 7
    const window = new SlidingWindow()
    window.add(now)
    assert.equal(window.leavesIn(0, now), WINDOW_MS)
  }
})
