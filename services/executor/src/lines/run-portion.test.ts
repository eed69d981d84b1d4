import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { type ItemResult, type OutputFile, type RunItem, RunnerGone } from '@millhand/child-process'
import type { InputFormat } from '@millhand/model'
import { beginPortion, type LineResult, type PortionDeps } from './run-portion.ts'

/** A process that answers each input with itself, or as a test says; what it was given, run by run. */
function given(answerTo: (input: string) => ItemResult | RunnerGone = echo, more: Partial<PortionDeps> = {}) {
  const runs: string[][] = []
  const crashes: RunnerGone[] = []
  const deps: PortionDeps = {
    warm: {
      isRunning: false,
      kill: async () => {},
      async run(begin) {
        const inputs = begin().map(({ input }: RunItem) => input as string)
        runs.push(inputs)
        const items = inputs.map(answerTo)
        const gone = items.find(item => item instanceof RunnerGone)
        if (gone) throw gone
        return { items: items as ItemResult[], computeMs: 1 }
      },
    },
    inputFormat: 'json',
    parameters: undefined,
    unwanted: new AbortController().signal,
    onBegin: () => {},
    onCompute: () => {},
    isStopped: () => false,
    onCrash: error => crashes.push(error),
    ...more,
  }
  return { deps, runs, crashes }
}

const echo = (input: string): ItemResult => ({ ok: true, output: Buffer.from(input) })
const gone = (reason: RunnerGone['reason']) => new RunnerGone(reason, reason)

async function runPortion(...given: Parameters<typeof beginPortion>): Promise<LineResult[]> {
  await using portion = beginPortion(...given)
  return (await Array.fromAsync(portion.results())).flat()
}

const folder = mkdtempSync(join(tmpdir(), 'millhand-portion-'))
after(() => rmSync(folder, { recursive: true }))

/** An output in a file. */
async function fileOf(text: string): Promise<OutputFile & { readonly isClosed: () => boolean }> {
  const handle = await open(join(folder, crypto.randomUUID()), 'w+')
  await handle.write(text, 0)
  return { handle, bytes: Buffer.byteLength(text), isClosed: () => handle.fd === -1 }
}

/** What the lines of the output say, without their index. */
const read = (results: readonly LineResult[]) =>
  results.map(({ json, isFailed }) => ({ [isFailed ? 'error' : 'output']: JSON.parse(json.toString()) }))

