/** What comes beside an input, what goes beside an output, and what a run used: between a run and its leases. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createClient } from '@connectrpc/connect'
import { codeOf, fail } from '@millhand/api'
import type { Lease, Result } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { type ItemResult, type Loadable, type RunItem, RunnerGone } from '@millhand/child-process'
import { type Clock, manualClock } from '@millhand/process'
import { createDirectTransport, serve } from '@millhand/rpc'
import { createLog } from '@millhand/telemetry'
import { inputFiles } from './input-files.ts'
import { type HeldLease, holdLease } from './lease.ts'
import { outputFiles } from './output-files.ts'
import { reserveCost } from './reserve-cost.ts'
import { type ActiveRun, runBatch } from './run-batch.ts'

const kind: Loadable = { status: 'ready', id: 'emma/answer', version: '1' }
const runner = { engine: { kind: 'rules', name: 'one', provider: 'cpu' }, loads: 'engine' } as const
const log = createLog({ level: 'error' })

const given = (name: string, bytes: number): Lease['files'][number] => ({
  $typeName: 'millhand.lease.v1.GivenFile',
  name,
  mediaType: 'text/plain',
  bytes,
})
const leaseWith = (...files: Lease['files']): Lease => ({
  $typeName: 'millhand.lease.v1.Lease',
  id: 'lease_a',
  tenant: 'acct_a/live',
  workId: 'wtask_a',
  attempt: 1,
  input: '{}',
  files,
})

interface Script {
  readonly contents?: readonly string[]
  /** Called for each file that is stored, before it is. */
  readonly onStore?: (name: string | undefined) => void
  /** Called with what the run says it may cost, before that is noted. */
  readonly onReserve?: (attempt: number | undefined, micros: number) => void
  /** `cancel`: cancels the lease; rejects as a run does that is killed. */
  readonly run: (item: RunItem, cancel: () => Promise<never>) => Promise<ItemResult>
}

/** A run of one lease; its result. */
async function result(
  { contents = [], onStore = () => {}, onReserve = () => {}, run }: Script,
  lease: Lease = leaseWith(),
) {
  const stored: string[] = []
  let batch: ActiveRun | undefined
  const transport = createDirectTransport()
  serve(
    router =>
      router.service(LeaseService, {
        async reserve({ run, modelCostMicros }) {
          onReserve(run?.attempt, modelCostMicros)
          return {}
        },
        async *readInput({ file }) {
          for (const sign of contents[file ?? -1] ?? '') yield { data: Buffer.from(sign) }
        },
        async storeOutput(requests) {
          let name: string | undefined
          let text = ''
          for await (const { part, artifact } of requests) {
            name ??= artifact && `${artifact.name} ${artifact.mediaType}`
            if (part.case === 'data') text += Buffer.from(part.value)
          }
          batch?.check() // As its executor does again and again.
          onStore(name)
          stored.push(`${name}: ${text.slice(0, 20)}`)
          return { fileId: `file_${stored.length}` }
        },
      }),
    transport,
  )
  const client = createClient(LeaseService, transport)
  const clock = manualClock()
  const passing: Clock = { ...clock, sleep: ms => clock.advance(ms) }
  const warm = {
    isRunning: false,
    run: async (begin: () => readonly RunItem[]) => ({
      items: await Promise.all(begin().map(item => run(item, cancel))),
      computeMs: 1,
    }),
    kill: async () => killed.reject(new RunnerGone('killed', 'it was killed')),
  }
  const killed = Promise.withResolvers<never>()
  const held = holdLease(lease, 0)
  const cancel = async () => {
    await Promise.resolve() // The run has begun by then.
    held.stop = 'cancelled'
    batch?.check()
    return await killed.promise
  }
  let told: Result | undefined
  const deps = {
    clock,
    runner,
    inputs: inputFiles(client, passing, log),
    sendOutput: outputFiles(client, passing, log),
    reserve: reserveCost(client, passing, log),
    emit: async () => {},
    settle: (_: HeldLease, resultOf: () => Result | undefined) => {
      told = resultOf()
    },
  }
  batch = runBatch(deps, kind, warm, [held])
  await batch.done
  return { told, stored }
}

const code = (result: Result | undefined) => result?.outcome.case === 'failure' && result.outcome.value.code
const well: ItemResult = { ok: true, output: Buffer.from('1') }
const file = (name: string, text: string) => ({ name, mediaType: 'text/plain', bytes: Buffer.from(text) })

