import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { pauseProcess, signalled } from './pause-process.ts'

test('a signal to a process that has ended is no fault', () => {
  const { pid } = spawnSync(process.execPath, ['--version'])
  assert.equal(signalled(pid, 'SIGCONT'), false)
  assert.equal(signalled(undefined, 'SIGKILL'), false)
  assert.equal(signalled(process.pid, 0), true)
  pauseProcess(pid)
})

test('a process that is paused does nothing more', async () => {
  const child = spawn(process.execPath, ['-e', 'console.log(1); for (;;);'])
  try {
    await once(child.stdout, 'data')
    pauseProcess(child.pid)
    const status = `/proc/${child.pid}/status`
    if (existsSync(status)) assert.match(readFileSync(status, 'utf8'), /^State:\s+T/m)
  } finally {
    child.kill('SIGKILL')
  }
})
