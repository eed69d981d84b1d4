import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ItemResult, type Loadable, type RunItem, type Runner, RunnerGone } from '@millhand/child-process'
import { createLog } from '@millhand/telemetry'
import { WarmProcesses } from '../warm-processes.ts'
import { LineReader } from './line-reader.ts'
import { type PortionsDeps, runPortions } from './portions.ts'

/** A process that answers each input with itself, and how many of them it has begun with. */
function given(answerTo: (input: string) => ItemResult = input => ({ ok: true, output: Buffer.from(input) })) {
  const state = { begun: 0, kills: 0 }
  const deps: PortionsDeps = {
    warm: {
      isRunning: false,
      kill: async () => {},
      async run(begin) {
        const items = begin().map(({ input }: RunItem) => answerTo(input as string))
        state.begun += items.length
        return { items, computeMs: 1 }
      },
    },
    kill: async () => void state.kills++,
    inputFormat: 'json',
    parameters: undefined,
    unwanted: new AbortController().signal,
    onBegin: () => {},
    onCompute: () => {},
    isStopped: () => state.kills > 0,
    onCrash: () => {},
  }
  return { deps, state }
}

const LINES = 100
const input = Array.from({ length: LINES }, (_, at) => `${at}\n`).join('')

describe('lines in portions', () => {
  it('have a result each, in order, and end with the whole input', async () => {
    const { deps, state } = given()
    await using reader = new LineReader(input)
    const all = await Array.fromAsync(runPortions(deps, reader))
    const outputs = all.flatMap(({ results }) => results.map(({ json }) => JSON.parse(json.toString())))
    assert.deepEqual(outputs, [...Array(LINES).keys()])
    const fractions = all.map(({ fraction }) => fraction)
    assert.deepEqual(
      fractions,
      fractions.toSorted((a, b) => a - b),
    )
    assert.deepEqual([fractions[0], fractions.at(-1)], [1 / LINES, 1])
    assert.equal(state.kills, 0)
  })

  it('run while the results of those before are taken, one portion ahead', async () => {
    const { deps, state } = given()
    await using reader = new LineReader(input)
    let taken = 0
    for await (const { results } of runPortions(deps, reader)) {
      taken += results.length
      assert.ok(state.begun > taken || taken === LINES, `${state.begun} begun, ${taken} taken`)
      assert.ok(state.begun - taken <= 8 * results.length)
    }
  })

  it('wait while outputs in files are not taken', async () => {
    const handle = { readFile: async () => Buffer.from('0'), close: async () => {} } as never
    const { deps, state } = given(() => ({ ok: true, file: { handle, bytes: 1 } }))
    await using reader = new LineReader(input)
    let taken = 0
    let least = LINES
    for await (const { results } of runPortions(deps, reader)) {
      taken += results.length
      least = Math.min(least, state.begun - taken)
    }
    assert.equal(least, 0)
    assert.equal(taken, LINES)
  })

  it('that nobody wants any more end with their process', async () => {
    const { deps, state } = given()
    await using reader = new LineReader(input)
    for await (const { results } of runPortions(deps, reader)) if (results.length > 0) break
    assert.equal(state.kills, 1)
    assert.ok(state.begun < 5)
  })

  it('start no other process for the one that waits where they end before it', async () => {
    let loads = 0
    const gone = Promise.withResolvers<RunnerGone>()
    const runner: Runner<Loadable> = {
      engine: { kind: 'onnx', name: 'onnxruntime 1', provider: 'cpu' },
      loads: 'model',
      async load() {
        loads++
        return {
          // The first portion is answered; the second is killed.
          run: async items =>
            items.length === 1
              ? { items: items.map(() => ({ ok: true, output: Buffer.from('0') })), computeMs: 1 }
              : Promise.reject(await gone.promise),
          memoryBytes: () => 1,
          kill: async () => gone.resolve(new RunnerGone('killed', 'killed')),
          gone: gone.promise,
        }
      },
    }
    const processes = new WarmProcesses({ runner, memoryLimitBytes: 1_000, log: createLog({ level: 'error' }) })
    const warm = processes.own({ status: 'ready', id: 'm', version: '1' })
    const { deps } = given()
    await using reader = new LineReader(input)
    const lines = runPortions({ ...deps, warm, kill: () => warm.kill() }, reader)
    await lines.next()
    await lines.return()
    assert.equal(loads, 1)
  })
})
