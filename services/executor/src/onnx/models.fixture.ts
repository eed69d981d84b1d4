/** Models for the tests of this folder. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { ItemResult, Loaded, RunItem, Runner } from '@millhand/child-process'
import { loadCatalogue, type ModelPackage, parseManifest } from '@millhand/model'
import { createLog } from '@millhand/telemetry'
import { type OnnxRunnerOptions, onnxRunner } from './onnx-runner.ts'

const MIB = 2 ** 20
const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

const shipped = await loadCatalogue([{ path: path('../../../../deploy/models'), ownedBy: 'millhand' }])

/** A model of `deploy/models`. */
export function shippedModel(id: string): ModelPackage {
  const model = shipped.get(id)
  if (model?.status !== 'ready') throw new Error(`${id} is not ready: ${model?.problem}`)
  return model
}

/** An ONNX file as a model that takes tensors; its inputs are not looked into before it is loaded. */
export function tensorModel(file: string, batchable = false): ModelPackage {
  const digits = shippedModel('digits')
  const plain = { kind: 'single', preprocess: { name: 'tensors' }, postprocess: { name: 'tensors' } } as const
  return {
    ...digits,
    id: 'plain',
    files: { model: file },
    manifest: { ...digits.manifest, processing: plain, batchable },
  }
}

/** One of `fixtures/plain-models` with a manifest of its own. */
export function plainModel(name: string, fields: object = {}): ModelPackage {
  const manifest = parseManifest(JSON.stringify({ name, ...fields }))
  return { ...tensorModel(path(`./fixtures/plain-models/${name}.onnx`)), manifest }
}

/** One of `fixtures/hostile-models`. */
export const hostileModel = (name: string) => tensorModel(path(`./fixtures/hostile-models/${name}.onnx`))

export const fixture = (name: string): Buffer => readFileSync(path(`../../../../test/fixtures/${name}`))

export const dataUri = (mediaType: string, bytes: Uint8Array) =>
  `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`

export const item = (input: RunItem['input'], parameters?: Record<string, unknown>): RunItem => ({ input, parameters })

/** One thread in half a GiB, and a log that nobody reads, unless told otherwise. */
export function testRunner(options: Partial<OnnxRunnerOptions> = {}): Runner<ModelPackage> {
  const log = createLog({ level: 'error', write: () => {} })
  return onnxRunner({ memoryLimitBytes: 512 * MIB, threads: 1, log, ...options })
}

/** Loads a model. */
export function start(model: ModelPackage, options?: Partial<OnnxRunnerOptions>): Promise<Loaded> {
  return testRunner(options).load(model, new AbortController().signal)
}

/** The same, for one test, which ends it however the test ends. */
export async function load(t: TestContext, model: ModelPackage, options?: Partial<OnnxRunnerOptions>) {
  const loaded = await start(model, options)
  t.after(() => loaded.kill())
  return loaded
}

/** What the model says to one input, parsed; throws its fault. */
export async function ask(model: Loaded, input: RunItem['input'], parameters?: Record<string, unknown>) {
  const { items } = await model.run([item(input, parameters)])
  const [result] = items
  if (!result?.ok) throw Object.assign(new Error(result?.message), { code: result?.code })
  return JSON.parse(await outputOf(result))
}

/** An item's output, parsed, where it came in a message; else its fault's code. */
export const said = (result: ItemResult) =>
  'output' in result ? JSON.parse(result.output.toString()) : 'code' in result ? result.code : 'a file'

/** An item's output, wherever it is; throws where there is none. */
export async function outputOf(result: ItemResult | undefined): Promise<string> {
  if (!result?.ok) throw new Error(`no output: ${result?.message}`)
  if ('output' in result) return result.output.toString()
  assert.ok('file' in result)
  await using handle = result.file.handle
  return await handle.readFile('utf8')
}
