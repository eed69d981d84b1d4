import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { type ManualClock, manualClock } from '@millhand/process'
import { CircuitBreaker, openAfterMs } from './circuit-breaker.ts'

describe('circuit breaker', () => {
  let clock: ManualClock
  /** Whether the server answers; what it is asked while it does not, it answers once it does again. */
  let isUp: boolean
  let isRefusing: boolean
  let back: PromiseWithResolvers<void>
  let changes: boolean[]
  let breaker: CircuitBreaker

  beforeEach(t => {
    clock = manualClock()
    ;[isUp, isRefusing, back, changes] = [true, false, Promise.withResolvers(), []]
    breaker = new CircuitBreaker({
      clock,
      probe: ask,
      isSilence: error => (error as Error).message === 'refused',
      refusal: () => new Error('the circuit is open'),
      onChange: isOpen => changes.push(isOpen),
    })
    if ('after' in t) t.after(() => breaker.close())
  })

  async function ask(): Promise<void> {
    if (isRefusing) throw new Error('refused')
    if (!isUp) await back.promise
  }
  const read = () => outcomeOf(breaker.read(ask))
  const write = () => outcomeOf(breaker.write(ask))

  /** What became of a call so far. */
  function outcomeOf(call: Promise<void>) {
    const outcome = { now: 'waits' }
    call.then(
      () => (outcome.now = 'answered'),
      error => (outcome.now = error.message),
    )
    return outcome
  }

  const stop = () => {
    isUp = false
  }
  const goOn = async () => {
    isUp = true
    back.resolve()
    back = Promise.withResolvers()
    await clock.advance(0)
  }

  it('fails nothing in a stall that is short, however many there are', async () => {
    for (let stall = 0; stall < 20; stall++) {
      stop()
      const calls = [read(), write()]
      await clock.advance(2_400)
      calls.push(read(), write())
      assert.deepEqual([...new Set(calls.map(({ now }) => now))], ['waits'])
      await goOn()
      assert.deepEqual([...new Set(calls.map(({ now }) => now))], ['answered'])
      await clock.advance(100)
    }
    assert.deepEqual(changes, [])
  })

  it('fails reads and new calls at once while a stall is long, and goes on with the first answer', async () => {
    stop()
    const [reading, writing] = [read(), write()]
    await clock.advance(openAfterMs + 1_000)
    assert.deepEqual([reading.now, writing.now, changes], ['the circuit is open', 'waits', [true]])
    const later = [read(), write()]
    await clock.advance(0)
    assert.deepEqual(
      later.map(({ now }) => now),
      ['the circuit is open', 'the circuit is open'],
    )
    await goOn()
    assert.deepEqual([writing.now, changes], ['answered', [true, false]])
    const after = read()
    await clock.advance(0)
    assert.equal(after.now, 'answered')
  })

  it('opens on a server that refuses, and closes by a probe though nobody calls', async () => {
    isRefusing = true
    for (let call = 0; call < 5; call++) {
      assert.equal(await breaker.read(ask).catch(error => error.message), 'refused')
      await clock.advance(1_000)
    }
    await clock.advance(1_000)
    assert.equal(await breaker.read(ask).catch(error => error.message), 'the circuit is open')
    isRefusing = false
    await clock.advance(1_000)
    assert.equal(await breaker.read(ask), undefined)
    assert.deepEqual(changes, [true, false])
  })

  it('is not opened by a slow command, nor by a failure long ago', async () => {
    const slow = outcomeOf(breaker.read(() => clock.sleep(60_000, new AbortController().signal)))
    for (let s = 0; s < 61; s++) await clock.advance(1_000)
    assert.deepEqual([slow.now, changes], ['answered', []])
    isRefusing = true
    assert.equal(await breaker.read(ask).catch(error => error.message), 'refused')
    isRefusing = false
    for (let s = 0; s < 60; s++) await clock.advance(1_000)
    stop()
    const call = read()
    await clock.advance(2_000)
    await goOn()
    assert.deepEqual([call.now, changes], ['answered', []])
  })
})
