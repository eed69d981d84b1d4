import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Lease, Result } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import {
  type Emission,
  LoadFailed,
  type OnEmit,
  type RunItem,
  RunnerGone,
  type RunResult,
} from '@millhand/child-process'
import type { ModelPackage } from '@millhand/model'
import { manualClock } from '@millhand/process'
import { type HeldLease, holdLease } from './lease.ts'
import { runBatch } from './run-batch.ts'
import type { Warm } from './warm-process.ts'

const model = { status: 'ready', id: 'm', version: 'sha256:1' } as ModelPackage
const runner = { engine: { kind: 'onnx', name: 'onnxruntime 1', provider: 'cpu' }, loads: 'model' } as const

const leaseOf = (id: string, timeoutS = 600): Lease => ({
  $typeName: 'millhand.lease.v1.Lease',
  id: `lease_${id}`,
  tenant: 'acct_a/live',
  workId: id,
  attempt: 1,
  input: id,
  files: [],
  runTimeout: { $typeName: 'google.protobuf.Duration', seconds: BigInt(timeoutS), nanos: 0 },
  ttl: { $typeName: 'google.protobuf.Duration', seconds: 10n, nanos: 0 },
})

/** A model whose process does what the test says. */
function scripted() {
  const clock = manualClock()
  const outcomes: Record<string, string> = {}
  const computeMs: Record<string, number | undefined> = {}
  const run = Promise.withResolvers<RunResult>()
  const ready = Promise.withResolvers<void>()
  let items: readonly RunItem[] = []
  let kills = 0
  const emitted: [workId: string, emission: Emission][] = []
  const emit = async (held: HeldLease, emission: Emission) => {
    emitted.push([held.lease.workId, emission])
  }
  let onEmit: OnEmit = async () => {}
  const warm: Warm & { isRunning: boolean } = {
    isRunning: false,
    async run(begin, takeEmission, unwanted) {
      unwanted?.addEventListener('abort', () => ready.reject(new RunnerGone('killed', 'unwanted')))
      await ready.promise
      onEmit = takeEmission
      items = begin()
      return items.length === 0 ? { items: [], computeMs: 0 } : await run.promise
    },
    async kill() {
      kills++
      run.reject(new RunnerGone('killed', 'killed'))
    },
  }
  const settle = (held: HeldLease, resultOf: () => Result | undefined) => {
    const result = resultOf()
    const { case: kind, value } = result?.outcome ?? { case: 'nothing', value: undefined }
    assert.equal(outcomes[held.lease.workId], undefined, 'settled twice')
    computeMs[held.lease.workId] = result?.computeMs
    outcomes[held.lease.workId] = kind === 'failure' ? `failure ${(value as { code: string }).code}` : String(kind)
  }
  return {
    clock,
    outcomes,
    computeMs,
    emitted,
    emits: (item: number, emission: Emission) => onEmit(item, emission),
    warm,
    run,
    ready,
    started: (...leases: Lease[]) => {
      const held = leases.map(lease => holdLease(lease, clock.monotonic()))
      return { held, active: runBatch({ clock, runner, ...noFiles, emit, settle }, model, warm, held) }
    },
    ran: () => items.map(item => item.input),
    kills: () => kills,
  }
}
const none = () => Promise.reject(new Error('this test has no files'))
const noFiles = { inputs: { read: none, given: none, close() {} }, sendOutput: none, reserve: none }
const ok = (text: string) => ({ ok: true, output: Buffer.from(text) }) as const
/** What was promised has been acted on. */
const turn = () => new Promise<void>(resolve => setImmediate(resolve))

