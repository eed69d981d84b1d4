import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fail } from '@millhand/api'
import type { Lease, Result } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { type Emission, type ItemResult, RunnerGone } from '@millhand/child-process'
import type { ModelPackage } from '@millhand/model'
import { manualClock } from '@millhand/process'
import { holdLease, type Stop } from '../lease.ts'
import type { OwnWarm } from '../warm-processes.ts'
import type { Part } from './line-results.ts'
import { runLines } from './lines-run.ts'

const model = { status: 'ready', id: 'm', version: 'sha256:1', manifest: { inputFormat: 'json' } } as ModelPackage
const runner = { engine: { kind: 'onnx', name: 'onnxruntime 1', provider: 'cpu' }, loads: 'model' } as const

interface Given {
  readonly lines: readonly string[]
  readonly answerTo?: (input: string) => ItemResult | RunnerGone
  readonly keep?: () => Promise<void>
  readonly more?: Partial<Lease>
  /** Why it is stopped while its model loads, which never ends by itself. */
  readonly stop?: Stop
}

/** The result of a task over these lines, and what was kept. */
async function ended({ lines, answerTo = echo, keep = async () => {}, more, stop }: Given) {
  const kept: string[] = []
  const emitted: Emission[] = []
  const results: (Result | undefined)[] = []
  const clock = manualClock()
  const warm: OwnWarm = {
    isRunning: false,
    kill: async () => {},
    release: () => {},
    async run(begin, _, unwanted) {
      const killed = Promise.withResolvers<never>()
      killed.promise.catch(() => {}) // Most runs do not wait for it.
      unwanted?.addEventListener('abort', () => killed.reject(new RunnerGone('killed', 'unwanted')))
      if (stop) await killed.promise
      const items = begin().map(({ input }) => answerTo(input as string))
      const gone = items.find(item => item instanceof RunnerGone)
      if (gone) throw gone
      return { items: items as ItemResult[], computeMs: 1 }
    },
  }
  const none = () => Promise.reject(new Error('this test has none'))
  const missing = async () => ({ path: '/nowhere/at-all', bytes: 1 })
  const deps = {
    clock,
    runner,
    inputs: { read: missing, given: none, close() {} },
    emit: async (_: unknown, emission: Emission) => void emitted.push(emission),
    settle: (_: unknown, resultOf: () => Result | undefined) => void results.push(resultOf()),
    lines: {
      async keep(_: Lease, { pieces }: Part) {
        await keep()
        kept.push(...Buffer.concat(pieces).toString().trim().split('\n'))
      },
      join: async () => 'file_1',
    },
  }
  const held = holdLease({ ...lease, input: lines.join('\n'), ...more }, 0)
  const run = runLines(deps, model, warm, held)
  if (stop) {
    held.stop = stop
    run.check()
  }
  await run.done
  assert.equal(results.length, 1)
  const [result] = results
  const { case: kind, value } = result?.outcome ?? {}
  const outcome = kind === 'failure' ? (value as { code: string; retryable: boolean }) : undefined
  return { kind, value, code: outcome?.code, retryable: outcome?.retryable, result, kept, emitted }
}

const echo = (input: string): ItemResult => ({ ok: true, output: Buffer.from(input) })

const lease: Lease = {
  $typeName: 'millhand.lease.v1.Lease',
  id: 'lease_a',
  tenant: 'acct_a/live',
  workId: 'task_a',
  attempt: 1,
  input: '',
  files: [],
  runTimeout: { $typeName: 'google.protobuf.Duration', seconds: 600n, nanos: 0 },
  ttl: { $typeName: 'google.protobuf.Duration', seconds: 10n, nanos: 0 },
}

/** A line that ends its process. */
const BAD = '["!"]'
const crashes = (code: RunnerGone['reason']) => (input: string) =>
  input === BAD ? new RunnerGone(code, code) : echo(input)

describe('the run of a task over lines', () => {
  it('has its output in a file, a line for each', async () => {
    const { kind, value, result, kept } = await ended({ lines: ['1', '[2]', '3'] })
    assert.deepEqual([kind, value, result?.items], ['outputFile', 'file_1', 3])
    assert.deepEqual(kept, ['{"index":0,"output":1}', '{"index":1,"output":[2]}', '{"index":2,"output":3}'])
  })

  for (const [lines, message] of [
    [['1'], '1 line done'],
    [['1', '2', '"no"'], '3 lines done'],
  ] as const)
    it(`tells its progress at its end (${message})`, async () => {
      const answerTo = (input: string): ItemResult =>
        input === '"no"' ? { ok: false, code: 'model_input_invalid', message: 'no', retryable: false } : echo(input)
      const { emitted } = await ended({ lines, answerTo })
      const last = emitted.at(-1)
      assert.ok(last?.kind === 'progress')
      assert.deepEqual([last.fraction, last.message], [1, message])
      const { lines: count, failed, seconds_left } = last.metrics ?? {}
      assert.deepEqual([count, failed, seconds_left], [lines.length, lines.length === 3 ? 1 : 0, 0])
    })

  for (const [stop, outcome] of [
    ['cancelled', 'cancelled'],
    ['shutting_down', 'returned'],
    ['model_away', 'returned'],
  ] as const)
    it(`ends at once where it is stopped while its model loads (${stop})`, async () => {
      assert.equal((await ended({ lines: ['1'], stop })).kind, outcome)
    })

  it('of no line has run nothing', async () => {
    const { code, retryable, result } = await ended({ lines: [' ', ''] })
    assert.deepEqual([code, retryable, result?.items], ['model_input_invalid', false, 0])
  })

  for (const reason of ['crashed', 'out_of_memory'] as const)
    it(`goes on after twenty lines that end the process (${reason}), and fails for good at the next`, async () => {
      const answerTo = crashes(reason === 'crashed' ? 'crashed' : 'out_of_memory')
      const code = reason === 'crashed' ? 'model_crashed' : 'out_of_memory'
      const bad = Array.from({ length: 20 }, () => BAD)
      const fine = await ended({ lines: [...bad, '7'], answerTo })
      assert.deepEqual([fine.kind, fine.kept.length], ['outputFile', 21])
      const failed = await ended({ lines: ['7', ...bad, BAD, '8'], answerTo })
      assert.deepEqual([failed.code, failed.retryable], [code, false])
      assert.deepEqual([failed.result?.partialOutputFile, failed.kept.length], ['file_1', failed.result?.items])
    })

  it('is tried again where its results can’t be kept for a fault of the service', async () => {
    for (const error of [new Error('odd'), fail('internal', 'odd'), fail('unavailable', 'away')]) {
      const { code, retryable } = await ended({ lines: ['1'], keep: () => Promise.reject(error) })
      assert.deepEqual([code, retryable], ['output_not_stored', true])
    }
  })

  it('fails for good where there is no room for its results', async () => {
    for (const [fault, code] of [
      ['payload_too_large', 'output_too_large'],
      ['storage_quota_exceeded', 'storage_quota_exceeded'],
    ] as const) {
      const failed = await ended({ lines: ['1'], keep: () => Promise.reject(fail(fault, 'full')) })
      assert.deepEqual([failed.code, failed.retryable], [code, false])
    }
  })

  it('is tried again where its input can’t be read from the disk', async () => {
    const { code, retryable } = await ended({ lines: [], more: { inputFileBytes: 1 } })
    assert.deepEqual([code, retryable], ['input_unreadable', true])
  })
})
