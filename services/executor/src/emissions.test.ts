import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { create, toBinary } from '@bufbuild/protobuf'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import {
  type Emission as EmissionMessage,
  Emitted_Verdict,
  type RunEmissions,
} from '@millhand/api/gen/millhand/lease/v1/emission_pb.ts'
import {
  EmitRequestSchema,
  EmitResponseSchema,
  LeaseService,
} from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { Emission } from '@millhand/child-process'
import { manualClock } from '@millhand/process'
import { createDirectTransport, serve } from '@millhand/rpc'
import { createLog } from '@millhand/telemetry'
import { Emissions } from './emissions.ts'
import { type HeldLease, holdLease } from './lease.ts'

const { STORED, REFUSED, FULL } = Emitted_Verdict

/** A service that answers each call as the test says, in the order of the calls; STORED where it says nothing. */
function start(breaks?: (runs: readonly RunEmissions[]) => Error | undefined) {
  const lines: Record<string, unknown>[] = []
  const clock = manualClock()
  const calls: RunEmissions[][] = []
  const callBytes: number[] = []
  const answers: (Emitted_Verdict | Error | Promise<void>)[] = []
  const transport = createDirectTransport()
  serve(
    router =>
      router.service(LeaseService, {
        async emit(request) {
          const answer = answers[calls.length] ?? STORED
          calls.push(request.runs)
          callBytes.push(toBinary(EmitRequestSchema, request).length)
          const broken = breaks?.(request.runs)
          if (broken) throw broken
          if (answer instanceof Error) throw answer
          if (answer instanceof Promise) await answer
          const verdict = answer instanceof Promise ? STORED : answer
          return create(EmitResponseSchema, { runs: request.runs.map(() => ({ verdict })) })
        },
      }),
    transport,
  )
  const log = createLog({ level: 'warn', write: line => void lines.push(JSON.parse(line)) })
  const emissions = new Emissions({ leases: createClient(LeaseService, transport), executorId: 'exec_a', clock, log })
  return {
    clock,
    calls,
    callBytes,
    answers,
    emissions,
    lines,
    /** What each call had of the run: the place of the first, and the texts. */
    told: (workId = 'task_a') =>
      calls.map(runs => {
        const run = runs.find(run => run.workId === workId)
        return run && [run.from, ...run.emissions.map(({ content }) => shown(content))]
      }),
  }
}

const shown = (content: EmissionMessage['content']) =>
  content.case === 'progress' ? content.value.fraction : content.value

const held = (id = 'a'): HeldLease =>
  holdLease(
    {
      $typeName: 'millhand.lease.v1.Lease',
      id: `lease_${id}`,
      tenant: 'acct_a/live',
      workId: `task_${id}`,
      attempt: 2,
      input: '',
      files: [],
    },
    0,
  )
const log = (text: string): Emission => ({ kind: 'log', text })
const output = (characters: number): Emission => ({ kind: 'output', json: JSON.stringify('x'.repeat(characters - 2)) })
const progress = (fraction: number): Emission => ({ kind: 'progress', fraction })
const unavailable = () => new ConnectError('it is away', Code.Unavailable)
/** What waits for a turn of the event loop, and what follows from it, has been done. */
const turn = async () => {
  for (let i = 0; i < 3; i++) await new Promise<void>(resolve => setImmediate(resolve))
}
const isSettled = (promise: Promise<void>) => {
  const pending = Symbol()
  return Promise.race([promise.then(() => true), turn().then(() => pending)]).then(first => first !== pending)
}