describe('a portion of lines', () => {
  it('runs together, and has a result for each in order', async () => {
    const { deps, runs } = given()
    assert.deepEqual(read(await runPortion(deps, ['1', '[2]', '3'])), [{ output: 1 }, { output: [2] }, { output: 3 }])
    assert.deepEqual(runs, [['1', '[2]', '3']])
  })

  const formats: readonly [InputFormat, string, string | undefined][] = [
    ['json', '[1]', '[1]'],
    ['json', '"[1]"', '[1]'],
    ['tensors', '{"x":1}', '{"x":1}'],
    ['text', '"a \\"b\\""', 'a "b"'],
    ['text', 'a', undefined],
    ['text', '{"a":1}', undefined],
    ['image', '"data:image/png;base64,"', 'data:image/png;base64,'],
    ['text', '"a', undefined],
  ]
  for (const [inputFormat, line, input] of formats)
    it(`gives a model of ${inputFormat} ${input === undefined ? 'nothing' : JSON.stringify(input)} of ${line}`, async () => {
      const { deps, runs } = given(() => ({ ok: true, output: Buffer.from('0') }), { inputFormat })
      const [result] = read(await runPortion(deps, [line]))
      assert.deepEqual(runs, input === undefined ? [] : [[input]])
      assert.equal(result?.error?.code, input === undefined ? 'model_input_invalid' : undefined)
    })

  it('without a line that can run starts no process', async () => {
    const { deps, runs } = given()
    assert.deepEqual(
      read(await runPortion(deps, [undefined, '"'])).map(({ error }) => error.code),
      ['payload_too_large', 'model_input_invalid'],
    )
    assert.deepEqual(runs, [])
  })

  it('loses to a line that ends the process no other', async () => {
    const { deps, runs, crashes } = given(input => (input === '5' ? gone('crashed') : echo(input)))
    const results = read(await runPortion(deps, ['0', '1', '2', '3', '4', '5', '6', '7']))
    assert.deepEqual(
      results.map(({ output, error }) => output ?? error.code),
      [0, 1, 2, 3, 4, 'model_crashed', 6, 7],
    )
    assert.equal(crashes.length, 1)
    assert.ok(runs.length < 8)
  })

  it('says which line needed too much memory', async () => {
    const { deps } = given(input => (input === '1' ? gone('out_of_memory') : echo(input)))
    assert.equal(read(await runPortion(deps, ['0', '1']))[1]?.error.code, 'out_of_memory')
  })

  it('of lines that all end the process ends where those are too many', async () => {
    let crashes = 0
    const onCrash = (error: RunnerGone) => {
      if (++crashes > 2) throw error
    }
    const { deps } = given(() => gone('crashed'), { onCrash })
    await assert.rejects(runPortion(deps, ['0', '1', '2', '3']), RunnerGone)
    assert.equal(crashes, 3)
  })

  it('blames no line where the run is stopped, or there is no process', async () => {
    const stopped = given(() => gone('killed'), { isStopped: () => true })
    await assert.rejects(runPortion(stopped.deps, ['0', '1']), RunnerGone)
    const none = given(() => gone('not_started'))
    await assert.rejects(runPortion(none.deps, ['0', '1']), RunnerGone)
    assert.deepEqual([stopped.crashes, none.crashes], [[], []])
  })

  it('runs a line again for which there was no room beside the others', async () => {
    let first = true
    const { deps, runs } = given(input => {
      if (input !== '1' || !first) return echo(input)
      first = false
      return { ok: false, code: 'model_failed', message: 'no room', retryable: true }
    })
    assert.deepEqual(read(await runPortion(deps, ['0', '1', '2'])), [{ output: 0 }, { output: 1 }, { output: 2 }])
    assert.deepEqual(runs, [['0', '1', '2'], ['1']])
  })

  it('takes no output for one that is no line of JSON', async () => {
    const outputs = ['{"a":1}\n{"index":7}', '1}\n{"index":8', '{"a":\n1}']
    let at = 0
    const { deps } = given(() => ({ ok: true, output: Buffer.from(outputs[at++] as string) }))
    const results = await runPortion(deps, ['0', '0', '0'])
    assert.ok(results.every(({ json }) => !String(json).includes('\n')))
    assert.deepEqual(
      read(results).map(({ output, error }) => output ?? error.code),
      ['model_failed', 'model_failed', { a: 1 }],
    )
  })

  it('begins before anybody asks for a result', async () => {
    const { deps, runs } = given()
    await using portion = beginPortion(deps, ['1', '2'])
    assert.equal(await portion.isInMemory, true)
    assert.deepEqual(runs, [['1', '2']])
  })

  it('makes a line of an output in a file, and none of what is no JSON', async () => {
    const files = [await fileOf('{\r\n  "é": [1,\n 2]\n}\n'), await fileOf('"a\nb"'), await fileOf('1 2')]
    const { deps } = given(input => ({ ok: true, file: files[Number(input)] as OutputFile }))
    const results = await runPortion(deps, ['0', '1', '2'])
    assert.deepEqual(
      results.map(({ json }) => /[\n\r]/.test(String(json))),
      [false, false, false],
    )
    const [first, ...others] = read(results)
    assert.deepEqual(first, { output: { é: [1, 2] } })
    for (const { error } of others) assert.match(error.message, /is no JSON/)
  })

  it('reads an output in a file when it is asked for, and no other before', async () => {
    const files = [await fileOf('"a"'), await fileOf('"b"')]
    const { deps } = given(input =>
      input === '1' || input === '2' ? { ok: true, file: files[Number(input) - 1] as OutputFile } : echo(input),
    )
    await using portion = beginPortion(deps, ['0', '1', '2', '3', '4'])
    assert.equal(await portion.isInMemory, false)
    const seen: unknown[] = []
    for await (const results of portion.results())
      seen.push([read(results).map(({ output }) => output), files.map(({ isClosed }) => isClosed())])
    assert.deepEqual(seen, [
      [[0], [false, false]],
      [['a'], [true, false]],
      [['b'], [true, true]],
      [
        [3, 4],
        [true, true],
      ],
    ])
  })

  it('that nobody reads to its end leaves no file open', async () => {
    const files = [await fileOf('1'), await fileOf('2'), await fileOf('3')]
    const { deps } = given(input => ({ ok: true, file: files[Number(input)] as OutputFile }))
    {
      await using portion = beginPortion(deps, ['0', '1', '2'])
      for await (const results of portion.results()) if (results.length > 0) break
    }
    assert.ok(files.every(({ isClosed }) => isClosed()))
    const unread = await fileOf('0')
    await beginPortion(given(() => ({ ok: true, file: unread })).deps, ['0'])[Symbol.asyncDispose]()
    assert.ok(unread.isClosed())
  })
})
