/** What every model runner promises; each adapter runs it. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Emission, type Loaded, type RunItem, type Runner, RunnerGone } from '@millhand/child-process'
import type { ModelPackage } from '@millhand/model'

export interface RunnerCases {
  readonly runner: () => Runner<ModelPackage>
  readonly model: ModelPackage
  /** Two inputs of unlike outputs, each of which emits output before it is over. */
  readonly streams: readonly [RunItem, RunItem]
  /** An input that is refused. */
  readonly invalid: RunItem
  /** A run that would go on for a minute or more. */
  readonly endless: { readonly model: ModelPackage; readonly item: RunItem }
}

export function describeModelRunner(name: string, cases: RunnerCases): void {
  const { runner, model, streams, invalid, endless } = cases
  const gone = (reason: string) => (error: unknown) => error instanceof RunnerGone && error.reason === reason
  const loaded = async (one: ModelPackage, use: (model: Loaded) => Promise<void>) => {
    const process = await runner().load(one, new AbortController().signal)
    try {
      await use(process)
    } finally {
      await process.kill()
    }
  }

  /** What each item emitted, and the results, as JSON. */
  async function run(process: Loaded, items: readonly RunItem[]) {
    const emitted: Emission[][] = items.map(() => [])
    let isOver = false
    const { items: results } = await process.run(items, async (item, emission) => {
      assert.ok(!isOver, 'emitted after its end')
      emitted[item]?.push(emission)
    })
    isOver = true
    return { emitted, results }
  }

  describe(`a model runner: ${name}`, () => {
    it('gives each item its own result and its own emissions, those before', async () => {
      await loaded(model, async process => {
        const { emitted, results } = await run(process, [streams[0], invalid, streams[1]])
        assert.deepEqual(
          results.map(result => (result.ok ? 'ok' : result.code)),
          ['ok', 'model_input_invalid', 'ok'],
        )
        assert.notDeepEqual(results[0], results[2])
        const pieces = emitted.map(of => of.filter(({ kind }) => kind === 'output'))
        assert.ok(pieces[0]?.length && pieces[2]?.length)
        assert.deepEqual(pieces[1], [])
        assert.notDeepEqual(pieces[0], pieces[2])
        const alone = await run(process, [streams[1]])
        assert.deepEqual(alone.results[0], results[2])
        assert.deepEqual(alone.emitted[0], emitted[2])
      })
    })

    it('needs nobody who listens', async () => {
      await loaded(model, async process => {
        assert.ok((await process.run([streams[0]])).items[0]?.ok)
      })
    })

    it('ends a run at once when it is killed, and is gone then', async () => {
      await loaded(endless.model, async process => {
        const run = process.run([endless.item])
        const stopped = assert.rejects(run, gone('killed'))
        await process.kill()
        await stopped
        assert.equal((await process.gone).reason, 'killed')
        assert.equal(process.memoryBytes(), 0)
        await assert.rejects(process.run([endless.item]), gone('killed'))
        await process.kill()
      })
    })

    it('loads nothing for a signal that has fired', async () => {
      await assert.rejects(runner().load(model, AbortSignal.abort()), gone('killed'))
    })
  })
}
