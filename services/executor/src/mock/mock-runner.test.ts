import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type Emission, type RunItem, RunnerGone } from '@millhand/child-process'
import type { ModelPackage } from '@millhand/model'
import { textModel } from '@millhand/model/fixture'
import { manualClock } from '@millhand/process'
import { describeModelRunner } from '../runner.contract.ts'
import { type Mocked, mockRunner, mockRunnerOf } from './mock-runner.ts'

const model = textModel('any')
const item = (input: RunItem['input'], parameters?: Record<string, unknown>) => ({ input, parameters })

describeModelRunner('mock', {
  runner: () => mockRunner(),
  model,
  streams: [item('sandbox:stream', { chunks: 3, interval_ms: 1 }), item('any', { chunks: 2, chunk: 'x' })],
  invalid: item('any', { chunks: -1 }),
  endless: { model, item: item('any', { chunks: 2, interval_ms: 60_000 }) },
})

/** The mock on a clock that stands still, and what its run emits. */
async function start(...items: ReturnType<typeof item>[]) {
  const clock = manualClock()
  const loaded = await mockRunner({ clock }).load(model, new AbortController().signal)
  const emitted: Emission[] = []
  const run = loaded.run(items, async (_, emission) => {
    emitted.push(emission)
  })
  const pieces = () => emitted.flatMap(emission => (emission.kind === 'output' ? [JSON.parse(emission.json)] : []))
  return { clock, loaded, emitted, pieces, run }
}

describe('the mock runner', () => {
  it('streams ten pieces in a second for an input that asks for a stream', async () => {
    const { clock, pieces, emitted, run } = await start(item('sandbox:stream please'))
    await clock.advance(999)
    assert.equal(pieces().length, 9)
    await clock.advance(1)
    assert.ok((await run).items[0]?.ok)
    assert.deepEqual(pieces().slice(0, 2), ['word1 ', 'word2 '])
    assert.deepEqual(emitted.at(-1), { kind: 'progress', fraction: 1, message: '10 of 10' })
    assert.equal((await run).computeMs, 1_000)
  })

  it('streams as the parameters say', async () => {
    const { clock, pieces, emitted, run } = await start(item('any', { chunks: 25, interval_ms: 2, chunk: 'é' }))
    await clock.advance(50)
    assert.ok((await run).items[0]?.ok)
    assert.deepEqual(pieces(), Array(25).fill('é'))
    const fractions = emitted.flatMap(emission => (emission.kind === 'progress' ? [emission.fraction] : []))
    assert.deepEqual(fractions, [0.4, 0.8, 1])
  })

  it('answers at once where nothing else is asked for, the same to the same request', async () => {
    const output = async (...words: Parameters<typeof item>) => {
      const [result] = (await (await start(item(...words))).run).items
      assert.ok(result?.ok && 'output' in result)
      return result.output.toString()
    }
    const first = await output('a', { x: 1, y: { a: 1, b: 2 } })
    assert.equal(await output('a', { y: { b: 2, a: 1 }, x: 1 }), first)
    for (const other of [output('b', { x: 1, y: { a: 1, b: 2 } }), output('a', { x: 2 }), output('a')])
      assert.notEqual(await other, first)
    const folder = await mkdtemp(join(tmpdir(), 'millhand-mock-'))
    try {
      const files = ['one', 'one', 'two'].map((text, at) => ({
        text,
        path: join(folder, String(at)),
        bytes: text.length,
      }))
      for (const { path, text } of files) await writeFile(path, text)
      const [one, again, two] = await Promise.all(files.map(({ path, bytes }) => output({ path, bytes })))
      assert.equal(one, again)
      assert.notEqual(one, two)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('takes as long as it is asked to, and then answers as ever', async () => {
    const { clock, run } = await start(item('sandbox:slow:60000'))
    let isOver = false
    void run.then(() => {
      isOver = true
    })
    await clock.advance(59_999)
    assert.equal(isOver, false)
    await clock.advance(1)
    const { items, computeMs } = await run
    assert.deepEqual([items[0]?.ok, computeMs], [true, 60_000])
  })

  it('fails as it is asked to', async () => {
    for (const [input, code] of [
      ['sandbox:fail', 'sandbox_failure'],
      ['sandbox:error:out_of_memory', 'out_of_memory'],
      ['sandbox:error:whatever', 'whatever'],
    ] as const) {
      const [result] = (await (await start(item(input))).run).items
      assert.ok(result?.ok === false)
      assert.deepEqual([result.code, result.retryable], [code, false])
      assert.match(result.message, /sandbox/)
    }
  })

  it('waits for whoever takes what it emits, and is killed while it waits', async () => {
    const loaded = await mockRunner({ clock: manualClock() }).load(model, new AbortController().signal)
    let emitted = 0
    const run = loaded.run([item('any', { chunks: 5, interval_ms: 0 })], () => {
      emitted++
      return new Promise(() => {})
    })
    const killed = assert.rejects(run, error => error instanceof RunnerGone && error.reason === 'killed')
    await new Promise(resolve => setImmediate(resolve))
    assert.equal(emitted, 1)
    await loaded.kill()
    await killed
  })

  it('emits nothing more once it is killed', async () => {
    const room = Promise.withResolvers<void>()
    const loaded = await mockRunner({ clock: manualClock() }).load(model, new AbortController().signal)
    let emitted = 0
    const run = loaded.run([item('any', { chunks: 1, interval_ms: 0 })], () => {
      emitted++
      return room.promise
    })
    const killed = assert.rejects(run, RunnerGone)
    await new Promise(resolve => setImmediate(resolve))
    await loaded.kill()
    room.resolve()
    await killed
    await new Promise(resolve => setImmediate(resolve))
    assert.equal(emitted, 1)
  })

  it('tells what is at an answer that the run is killed', async () => {
    const asked = Promise.withResolvers<AbortSignal>()
    const outputOf = (...[, , , , , signal]: Parameters<Mocked<ModelPackage>['outputOf']>) => {
      asked.resolve(signal)
      return new Promise<undefined>(() => {})
    }
    const runner = mockRunnerOf<ModelPackage>({ loads: 'model', askingPart: input => input, outputOf })
    const loaded = await runner.load(model, new AbortController().signal)
    const killed = assert.rejects(loaded.run([item('any')]), RunnerGone)
    const signal = await asked.promise
    assert.equal(signal.aborted, false)
    await loaded.kill()
    await killed
    assert.equal(signal.aborted, true)
  })

  it('refuses what it can not stream', async () => {
    for (const parameters of [
      { chunks: 1.5 },
      { chunks: '3' },
      { interval_ms: -1 },
      { chunks: 11, interval_ms: 60_000 },
      { chunk: 'x'.repeat(8_193) },
    ]) {
      const [result] = (await (await start(item('any', parameters))).run).items
      assert.equal(!result?.ok && result?.code, 'model_input_invalid', JSON.stringify(parameters))
    }
  })
})
