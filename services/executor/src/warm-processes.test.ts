import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelPackage } from '@millhand/model'
import { createLog } from '@millhand/telemetry'
import { type Loaded, LoadFailed, type Runner, RunnerGone } from '@millhand/worker'
import { WarmProcesses } from './warm-processes.ts'

const model = { status: 'ready', id: 'm', version: 'sha256:1' } as ModelPackage

/** What a run logs whose model loads, or runs, with this error. */
async function logged(errors: { readonly load?: Error; readonly run?: Error }) {
  const lines: string[] = []
  const log = createLog({ level: 'warn', write: line => lines.push(line), format: 'json' })
  const loaded: Loaded = {
    run: async () => {
      throw errors.run
    },
    memoryBytes: () => 0,
    kill: async () => {},
    gone: new Promise(() => {}),
  }
  const runner: Runner<ModelPackage> = {
    engine: { kind: 'onnx', name: 'onnxruntime 1', provider: 'cpu' },
    loads: 'model',
    load: async () => {
      if (errors.load) throw errors.load
      return loaded
    },
  }
  const warm = new WarmProcesses({ runner, memoryLimitBytes: 0, log }).get(model)
  const run = warm.run(
    () => [{ input: 'swordfish', parameters: undefined }],
    async () => {},
  )
  await assert.rejects(run, error => error === (errors.load ?? errors.run))
  await new Promise(resolve => setImmediate(resolve))
  assert.ok(!lines.some(line => line.includes('swordfish')))
  return lines.map(line => {
    const { event, model, error } = JSON.parse(line)
    return [event, model, error.message, error.cause?.code].filter(each => each !== undefined)
  })
}

test('the log has why a process could not be had, and every error that is none of ours', async () => {
  const cause = Object.assign(new Error('no such file'), { code: 'ENOENT' })
  const absent = new RunnerGone('not_started', 'no process', { cause })
  assert.deepEqual(await logged({ load: absent }), [['model.not_loaded', 'm', 'no process', 'ENOENT']])
  assert.deepEqual(await logged({ load: new Error('odd') }), [['model.run_failed', 'm', 'odd']])
  assert.deepEqual(await logged({ run: new Error('odd') }), [['model.run_failed', 'm', 'odd']])
})

test('the log has nothing where the task itself is told, nor of what was stopped', async () => {
  assert.deepEqual(await logged({ load: new LoadFailed('model_broken', 'broken') }), [])
  assert.deepEqual(await logged({ load: new RunnerGone('killed', 'stopped') }), [])
  assert.deepEqual(await logged({ run: new RunnerGone('killed', 'stopped') }), [])
})