describe('beside a run', () => {
  it('its files come whole, in their order', async () => {
    const seen: string[] = []
    const run = async ({ files = [] }: RunItem) => {
      for (const { name, mediaType, bytes } of files) seen.push(`${name} ${mediaType} ${Buffer.from(bytes)}`)
      return well
    }
    await result({ contents: ['one', 'two!'], run }, leaseWith(given('a.txt', 3), given('b.txt', 4)))
    assert.deepEqual(seen, ['a.txt text/plain one', 'b.txt text/plain two!'])
  })

  it('a file that is shorter than was said fails the task, and nothing runs', async () => {
    let ran = 0
    const run = async () => {
      ran++
      return well
    }
    const { told } = await result({ contents: ['on'], run }, leaseWith(given('a.txt', 3)))
    assert.deepEqual([code(told), ran], ['input_unreadable', 0])
  })

  it('what it made is stored first, and the output names it', async () => {
    const artifacts = [file('a.svg', 'of a'), file('b.svg', 'of b')]
    const run = async () =>
      ({ ok: true, artifacts, outputOf: (ids: readonly string[]) => JSON.stringify(ids) }) as const
    const { told, stored } = await result({ run })
    assert.deepEqual(stored, ['a.svg text/plain: of a', 'b.svg text/plain: of b'])
    assert.deepEqual(told?.outcome, { case: 'output', value: '["file_1","file_2"]' })
    assert.deepEqual(told?.artifactFiles, ['file_1', 'file_2'])
  })

  it('an output that is too large for a result becomes a file too', async () => {
    const outputOf = () => JSON.stringify('x'.repeat(300_000))
    const { told, stored } = await result({ run: async () => ({ ok: true, artifacts: [], outputOf }) })
    assert.deepEqual([told?.outcome.value, stored.length], ['file_1', 1])
    assert.match(stored[0] ?? '', /^undefined: "xxx/)
  })

  it('what a cancelled run has made best is stored, and its result is that output; nothing where it leaves none', async () => {
    const best = (text: string): ItemResult => ({
      ok: true,
      artifacts: [file('a.svg', text)],
      outputOf: ([id]) => JSON.stringify(id),
    })
    const { told, stored } = await result({
      run({ keepBest }, cancel) {
        keepBest?.(best('good'))
        keepBest?.(best('better'))
        return cancel()
      },
    })
    assert.deepEqual([told?.outcome, told?.artifactFiles], [{ case: 'output', value: '"file_1"' }, ['file_1']])
    assert.deepEqual(stored, ['a.svg text/plain: better'])
    const none = await result({ run: (_, cancel) => cancel() })
    assert.deepEqual([none.told?.outcome.case, none.stored], ['cancelled', []])
  })

  it('a cancel that comes while what a run has made is stored leaves that, where the run says it as its best', async () => {
    for (const [keeps, outcome] of [
      [true, 'output'],
      [false, 'cancelled'],
    ] as const) {
      let stop = (): Promise<unknown> => Promise.resolve()
      const made: ItemResult = { ok: true, artifacts: [file('a.svg', 'made')], outputOf: ([id]) => JSON.stringify(id) }
      const { told } = await result({
        async run({ keepBest }, cancel) {
          stop = cancel
          if (keeps) keepBest?.(made)
          return made
        },
        onStore: () => void stop(),
      })
      assert.equal(told?.outcome.case, outcome)
    }
  })

  it('what can not be stored fails the task, and nothing of the rest is', async () => {
    const artifacts = [file('a.svg', 'of a'), file('b.svg', 'of b')]
    const run = async () => ({ ok: true, artifacts, outputOf: () => '1' }) as const
    const onStore = () => {
      throw fail('storage_quota_exceeded', 'full')
    }
    const { told, stored } = await result({ run, onStore })
    assert.deepEqual([code(told), stored, told?.artifactFiles], ['storage_quota_exceeded', [], []])
  })

  it('what is stored while nobody is there is stored again', async () => {
    let tries = 0
    const onStore = () => {
      if (++tries < 3) throw fail('unavailable', 'away')
    }
    const run = async () => ({ ok: true, artifacts: [file('a.svg', 'of a')], outputOf: () => '1' }) as const
    const { told } = await result({ run, onStore })
    assert.deepEqual([tries, told?.outcome.case], [3, 'output'])
  })

  it('what it may cost is noted before it goes on, and again while nobody is there', async () => {
    const noted: unknown[] = []
    const onReserve = (attempt: number | undefined, micros: number) => {
      if (noted.push([attempt, micros]) === 1) throw fail('unavailable', 'away')
    }
    const run = async ({ reserveCost }: RunItem) => {
      await reserveCost?.(700)
      assert.deepEqual(noted, [
        [1, 700],
        [1, 700],
      ])
      return well
    }
    assert.equal((await result({ run, onReserve })).told?.outcome.case, 'output')
  })

  it('what may not be spent any more is not noted, and the run hears of it', async () => {
    const onReserve = () => {
      throw fail('conflict', 'stale')
    }
    let refused: unknown
    const run = async ({ reserveCost }: RunItem) => {
      await reserveCost?.(700).catch((error: unknown) => {
        refused = codeOf(error)
      })
      return well
    }
    await result({ run, onReserve })
    assert.equal(refused, 'conflict')
  })

  for (const [how, end] of [
    ['well', async () => well],
    ['by a crash', () => Promise.reject(new RunnerGone('crashed', 'it crashed'))],
  ] as const)
    it(`what it used is counted when it ends ${how}`, async () => {
      const run = async ({ onUsage }: RunItem) => {
        onUsage?.({ inputTokens: 1, outputTokens: 1, costMicros: 1 })
        onUsage?.({ inputTokens: 30, outputTokens: 4, costMicros: 200 })
        return await end()
      }
      const { told } = await result({ run })
      assert.deepEqual([told?.inputTokens, told?.outputTokens, told?.modelCostMicros], [30, 4, 200])
    })
})
