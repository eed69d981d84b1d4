/** What becomes of the files that a run takes and gives. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { Code, ConnectError, createClient, type HandlerContext } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import type { Lease, Result } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { InputFile, ItemResult, OutputFile, RunItem } from '@millhand/child-process'
import type { ModelPackage } from '@millhand/model'
import { type Clock, manualClock } from '@millhand/process'
import { createDirectTransport, serve } from '@millhand/rpc'
import { createLog } from '@millhand/telemetry'
import { inputFiles, MOST_BYTES_A_RUN } from './input-files.ts'
import { type HeldLease, holdLease } from './lease.ts'
import { outputFiles } from './output-files.ts'
import { reserveCost } from './reserve-cost.ts'
import { runBatch } from './run-batch.ts'
import type { Warm } from './warm-process.ts'

const model = { status: 'ready', id: 'm', version: 'sha256:1' } as ModelPackage
const runner = { engine: { kind: 'onnx', name: 'onnxruntime 1', provider: 'cpu' }, loads: 'model' } as const
const log = createLog({ level: 'error' })
const content = Buffer.from('the input')

const lease = (name: string, inputFileBytes?: number): Lease => ({
  $typeName: 'millhand.lease.v1.Lease',
  id: `lease_${name}`,
  tenant: 'acct_a/live',
  workId: `task_${name}`,
  attempt: 1,
  input: '',
  files: [],
  runTimeout: { $typeName: 'google.protobuf.Duration', seconds: 600n, nanos: 0 },
  ttl: { $typeName: 'google.protobuf.Duration', seconds: 10n, nanos: 0 },
  ...(inputFileBytes !== undefined && { inputFileBytes }),
})

const nameOf = (workId = '') => workId.slice('task_'.length)

interface Script {
  /** What compute says to whoever reads the input of a task. */
  readonly readInput?: (name: string, call: HandlerContext) => AsyncIterable<{ data: Uint8Array }>
  readonly storeOutput?: (call: HandlerContext) => Promise<{ fileId: string }>
  /** What the run of an item gives. */
  readonly run?: (item: RunItem) => Promise<ItemResult>
}

async function* whole() {
  yield { data: content.subarray(0, 4) }
  yield { data: content.subarray(4) }
}

const done = async (): Promise<ItemResult> => ({ ok: true, output: Buffer.from('"done"') })

/** A run of these leases by a model that does what the script says. */
function start(script: Script, ...leases: Lease[]) {
  const { readInput = whole, storeOutput = async () => ({ fileId: 'file_a' }), run = done } = script
  const clock = manualClock()
  const stored: string[] = []
  let kills = 0
  const transport = createDirectTransport()
  serve(
    router =>
      router.service(LeaseService, {
        readInput: ({ run }, call) => readInput(nameOf(run?.workId), call),
        async storeOutput(requests, call) {
          let text = ''
          for await (const { part } of requests) {
            text += part.case === 'data' ? Buffer.from(part.value) : `${part.value?.workId} ${part.value?.attempt}: `
          }
          stored.push(text)
          return await storeOutput(call)
        },
      }),
    transport,
  )
  const client = createClient(LeaseService, transport)
  const ran: RunItem[] = []
  const warm: Warm & { isRunning: boolean } = {
    isRunning: false,
    async run(begin) {
      const items = begin()
      ran.push(...items)
      return { items: await Promise.all(items.map(run)), computeMs: 1 }
    },
    kill: async () => void kills++,
  }
  const outcomes: Record<string, unknown> = {}
  const settle = (held: HeldLease, resultOf: () => Result | undefined) => {
    const { outcome } = resultOf() ?? {}
    const said = outcome?.case === 'failure' ? [outcome.value.code, outcome.value.retryable] : outcome?.value
    outcomes[nameOf(held.lease.workId)] = outcome && { [String(outcome.case)]: said }
  }
  const held = leases.map(one => holdLease(one, clock.monotonic()))
  // Time passes while somebody waits to try again.
  const passing: Clock = { ...clock, sleep: ms => clock.advance(ms) }
  const inputs = inputFiles(client, passing, log)
  const sendOutput = outputFiles(client, passing, log)
  const reserve = reserveCost(client, passing, log)
  const emit = async () => {}
  const active = runBatch({ clock, runner, inputs, sendOutput, reserve, emit, settle }, model, warm, held)
  return { active, held, outcomes, ran, stored, clock, warm, kills: () => kills }
}

