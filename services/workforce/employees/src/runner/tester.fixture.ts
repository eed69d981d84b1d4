/** Kinds that misbehave, and a runner for them. */
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { ItemResult, Loaded } from '@millhand/child-process'
import { createLog } from '@millhand/telemetry'
import { readCatalogue } from '../catalogue.ts'
import { type KindRunnerOptions, kindRunner, type LoadableKind, loadableKinds } from './kind-runner.ts'

export const testerKinds = loadableKinds(readCatalogue(join(import.meta.dirname, 'fixtures/employees')))

export const testRunner = (options: Partial<KindRunnerOptions> = {}) =>
  kindRunner({ memoryLimitBytes: 512 * 2 ** 20, log: createLog({ level: 'error' }), ...options })

type KindParts = Pick<LoadableKind, 'native' | 'asks' | 'processor'>

/** A process of the kind, that goes with the test. */
export async function load(
  t: TestContext,
  id: string,
  { native = false, asks, processor, ...options }: Partial<KindRunnerOptions & KindParts> = {},
): Promise<Loaded> {
  const kind = {
    ...(testerKinds.get(id) as LoadableKind),
    native,
    ...(asks && { asks }),
    ...(processor && { processor }),
  }
  const process = await testRunner(options).load(kind, new AbortController().signal)
  t.after(() => process.kill())
  return process
}

export const briefText = (brief: object): string =>
  JSON.stringify({ topic: '', tone: '', constraints: {}, seed: 1, input: {}, ...brief })

export const item = (input: object, parameters: Record<string, unknown> = {}) => ({
  input: briefText({ input }),
  parameters,
})

/** The output of an item, or its fault. */
export function outcome(result: ItemResult | undefined) {
  if (result?.ok && 'outputOf' in result)
    return JSON.parse(result.outputOf(result.artifacts.map((_, at) => `file_${at}`)))
  return result
}
