import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RunnerGone } from '@millhand/child-process'
import { createLog } from '@millhand/telemetry'
import { loadIntoChild } from './load-into-child.ts'
import { shippedModel } from './models.fixture.ts'

test('a process has the cores of a run while it loads and runs, and a tenth of one while it rests', async () => {
  const ended = Promise.withResolvers<RunnerGone>()
  let cores = () => Number.NaN
  const child: Parameters<typeof loadIntoChild>[0] = {
    gone: ended.promise,
    stderr: () => '',
    linkFile: path => path,
    unlinkFile: () => {},
    limitProcessor: () => () => {},
    limitCores(of) {
      cores = of
    },
    async kill() {
      ended.resolve(new RunnerGone('killed', 'the run was stopped'))
    },
  }
  const loaded = { isRunning: false }
  const log = createLog({ level: 'error', write: () => {} })
  const made = await loadIntoChild(
    child,
    shippedModel('digits'),
    new AbortController().signal,
    { log },
    {
      cores: 2,
      async ask() {
        assert.equal(cores(), 2)
        return { kind: 'loaded' }
      },
      made: () => loaded,
    },
  )
  assert.equal(made, loaded)
  assert.equal(cores(), 0.1)
  loaded.isRunning = true
  assert.equal(cores(), 2)
  await child.kill()
})