describe('a run', () => {
  it('gives each lease its own result', async () => {
    const t = scripted()
    const { active } = t.started(leaseOf('a'), leaseOf('b'))
    t.ready.resolve()
    await turn()
    t.run.resolve({ items: [ok('1'), { ok: false, code: 'bad', message: '', retryable: false }], computeMs: 4 })
    await active.done
    assert.deepEqual(t.outcomes, { a: 'output', b: 'failure bad' })
  })

  it('gives each lease what its own item emits', async () => {
    const t = scripted()
    const { active } = t.started(leaseOf('a'), leaseOf('b'))
    t.ready.resolve()
    await turn()
    await t.emits(1, { kind: 'log', text: 'of b' })
    await t.emits(0, { kind: 'log', text: 'of a' })
    await t.emits(2, { kind: 'log', text: 'of nobody' })
    t.run.resolve({ items: [ok('1'), ok('2')], computeMs: 4 })
    await active.done
    assert.deepEqual(t.emitted, [
      ['b', { kind: 'log', text: 'of b' }],
      ['a', { kind: 'log', text: 'of a' }],
    ])
  })

  for (const [stop, expected] of [
    ['output_too_large', 'failure output_too_large'],
    ['emission_invalid', 'failure model_failed'],
    ['cancelled', 'cancelled'],
    ['run_timeout', 'output'],
    ['shutting_down', 'output'],
  ] as const) {
    it(`that was over before it could be stopped (${stop}) ends with: ${expected}`, async () => {
      const t = scripted()
      const { held, active } = t.started(leaseOf('a'))
      t.ready.resolve()
      await turn()
      for (const one of held) one.stop = stop
      t.run.resolve({ items: [ok('1')], computeMs: 1 })
      await active.done
      assert.deepEqual(t.outcomes, { a: expected })
    })
  }

  it('that is cancelled while it waits for its model is answered at once, and is not run', async () => {
    const t = scripted()
    const { held, active } = t.started(leaseOf('a'), leaseOf('b'))
    if (held[0]) held[0].stop = 'cancelled'
    active.check()
    assert.deepEqual(t.outcomes, { a: 'cancelled' })
    t.ready.resolve()
    await turn()
    assert.deepEqual(t.ran(), ['b'])
    assert.equal(t.kills(), 0)
    t.run.resolve({ items: [ok('2')], computeMs: 1 })
    await active.done
    assert.deepEqual(t.outcomes, { a: 'cancelled', b: 'output' })
  })

  it('that is cancelled costs its share of a process that other runs use too', async () => {
    const t = scripted()
    const { held, active } = t.started(leaseOf('a'))
    t.ready.resolve()
    await turn()
    await t.clock.advance(1_000)
    for (const one of held) one.stop = 'cancelled'
    t.run.reject(new RunnerGone('killed', 'killed', { computeMs: 400 }))
    await active.done
    assert.deepEqual([t.outcomes, t.computeMs], [{ a: 'cancelled' }, { a: 400 }])
  })

  it('that nobody waits for any more wants no model', async () => {
    const t = scripted()
    const { held, active } = t.started(leaseOf('a'), leaseOf('b'))
    for (const one of held) one.stop = 'cancelled'
    active.check()
    await active.done
    assert.deepEqual([t.outcomes, t.ran()], [{ a: 'cancelled', b: 'cancelled' }, []])
  })

  it('that waits behind one that goes on and on is given back', async () => {
    const t = scripted()
    const { active } = t.started(leaseOf('a'))
    t.warm.isRunning = true
    await t.clock.advance(200)
    active.check()
    assert.deepEqual(t.outcomes, {})
    await t.clock.advance(100)
    active.check()
    assert.deepEqual(t.outcomes, { a: 'returned' })
    t.ready.resolve()
    await active.done
    assert.deepEqual(t.ran(), [])
  })

  it('whose neighbour is cancelled is stopped, and goes back without losing an attempt', async () => {
    const t = scripted()
    const { held, active } = t.started(leaseOf('a'), leaseOf('b'))
    t.ready.resolve()
    await turn()
    if (held[0]) held[0].stop = 'cancelled'
    active.check()
    active.check()
    await active.done
    assert.deepEqual([t.outcomes, t.kills()], [{ a: 'cancelled', b: 'evicted' }, 1])
  })

  it('over its time is stopped and fails; a neighbour with more time goes back', async () => {
    const t = scripted()
    const { active } = t.started(leaseOf('a', 1), leaseOf('b', 600))
    t.ready.resolve()
    await turn()
    await t.clock.advance(999)
    active.check()
    assert.equal(t.kills(), 0)
    await t.clock.advance(1)
    active.check()
    await active.done
    assert.deepEqual(t.outcomes, { a: 'failure run_timeout', b: 'evicted' })
  })

  it('that crashes alone costs an attempt; in company nobody knows whose fault it was', async () => {
    for (const [ids, expected] of [
      [['a'], { a: 'failure model_crashed' }],
      [['a', 'b'], { a: 'evicted', b: 'evicted' }],
    ] as const) {
      const t = scripted()
      const { active } = t.started(...ids.map(id => leaseOf(id)))
      t.ready.resolve()
      await turn()
      t.run.reject(new RunnerGone('crashed', 'gone'))
      await active.done
      assert.deepEqual(t.outcomes, expected)
    }
  })

  it('that needs too much memory alone fails for good', async () => {
    const t = scripted()
    const { active } = t.started(leaseOf('a'))
    t.ready.resolve()
    await turn()
    t.run.reject(new RunnerGone('out_of_memory', 'gone'))
    await active.done
    assert.deepEqual(t.outcomes, { a: 'failure out_of_memory' })
  })

  it('whose model cannot be loaded fails for good; one whose model crashed while loading is tried again', async () => {
    for (const [error, expected] of [
      [new LoadFailed('model_broken', 'broken'), 'failure model_broken'],
      [new RunnerGone('crashed', 'gone'), 'failure model_crashed'],
      [new RunnerGone('not_started', 'none'), 'failure model_not_started'],
      [new Error('odd'), 'failure model_failed'],
    ] as const) {
      const t = scripted()
      const { active } = t.started(leaseOf('a'))
      t.ready.reject(error)
      await active.done
      assert.deepEqual(t.outcomes, { a: expected })
    }
  })

  it('goes back untouched when the executor stops before it began', async () => {
    const t = scripted()
    const { held, active } = t.started(leaseOf('a'))
    for (const one of held) one.stop = 'shutting_down'
    t.ready.reject(new RunnerGone('killed', 'stopping'))
    await active.done
    assert.deepEqual(t.outcomes, { a: 'returned' })
  })

  it('whose lease is lost says nothing', async () => {
    const t = scripted()
    const { held, active } = t.started(leaseOf('a'))
    t.ready.resolve()
    await turn()
    for (const one of held) one.stop = 'lost'
    active.check()
    await active.done
    assert.deepEqual(t.outcomes, { a: 'nothing' })
  })
})
