import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Emitted_Verdict } from '@millhand/api/gen/millhand/lease/v1/emission_pb.ts'
import type { ItemResult } from '@millhand/child-process'
import { done, start } from './executor.fixture.ts'

describe('executor', () => {
  for (const waitMs of [0, 9_000, 29_000]) {
    it(`runs work that its claim has waited ${waitMs / 1000} s for`, async () => {
      const { clock, results, stop } = start({ waitMs, runMs: 3_000 })
      await clock.advance(waitMs + 4_000)
      assert.deepEqual(
        results.map(({ workId, outcome }) => [workId, outcome.case]),
        [['task_a', 'output']],
      )
      await stop()
    })
  }

  it('gives back what its claim was given while it stops', async () => {
    const { clock, results, stop } = start({ waitMs: 1_000, runMs: 60_000 })
    await clock.advance(900)
    await stop()
    assert.deepEqual(
      results.map(({ workId, outcome }) => [workId, outcome.case]),
      [['task_a', 'evicted']],
    )
  })

  it('gives back what its claim was given at the moment at which it was given up', async () => {
    const { clock, results, stop } = start({ answersWhenGivenUp: true, runMs: 60_000 })
    await clock.advance(900)
    await stop()
    assert.deepEqual(
      results.map(({ workId, outcome }) => [workId, outcome.case]),
      [['task_a', 'returned']],
    )
  })

  it('gives no result of a lease that it could not keep', async () => {
    const { clock, results, stop } = start({ waitMs: 9_000, runMs: 20_000, renewable: false })
    await clock.advance(40_000)
    assert.deepEqual(results, [])
    await stop()
  })

  it('says in which traces it could not renew, and could not give results back', async () => {
    let isAway = false
    const traceOf = (n: number) => `${n}`.repeat(32)
    const traceparents = [1, 2].map(n => `00-${traceOf(n)}-b7ad6b7169203331-01`)
    const { clock, results, lines, stop } = start({ runMs: 6_000, count: 2, traceparents, isAway: () => isAway })
    await clock.advance(1_000)
    isAway = true
    await clock.advance(6_000)
    isAway = false
    await clock.advance(10_000)
    assert.equal(results.length, 2)
    for (const name of ['renew.failed', 'result.not_delivered']) {
      const line = lines.find(({ event }) => event === name)
      assert.deepEqual(line?.trace_ids, [traceOf(1), traceOf(2)], name)
    }
    await stop()
  })

  it('says of a run that was over its time by the moment at which its lease is about to end that it took too long', async () => {
    const { clock, results, stop } = start({ runMs: 20_000, isCutOff: true, runTimeoutS: 8 })
    await clock.advance(9_000)
    assert.deepEqual(
      results.map(({ outcome }) => outcome.case === 'failure' && outcome.value.code),
      ['run_timeout'],
    )
    await stop()
  })

  it('cuts what a model says to the bounds of the contract', async () => {
    const { clock, results, stop } = start({
      runMs: 3_000,
      resultOf: () => ({ ok: false, code: 'model_failed', message: 'é'.repeat(100_000), retryable: false }),
    })
    await clock.advance(4_000)
    const [outcome] = results.map(result => result.outcome)
    assert.ok(outcome?.case === 'failure' && outcome.value.message.startsWith('ééé'))
    await stop()
  })

  it('gives results back in calls that a server takes', async () => {
    const output = Buffer.from(JSON.stringify('x'.repeat(256 * 1024 - 2)))
    const { clock, results, callBytes, stop } = start({ runMs: 100, count: 40, resultOf: () => ({ ok: true, output }) })
    await clock.advance(1_000)
    assert.equal(results.length, 40)
    assert.ok(callBytes.every(bytes => bytes < 4 * 2 ** 20))
    await stop()
  })

  it('gives a result once what its run emitted is answered, and keeps the lease meanwhile', async () => {
    const verdict = Promise.withResolvers<Emitted_Verdict>()
    const emits = [{ kind: 'log', text: 'a line' }] as const
    const { clock, results, emitted, renewals, stop } = start({ runMs: 100, count: 2, emits, verdict: verdict.promise })
    await clock.advance(3_000)
    assert.deepEqual(
      emitted.map(({ workId, from, emissions }) => [workId, from, emissions[0]?.content.value]),
      [
        ['task_0', 0, 'a line'],
        ['task_1', 0, 'a line'],
      ],
    )
    assert.equal(results.length, 0)
    assert.ok(renewals.length > 0)
    verdict.resolve(Emitted_Verdict.STORED)
    await clock.advance(100)
    assert.deepEqual(
      results.map(({ outcome }) => outcome.case),
      ['output', 'output'],
    )
    await stop()
  })

  it('fails a run that emits more than a task may, also one that is over', async () => {
    const emits = [{ kind: 'log', text: 'too much' }] as const
    const verdict = Promise.resolve(Emitted_Verdict.FULL)
    for (const runMs of [0, 60_000]) {
      const { clock, results, stop } = start({ runMs, emits, verdict })
      await clock.advance(1_000)
      const [outcome] = results.map(result => result.outcome)
      assert.equal(outcome?.case === 'failure' && outcome.value.code, 'output_too_large')
      await stop()
    }
  })

  it('outlives a run of which nobody can say what it gave, and leaves its lease to others', async () => {
    const resultOf = (): ItemResult => ({
      get ok(): true {
        throw new Error('a fault of ours')
      },
      output: Buffer.from('1'),
    })
    const { clock, claims, renewals, results, lines, stop } = start({ runMs: 1_500, resultOf })
    await clock.advance(2_000)
    const { length } = renewals
    await clock.advance(10_000)
    assert.deepEqual([results.length, renewals.length, claims()], [0, length, 2])
    assert.deepEqual(
      lines.map(({ event }) => event),
      ['run.broke'],
    )
    await stop()
  })

  it('renews more leases than one call takes', async () => {
    const { clock, renewals, stop } = start({ runMs: 2_500, count: 1_001 })
    await clock.advance(1_200)
    assert.equal(new Set(renewals.map(({ workId }) => workId)).size, 1_001)
    await clock.advance(2_000)
    await stop()
  })

  it('loses no result to one beside it that is refused', async () => {
    const large: ItemResult = { ok: true, output: Buffer.from(JSON.stringify('x'.repeat(300_000))) }
    const { clock, results, stop } = start({ runMs: 100, count: 3, resultOf: i => (i === 1 ? large : done) })
    await clock.advance(1_000)
    assert.deepEqual(
      results.map(({ workId }) => workId),
      ['task_0', 'task_2'],
    )
    await stop()
  })
})
