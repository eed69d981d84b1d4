/**
 * Whether a provider works here: it does where a run in a locked child process, on it alone, gives the right numbers. What
 * a library lists proves nothing.
 */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { driverManifests } from '@millhand/child-process'
import { type Accelerator, type ModelPackage, parseManifest } from '@millhand/model'
import type { ModelRunner } from '../executor.ts'

/** Undefined where it works; else why it does not, for the log. Ends with the signal. */
export async function providerFault(
  provider: Accelerator,
  runner: ModelRunner,
  signal: AbortSignal,
): Promise<string | undefined> {
  const missing = missingPart[provider]()
  if (missing !== undefined) return missing
  const limit = AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)])
  try {
    const loaded = await runner.load(probeModel, limit)
    const stop = () => void loaded.kill()
    limit.addEventListener('abort', stop, { once: true })
    try {
      const { items } = await loaded.run([{ input: JSON.stringify(product.feeds), parameters: undefined }])
      const [result] = items
      if (!result?.ok) return result?.message ?? 'the run gave no answer'
      return 'output' in result && isRight(result.output.toString()) ? undefined : 'the run gave wrong numbers'
    } finally {
      limit.removeEventListener('abort', stop)
      await loaded.kill()
    }
  } catch (error) {
    return (error as Error).message
  }
}

/** A software adapter translates its first shader for seconds. */
const PROBE_MS = 120_000

/** What is plainly not there needs no process to find out; what is there may still not work. */
const missingPart: Readonly<Record<Accelerator, () => string | undefined>> = {
  webgpu: () =>
    platform() !== 'linux' || driverManifests().length > 0
      ? undefined
      : 'there is no Vulkan driver, nor one in VK_DRIVER_FILES',
  cuda() {
    if (platform() !== 'linux' || arch() !== 'x64') return 'it is for Linux on x86-64'
    if (!existsSync('/dev/nvidiactl')) return 'there is no NVIDIA driver'
    return existsSync(cudaLibrary()) ? undefined : `there is no ${cudaLibrary()}`
  },
}

/** Where ONNX Runtime looks for it: beside its own library. */
const cudaLibrary = (): string =>
  join(
    dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json')),
    'bin/napi-v6/linux/x64/libonnxruntime_providers_cuda.so',
  )

/** `y = a × b` of 8 × 8: small whole numbers, which every precision has exactly. */
const probeModel: ModelPackage = {
  status: 'ready',
  id: 'provider-probe',
  ownedBy: '',
  manifest: parseManifest(JSON.stringify({ name: 'provider-probe' })),
  files: { model: fileURLToPath(new URL('./probe.onnx', import.meta.url)) },
  inputs: [],
  outputs: [],
  outputSchema: '',
  exampleInput: undefined,
  version: '',
  createdAt: new Date(0),
}

const SIDE = 8
const product = (() => {
  const cells = (of: (index: number) => number) => Array.from({ length: SIDE * SIDE }, (_, index) => of(index))
  const a = cells(index => (index % 7) - 3)
  const b = cells(index => (index % 5) - 2)
  const at = (row: number, column: number) =>
    a.slice(row * SIDE, (row + 1) * SIDE).reduce((sum, left, k) => sum + left * (b[k * SIDE + column] as number), 0)
  const matrix = (data: readonly number[]) => ({ dtype: 'float32', shape: [SIDE, SIDE], data })
  return { feeds: { a: matrix(a), b: matrix(b) }, y: cells(index => at(Math.floor(index / SIDE), index % SIDE)) }
})()

function isRight(output: string): boolean {
  const data: unknown = JSON.parse(output).y?.data
  return Array.isArray(data) && data.length === product.y.length && product.y.every((cell, at) => cell === data[at])
}