describe('the files of a run', () => {
  const { TMPDIR } = process.env
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-run-files-'))
    process.env.TMPDIR = folder
  })
  afterEach(async () => {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
    await rm(folder, { recursive: true })
  })

  async function output(text: string): Promise<OutputFile> {
    const handle = await open(join(folder, 'output'), 'w+')
    await handle.write(text)
    return { handle, bytes: Buffer.byteLength(text) }
  }

  it('are there while it runs, each with its own bytes, and gone after it', async () => {
    const seen: string[] = []
    const run = async ({ input }: RunItem): Promise<ItemResult> => {
      seen.push(typeof input === 'string' ? input : await readFile(input.path, 'utf8'))
      return done()
    }
    const { active, outcomes, ran } = start({ run }, lease('a', 9), lease('b'), lease('c', 9))
    await active.done
    assert.deepEqual(seen.sort(), ['', 'the input', 'the input'])
    assert.deepEqual(outcomes, { a: { output: '"done"' }, b: { output: '"done"' }, c: { output: '"done"' } })
    const paths = ran.flatMap(({ input }) => (typeof input === 'string' ? [] : [(input as InputFile).path]))
    assert.equal(new Set(paths).size, 2)
    assert.deepEqual(await readdir(folder), [])
  })

  it('are gone too when the run fails', async () => {
    const run = async () => {
      assert.equal((await readdir(folder)).length, 1)
      throw new Error('it broke')
    }
    const { active, outcomes } = start({ run }, lease('a', 9))
    await active.done
    assert.deepEqual([outcomes, await readdir(folder)], [{ a: { failure: ['model_failed', true] } }, []])
  })

  it('fail their own task where they can not be read, and no other', async () => {
    const readInput = async function* (name: string) {
      yield { data: content.subarray(0, 4) }
      if (name === 'gone') throw fail('not_found', 'gone')
      if (name === 'broken') throw new Error('EIO')
      if (name === 'lost') throw fail('conflict', 'lost')
      if (name === 'short') return
      if (name === 'long') yield { data: content }
      yield { data: content.subarray(4) }
    }
    const names = ['gone', 'broken', 'lost', 'short', 'long', 'well']
    const { active, outcomes, ran } = start({ readInput }, ...names.map(name => lease(name, 9)))
    await active.done
    assert.deepEqual(outcomes, {
      gone: { failure: ['input_missing', false] },
      broken: { failure: ['input_unreadable', true] },
      lost: undefined,
      short: { failure: ['input_unreadable', true] },
      long: { failure: ['input_unreadable', true] },
      well: { output: '"done"' },
    })
    assert.deepEqual([ran.length, await readdir(folder)], [1, []])
  })

  it('are read no further when their lease is stopped', async () => {
    const begun = Promise.withResolvers<void>()
    const readInput = async function* (_: string, { signal }: HandlerContext) {
      yield { data: content.subarray(0, 4) }
      begun.resolve()
      await once(signal, 'abort')
    }
    const { active, held, outcomes, ran, kills } = start({ readInput }, lease('a', 9))
    await begun.promise
    if (held[0]) held[0].stop = 'cancelled'
    active.check()
    assert.deepEqual(outcomes, { a: { cancelled: true } })
    await active.done
    assert.deepEqual([ran.length, kills(), await readdir(folder)], [0, 0, []])
  })

  it('are read again, whole, when the replica that gives them goes', async () => {
    let reads = 0
    const readInput = async function* () {
      yield { data: content.subarray(0, 4) }
      if (++reads < 4) throw fail('unavailable', 'it stops')
      yield { data: content.subarray(4) }
    }
    const run = async ({ input }: RunItem): Promise<ItemResult> => {
      assert.deepEqual(await readFile((input as InputFile).path), content)
      assert.equal((await readdir(join((input as InputFile).path, '..'))).length, 1)
      return done()
    }
    const { active, outcomes } = start({ readInput, run }, lease('a', 9))
    await active.done
    assert.deepEqual([reads, outcomes], [4, { a: { output: '"done"' } }])
  })

  it('go back, without an attempt, when nobody gives them for 15 s', async () => {
    const readInput = async function* () {
      yield { data: content.subarray(0, 4) }
      throw fail('unavailable', 'nobody is there')
    }
    const { active, clock, outcomes, ran } = start({ readInput }, lease('a', 9), lease('b'))
    const begunAt = clock.monotonic()
    await active.done
    assert.deepEqual(outcomes, { a: { returned: true }, b: { output: '"done"' } })
    assert.deepEqual([ran.length, await readdir(folder)], [1, []])
    assert.equal(clock.monotonic() - begunAt, 15_000)
  })

  it('take their time: a run that is read for waits behind another no longer for that', async () => {
    const gate = Promise.withResolvers<void>()
    const readInput = async function* () {
      await gate.promise
      yield* whole()
    }
    const { active, clock, warm, outcomes } = start({ readInput }, lease('a', 9))
    warm.isRunning = true
    await clock.advance(60_000)
    active.check()
    assert.deepEqual(outcomes, {})
    gate.resolve()
    await active.done
    assert.deepEqual(outcomes, { a: { output: '"done"' } })
  })

  it('are given and taken in limited time', async () => {
    const limits: number[] = []
    const told = (call: HandlerContext) => limits.push(Math.round((call.timeoutMs() ?? Number.NaN) / 10_000))
    const readInput = (_: string, call: HandlerContext) => {
      told(call)
      return whole()
    }
    const storeOutput = async (call: HandlerContext) => {
      told(call)
      return { fileId: 'file_a' }
    }
    const file = await output(`"${'x'.repeat(20 * 2 ** 20)}"`)
    const { active } = start({ readInput, storeOutput, run: async () => ({ ok: true, file }) }, lease('a', 9))
    await active.done
    assert.deepEqual(limits, [3, 5])
  })

  it('that a replica neither takes nor refuses go to another', async () => {
    const file = await output('"x"')
    let asked = 0
    const storeOutput = async () => {
      if (asked++ === 0) throw new ConnectError('the operation timed out', Code.DeadlineExceeded)
      return { fileId: 'file_a' }
    }
    const { active, outcomes } = start({ storeOutput, run: async () => ({ ok: true, file }) }, lease('a'))
    await active.done
    assert.deepEqual(outcomes, { a: { outputFile: 'file_a' } })
  })

  it('go back where they would be more together than the disk is to hold', async () => {
    const readInput = async function* (name: string) {
      assert.equal(name, 'a')
      yield* whole()
    }
    const { active, outcomes } = start({ readInput }, lease('a', 9), lease('b', MOST_BYTES_A_RUN))
    await active.done
    assert.deepEqual(outcomes, { a: { output: '"done"' }, b: { returned: true } })
  })

  it('are sent where they are outputs, in the name of the run, and closed', async () => {
    const file = await output(`"${'x'.repeat(200_000)}"`)
    const { active, outcomes, stored } = start({ run: async () => ({ ok: true, file }) }, lease('a'))
    await active.done
    assert.deepEqual(outcomes, { a: { outputFile: 'file_a' } })
    assert.deepEqual(stored, [`task_a 1: "${'x'.repeat(200_000)}"`])
    await assert.rejects(file.handle.stat(), { code: 'EBADF' })
  })

  for (const [code, outcome] of [
    ['storage_quota_exceeded', { failure: ['storage_quota_exceeded', false] }],
    ['internal', { failure: ['output_not_stored', true] }],
    ['conflict', undefined],
  ] as const) {
    it(`that can not be stored for ${code} fail their task`, async () => {
      const file = await output('"x"')
      const storeOutput = async () => {
        throw fail(code, 'no')
      }
      const { active, outcomes } = start({ storeOutput, run: async () => ({ ok: true, file }) }, lease('a'))
      await active.done
      assert.deepEqual(outcomes, { a: outcome })
      await assert.rejects(file.handle.stat(), { code: 'EBADF' })
    })
  }

  it('are sent again when nobody can take them, and no further when their lease is stopped', async () => {
    const file = await output('"x"')
    const storeOutput = async () => {
      if (stored.length === 3 && held[0]) held[0].stop = 'cancelled'
      active.check()
      throw fail('unavailable', 'no')
    }
    const { active, held, outcomes, stored, kills } = start(
      { storeOutput, run: async () => ({ ok: true, file }) },
      lease('a'),
    )
    await active.done
    assert.deepEqual([stored.length, outcomes, kills()], [3, { a: { cancelled: true } }, 0])
  })

  it('need no folder where there are none', async () => {
    const { active } = start({}, lease('a'))
    await active.done
    assert.deepEqual(await readdir(folder), [])
  })
})
