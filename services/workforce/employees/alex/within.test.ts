import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Budget, TooLong, within } from './within.ts'

const waiting = new Int32Array(new SharedArrayBuffer(4))

describe('work within a budget of processor time', () => {
  it('is not stopped while it only waits for the processor', () => {
    let begun = 0
    const value = within({ milliseconds: 100 }, () => {
      begun++
      return () => Atomics.wait(waiting, 0, 0, 250)
    })
    assert.equal(value, 'timed-out')
    assert.equal(begun, 2, 'it was stopped once, and began again with more time')
  })

  it('is stopped where it uses all of it, and so is all that comes after', () => {
    const budget: Budget = { milliseconds: 50 }
    const endless = () => () => {
      for (;;);
    }
    assert.throws(() => within(budget, endless), TooLong)
    assert.equal(budget.milliseconds, 0)
    assert.throws(() => within(budget, endless), TooLong)
  })

  it('uses up the budget', () => {
    const budget: Budget = { milliseconds: 10_000 }
    within(budget, () => () => {
      for (const from = process.threadCpuUsage(); process.threadCpuUsage(from).user < 20_000; );
    })
    assert.ok(budget.milliseconds <= 9_980)
    const left = budget.milliseconds
    const unreadable = () => () => {
      throw new RangeError('too deep')
    }
    assert.throws(() => within(budget, unreadable), RangeError)
    assert.ok(budget.milliseconds <= left)
  })
})
