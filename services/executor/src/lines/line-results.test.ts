import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LineResults, type Part } from './line-results.ts'

/** What is stored, by a clock that stands still until it is moved. */
function given(store: (part: Part) => Promise<void> = async () => {}) {
  const stored: Part[] = []
  const clock = { now: 0 }
  const results = new LineResults(
    { count: 0, failed: 0 },
    async part => {
      await store(part)
      stored.push(part)
    },
    () => clock.now,
  )
  return { results, stored, clock }
}

const textOf = ({ pieces }: Part) => Buffer.concat(pieces).toString()

describe('the results of lines', () => {
  it('are stored in order, each with its index, and those that failed are counted', async () => {
    const { results, stored } = given()
    results.add(Buffer.from('1'), false)
    results.add(Buffer.from('{}'), true)
    await results.flush()
    results.add(Buffer.from('3'), false)
    await results.flush()
    assert.deepEqual(
      stored.map(part => [part.first, part.count, part.failed, textOf(part)]),
      [
        [0, 2, 1, '{"index":0,"output":1}\n{"index":1,"error":{}}\n'],
        [2, 1, 0, '{"index":2,"output":3}\n'],
      ],
    )
    assert.deepEqual([results.count, results.failed], [3, 1])
  })

  it('keep what is large as it is, in its place', async () => {
    const { results, stored } = given()
    const large = Buffer.from(`"${'é'.repeat(100_000)}"`)
    results.add(Buffer.from('1'), false)
    results.add(large, false)
    results.add(Buffer.from('3'), false)
    await results.flush()
    assert.ok(stored[0]?.pieces.includes(large))
    assert.equal(
      textOf(stored[0] as Part),
      `{"index":0,"output":1}\n{"index":1,"output":${large}}\n{"index":2,"output":3}\n`,
    )
  })

  it('go on after what earlier attempts have kept', async () => {
    const stored: Part[] = []
    const results = new LineResults(
      { count: 7, failed: 2 },
      async part => void stored.push(part),
      () => 0,
    )
    results.add(Buffer.from('1'), false)
    await results.flush()
    assert.deepEqual([stored[0]?.first, textOf(stored[0] as Part)], [7, '{"index":7,"output":1}\n'])
    assert.deepEqual([results.count, results.failed], [8, 2])
  })

  it('are stored when some time has passed: soon at first, and in an hour a hundred times', async () => {
    const { results, stored, clock } = given()
    for (; clock.now < 3_600_000; clock.now += 100) {
      results.add(Buffer.from('1'), false)
      await results.keepUp()
      if (clock.now === 2_500) assert.equal(stored.length, 1)
    }
    assert.ok(stored.length > 50 && stored.length < 150, `${stored.length} parts`)
  })

  it('are stored as they come, so that at the end of a run little is left', async () => {
    const { results, stored } = given()
    const result = Buffer.from(`"${'x'.repeat(1_000)}"`)
    for (let line = 0; line < 100_000; line++) {
      results.add(result, false)
      await results.keepUp()
    }
    const bytes = stored.map(({ pieces }) => pieces.reduce((sum, { length }) => sum + length, 0))
    const whole = bytes.reduce((sum, size) => sum + size, 0)
    assert.ok(stored.length < 40, `${stored.length} parts`)
    assert.ok(whole > 90 * 2 ** 20 && (bytes[0] as number) < 2 * 2 ** 20 && Math.max(...bytes) < 9 * 2 ** 20)
    await results.flush()
    assert.equal(stored.map(textOf).join('').split('\n').length, 100_001)
  })

  it('wait while too much of them is not stored', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { results } = given(() => promise)
    const large = Buffer.from(`"${'x'.repeat(2 ** 20)}"`)
    let added = 0
    let isOver = false
    const adding = (async () => {
      for (; added < 60; added++) {
        results.add(large, false)
        await results.keepUp()
      }
      isOver = true
    })()
    await new Promise(setImmediate)
    assert.ok(!isOver && added < 60)
    resolve()
    await adding
    await results.flush()
  })

  it('that can’t be stored end the run', async () => {
    const { results, clock } = given(() => Promise.reject(new Error('full')))
    results.add(Buffer.from('1'), false)
    clock.now = 5_000
    await results.keepUp()
    await new Promise(setImmediate)
    await assert.rejects(results.keepUp(), /full/)
    await assert.rejects(results.flush(), /full/)
  })
})
