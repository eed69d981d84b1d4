/** A kind of an employee done by a language model that says what the test says, in the process that runs kinds. */
import type { TestContext } from 'node:test'
import type { ModelUsage } from '@millhand/child-process'
import { createLog } from '@millhand/telemetry'
import { readCatalogue } from '../catalogue.ts'
import { type LoadableKind, loadableKinds } from './kind-runner.ts'
import { openAICompatible } from './openai-compatible.ts'
import { type Reply, scriptedModel } from './scripted-model.fixture.ts'
import { briefText, outcome, testRunner } from './tester.fixture.ts'

const kinds = loadableKinds(readCatalogue())

/** A word that the operator has set, and that no answer, question, or line of the log may have. */
export const KEY = 'sk-of-the-operator-4711'

export async function written(
  t: TestContext,
  id: string,
  brief: object,
  replies: readonly Reply[],
  parameters: Readonly<Record<string, unknown>> = {},
) {
  const { url, asked } = await scriptedModel(t, replies)
  const lines: string[] = []
  const log = createLog({ level: 'debug', write: line => lines.push(line), format: 'json' })
  const prices = { inputMicros: 10_000_000, outputMicros: 100_000_000 }
  const languageModel = openAICompatible({ url, model: 'small', key: KEY, ...prices, log })
  const runner = testRunner({ languageModel, memoryLimitBytes: 1_024 * 2 ** 20, log })
  const process = await runner.load(kinds.get(id) as LoadableKind, new AbortController().signal)
  t.after(() => process.kill())
  let used: ModelUsage | undefined
  const raw: string[] = []
  const item = {
    input: briefText(brief),
    parameters: { engine: 'llm', ...parameters },
    onUsage: (now: ModelUsage) => {
      used = now
    },
  }
  const { items } = await process.run([item], async (_, emission) => {
    if (emission.kind === 'output') raw.push(JSON.parse(emission.json))
  })
  return { ...outcome(items[0]), asked, lines, used, raw: raw.join('') }
}
