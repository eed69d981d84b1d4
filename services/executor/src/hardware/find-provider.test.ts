import assert from 'node:assert/strict'
import { afterEach, before, describe, it } from 'node:test'
import { chooseSandbox, type Loaded } from '@millhand/child-process'
import { createLog } from '@millhand/telemetry'
import { ask, load, shippedModel, testRunner } from '../onnx/models.fixture.ts'
import { providerFault } from './find-provider.ts'
import { gpuOf } from './gpus.ts'
import { softwareGpu, softwareGpuMissing } from './software-gpu.fixture.ts'

const never = new AbortController().signal

describe('a provider', () => {
  afterEach(() => void delete process.env.VK_DRIVER_FILES)

  it('that this machine lacks is told with the reason', async () => {
    process.env.VK_DRIVER_FILES = '/there/is/none.json'
    for (const provider of ['webgpu', 'cuda'] as const) {
      const fault = await providerFault(provider, testRunner({ provider, onlyProvider: true }), never)
      assert.match(fault ?? '', /there is no|it is for|adapter/)
    }
  })

  it('whose run gives wrong numbers is none', async () => {
    process.env.VK_DRIVER_FILES = import.meta.filename
    const zeros = JSON.stringify({ y: { dtype: 'float32', shape: [8, 8], data: new Array(64).fill(0) } })
    const loaded: Loaded = {
      run: async () => ({ items: [{ ok: true, output: Buffer.from(zeros) }], computeMs: 1 }),
      kill: async () => {},
      memoryBytes: () => 0,
      gone: new Promise(() => {}),
    }
    const wrong = { ...testRunner(), load: async () => loaded }
    assert.equal(await providerFault('webgpu', wrong, never), 'the run gave wrong numbers')
  })
})

describe('WebGPU on a GPU in software, in the sandbox', { skip: softwareGpuMissing }, () => {
  before(async () => {
    Object.assign(process.env, softwareGpu)
    await chooseSandbox('auto', createLog({ level: 'error', write: () => {} }))
  })

  it('works by a run, and has a type', async () => {
    const runner = testRunner({ provider: 'webgpu', onlyProvider: true })
    assert.equal(await providerFault('webgpu', runner, never), undefined)
    const { type, name, memoryMb } = await gpuOf('webgpu')
    assert.deepEqual({ type, name, memoryMb }, { type: 'swiftshader', name: 'SwiftShader (software)', memoryMb: 0 })
  })

  it('gives what the processor gives', async t => {
    const digits = shippedModel('digits')
    const [onGpu, onCpu] = [await load(t, digits, { provider: 'webgpu' }), await load(t, digits)]
    const input = digits.exampleInput ?? ''
    const [got, wanted] = [await ask(onGpu, input), await ask(onCpu, input)]
    assert.equal(got.digit, wanted.digit)
    for (const [at, score] of wanted.scores.entries()) assert.ok(Math.abs(got.scores[at] - score) < 1e-5)
  })
})
