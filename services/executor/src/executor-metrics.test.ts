import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '@millhand/process'
import { createLog, processMetrics } from '@millhand/telemetry'
import { createExecutor } from './executor.ts'
import type { ExecutorOptions } from './executor-options.ts'
import { mockRunner } from './mock/mock-runner.ts'

test('an executor tells of its slots while it runs, and counts claims that fail', async () => {
  const clock = manualClock()
  const claim = async () => {
    throw new Error('the owner is away')
  }
  const options = {
    leases: { claim },
    runner: mockRunner({ clock }),
    models: { get: () => undefined },
    ...{ pool: 'test/counted', slots: 3, memoryLimitBytes: 0, clock, log: createLog({ level: 'error' }) },
  }
  const read = async (name: string) => {
    const lines = (await processMetrics.text({ warn: () => {} })).split('\n')
    const line = lines.find(each => each.startsWith(`millhand_executor_${name}{pool="test/counted"}`))
    return line && Number(line.split(' ')[1])
  }
  const stopping = new AbortController()
  const running = createExecutor(options as unknown as ExecutorOptions).run(stopping.signal)
  for (let turn = 0; turn < 20; turn++) await clock.advance(0)
  assert.deepEqual([await read('slots'), await read('busy_slots'), await read('claim_failures_total')], [3, 0, 1])
  await clock.advance(150)
  for (let turn = 0; turn < 20; turn++) await clock.advance(0)
  assert.equal(await read('claim_failures_total'), 2)
  stopping.abort()
  for (let turn = 0; turn < 20; turn++) await clock.advance(5_000)
  await running
  assert.equal(await read('slots'), undefined)
})