describe('what runs emit', () => {
  it('goes in order, one batch of a run at a time: what comes meanwhile is the next', async () => {
    const t = start()
    const first = Promise.withResolvers<void>()
    t.answers.push(first.promise)
    const one = held()
    for (const text of ['a', 'b']) await t.emissions.emit(one, log(text))
    await turn()
    for (const text of ['c', 'd', 'e']) await t.emissions.emit(one, log(text))
    await turn()
    assert.deepEqual(t.told(), [[0, 'a', 'b']])
    first.resolve()
    await t.emissions.answered(one)
    assert.deepEqual(t.told(), [
      [0, 'a', 'b'],
      [2, 'c', 'd', 'e'],
    ])
    for (const { leaseId, tenant, attempt } of t.calls.flat()) {
      assert.deepEqual([leaseId, tenant, attempt], ['lease_a', 'acct_a/live', 2])
    }
  })

  it('shares a call with what other runs emit in the same turn', async () => {
    const t = start()
    const runs = [held('a'), held('b'), held('c')]
    for (const one of runs) await t.emissions.emit(one, log('x'))
    await Promise.all(runs.map(one => t.emissions.answered(one)))
    assert.deepEqual(
      t.calls.map(runs => runs.map(({ workId }) => workId)),
      [['task_a', 'task_b', 'task_c']],
    )
  })

  it('goes in calls and batches that a server takes', async () => {
    const t = start()
    const runs = Array.from({ length: 1_100 }, (_, i) => held(`${i}`))
    for (const one of runs.slice(0, 100)) void t.emissions.emit(one, output(64 * 1024))
    for (const one of runs) for (let i = 0; i < 2; i++) void t.emissions.emit(one, log(''))
    for (let i = 0; i < 3_000; i++) void t.emissions.emit(runs[200] as HeldLease, log(''))
    await Promise.all(runs.map(one => t.emissions.answered(one)))
    assert.ok(runs.every(({ stop }) => stop === undefined))
    assert.ok(t.callBytes.every(bytes => bytes < 4 * 2 ** 20))
    assert.ok(t.calls.length < 20, `${t.calls.length} calls`)
    const sent = t.calls.flat()
    assert.equal(
      sent.reduce((sum, { emissions }) => sum + emissions.length, 0),
      100 + 2_200 + 3_000,
    )
    assert.deepEqual(
      sent.filter(({ workId }) => workId === 'task_0').map(({ emissions }) => emissions.length),
      [1, 2],
    )
  })

  it('is sent again after a pause, the very same, for as long as nobody answers', async () => {
    const t = start()
    t.answers.push(unavailable(), unavailable())
    const one = held()
    await t.emissions.emit(one, log('a'))
    await turn()
    await t.emissions.emit(one, log('b'))
    await turn()
    assert.equal(t.calls.length, 1)
    await t.clock.advance(1_000)
    await t.emissions.answered(one)
    assert.deepEqual(t.told(), [
      [0, 'a'],
      [0, 'a'],
      [0, 'a'],
      [1, 'b'],
    ])
    assert.deepEqual(t.calls[2], t.calls[0])
    assert.equal(one.stop, undefined)
  })

  for (const [says, verdict, stop] of [
    ['refused', REFUSED, 'cancelled'],
    ['full', FULL, 'output_too_large'],
  ] as const) {
    it(`ends the run as ${stop} where it is ${says}`, async () => {
      const t = start()
      t.answers.push(verdict, verdict)
      const one = held('a')
      const late = held('b')
      late.stop = 'run_timeout'
      for (const each of [one, late]) await t.emissions.emit(each, log('x'))
      await turn()
      assert.deepEqual([one.stop, late.stop], [stop, 'run_timeout'])
      await t.emissions.emit(one, log('dropped'))
      await Promise.all([one, late].map(each => t.emissions.answered(each)))
      assert.equal(t.calls.length, 1)
    })
  }

  it('fails alone where it breaks the contract', async () => {
    const t = start()
    const runs = [held('a'), held('b'), held('c')]
    const [, guilty] = runs
    for (const one of runs) void t.emissions.emit(one, one === guilty ? output(64 * 1024 + 1) : log('x'))
    await Promise.all(runs.map(one => t.emissions.answered(one)))
    assert.deepEqual(
      runs.map(({ stop }) => stop),
      [undefined, 'emission_invalid', undefined],
    )
    assert.deepEqual(
      t.calls.flat().map(({ workId }) => workId),
      ['task_a', 'task_c'],
    )
  })

  it('is not lost for what another run emits that nobody can store', async () => {
    const isB = ({ workId }: RunEmissions) => workId === 'task_b'
    const t = start(runs => (runs.some(isB) ? new ConnectError('the shard of b is away', Code.Internal) : undefined))
    const runs = [held('a'), held('b'), held('c')]
    for (const one of runs) await t.emissions.emit(one, log('x'))
    const answered = Promise.all(runs.map(one => t.emissions.answered(one)))
    await t.clock.advance(17_000)
    await answered
    assert.deepEqual(
      runs.map(({ stop }) => stop),
      [undefined, 'lost', undefined],
    )
    assert.deepEqual(
      t.calls.filter(runs => !runs.some(isB)).map(runs => runs.map(({ workId }) => workId)),
      [['task_a'], ['task_c']],
    )
    assert.equal(t.calls.filter(runs => runs.length > 1).length, 1)
    assert.deepEqual(
      t.lines.map(({ event, runs }) => [event, runs]),
      [
        ['emissions.not_delivered', 3],
        ['emissions.not_delivered', 1],
      ],
    )
    assert.equal(t.lines[0]?.failures, 1)
    assert.ok(Number(t.lines[1]?.failures) > 50)
  })

  it('is dropped where it comes after the end of its run', async () => {
    const t = start()
    const [early, late] = [held('a'), held('b')]
    await t.emissions.emit(early, log('in time'))
    for (const one of [early, late]) await t.emissions.answered(one)
    for (const one of [early, late]) for (let n = 0; n < 20; n++) await t.emissions.emit(one, output(64 * 1024))
    await turn()
    assert.deepEqual([t.told('task_a'), t.calls.length], [[[0, 'in time']], 1])
  })

  it('is answered once the last of it is', async () => {
    const t = start()
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    t.answers.push(first.promise, second.promise)
    const one = held()
    await t.emissions.emit(one, log('a'))
    await turn()
    await t.emissions.emit(one, log('b'))
    const answered = t.emissions.answered(one)
    first.resolve()
    assert.equal(await isSettled(answered), false)
    second.resolve()
    await answered
    assert.equal(await isSettled(t.emissions.answered(held('which emitted nothing'))), true)
  })

  it('waits where the service is slow: no more is held than a batch on its way, one to come and a piece', async () => {
    const t = start()
    const slow = Promise.withResolvers<void>()
    t.answers.push(slow.promise)
    const one = held()
    let taken = 0
    const emitter = (async () => {
      for (; taken < 100; taken++) await t.emissions.emit(one, output(10_000))
    })()
    await turn()
    assert.ok(taken < 20, `${taken}`)
    slow.resolve()
    await emitter
    await t.emissions.answered(one)
    assert.equal(taken, 100)
    for (const [run] of t.calls) assert.ok(run && run.emissions.length <= 6)
  })

  it('stays in place for who waits for room when the run is stopped', async () => {
    const t = start()
    t.answers.push(new Promise(() => {}))
    const one = held()
    void t.emissions.emit(one, output(64 * 1024))
    await turn()
    const waiting = t.emissions.emit(one, output(64 * 1024))
    assert.equal(await isSettled(waiting), false)
    one.stop = 'lost'
    await t.emissions.answered(one)
    await waiting
  })

  it('of progress is the latest, four times a second, and the last', async () => {
    const t = start()
    const one = held()
    for (let ms = 0; ms <= 990; ms += 10) {
      await t.emissions.emit(one, progress(ms / 1000))
      await t.clock.advance(10)
    }
    await t.emissions.emit(one, progress(1))
    await t.emissions.answered(one)
    assert.deepEqual(
      t.told().flatMap((run = []) => run.slice(1)),
      [0, 0.24, 0.49, 0.74, 0.99, 1],
    )
  })

  it('of progress is told in time where nothing follows', async () => {
    const t = start()
    const one = held()
    for (const fraction of [0.1, 0.2, 0.3]) await t.emissions.emit(one, progress(fraction))
    await t.clock.advance(249)
    assert.deepEqual(t.told(), [[0, 0.1]])
    await t.clock.advance(1)
    await turn()
    assert.deepEqual(t.told(), [
      [0, 0.1],
      [1, 0.3],
    ])
  })

  it('of progress takes no room while nobody answers', async () => {
    const t = start()
    t.answers.push(new Promise(() => {}))
    const one = held()
    await t.emissions.emit(one, log('on its way'))
    await turn()
    void t.emissions.emit(one, output(64 * 1024))
    for (let i = 0; i < 100; i++) {
      assert.equal(await isSettled(t.emissions.emit(one, progress(i / 100))), true)
      await t.clock.advance(100)
    }
    one.stop = 'lost'
    await t.emissions.answered(one)
  })

  it('is sent no more once the lease is lost, and a lease is lost whose emissions nobody takes for 15 s', async () => {
    const t = start()
    t.answers.push(...Array.from({ length: 200 }, unavailable))
    const lost = held()
    await t.emissions.emit(lost, log('a'))
    await turn()
    lost.stop = 'lost'
    await t.emissions.answered(lost)
    await t.clock.advance(1_000)
    assert.equal(t.calls.length, 1)
    const kept = held('b')
    await t.emissions.emit(kept, log('b'))
    const answered = t.emissions.answered(kept)
    await t.clock.advance(15_000)
    assert.equal(kept.stop, undefined)
    await t.clock.advance(1_000)
    await answered
    assert.equal(kept.stop, 'lost')
  })
})
