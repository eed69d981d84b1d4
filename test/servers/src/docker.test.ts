import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { signalled } from './docker.ts'

test('a signal to a process that has ended is no fault', () => {
  const { pid } = spawnSync(process.execPath, ['--version'])
  assert.equal(signalled(pid, 'SIGCONT'), false)
  assert.equal(signalled(undefined, 'SIGKILL'), false)
  assert.equal(signalled(process.pid, 0), true)
})
