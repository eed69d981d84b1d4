import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { manualClock, systemClock } from './clock.ts'

const never = new AbortController().signal

describe('manual clock', () => {
  it('stands still until it is told to go on', async () => {
    const clock = manualClock(1_000)
    assert.deepEqual([clock.now(), clock.monotonic()], [1_000, 0])
    await clock.advance(250)
    assert.deepEqual([clock.now(), clock.monotonic()], [1_250, 250])
  })

  it('has a calendar that can be set apart from all else', async () => {
    const clock = manualClock(1_000)
    const fired: number[] = []
    clock.timer(10, () => fired.push(clock.monotonic()))
    clock.step(-60_000)
    assert.deepEqual([clock.now(), clock.monotonic()], [-59_000, 0])
    await clock.advance(10)
    assert.deepEqual([clock.now(), fired], [-58_990, [10]])
  })

  it('fires timers in the order of their time, each at its own time', async () => {
    const clock = manualClock()
    const fired: string[] = []
    const set = (ms: number, name: string) => clock.timer(ms, () => fired.push(`${name} at ${clock.now()}`))
    set(30, 'c')
    set(10, 'a')
    set(10, 'b')
    set(31, 'late')
    await clock.advance(30)
    assert.deepEqual(fired, ['a at 10', 'b at 10', 'c at 30'])
  })

  it('fires timers that other timers set, within the same time', async () => {
    const clock = manualClock()
    const woken: number[] = []
    const sleeper = (async () => {
      for (let i = 0; i < 3; i++) {
        await clock.sleep(10, never)
        woken.push(clock.now())
      }
    })()
    await clock.advance(100)
    await sleeper
    assert.deepEqual(woken, [10, 20, 30])
  })

  it('does not fire what was cancelled', async () => {
    const clock = manualClock()
    const timer = clock.timer(10, () => assert.fail('it was cancelled'))
    timer.cancel()
    timer.cancel()
    await clock.advance(10)
  })
})

for (const [name, clock] of [
  ['manual clock', manualClock()],
  ['system clock', systemClock],
] as const) {
  describe(`sleep on the ${name}`, () => {
    it('rejects with the reason of the signal as soon as it fires', async () => {
      const abort = new AbortController()
      const sleep = clock.sleep(1e9, abort.signal)
      abort.abort(new Error('enough'))
      await assert.rejects(sleep, /enough/)
      await assert.rejects(clock.sleep(1e9, abort.signal), /enough/)
    })
  })
}

describe('system clock', () => {
  it('sleeps, and fires timers', async () => {
    const start = systemClock.monotonic()
    await systemClock.sleep(5, never)
    // Node counts a timer in whole milliseconds, so it may fire up to one early.
    assert.ok(systemClock.monotonic() - start >= 4)
    await new Promise<void>(resolve => systemClock.timer(1, resolve))
  })

  it('does not fire a timer that is longer than Node can keep', async () => {
    const timer = systemClock.timer(2 ** 40, () => assert.fail('it fired at once'))
    await systemClock.sleep(5, never)
    timer.cancel()
  })
})
