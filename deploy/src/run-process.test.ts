import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'

test('SIGTERM ends a process whose start waits for ever', async () => {
  const code = `
    import { runProcess } from ${JSON.stringify(new URL('run-process.ts', import.meta.url).href)}
    const start = () => new Promise(() => setInterval(() => {}, 60_000))
    const running = runProcess({ prepare: () => ({ logLevel: 'info', start }) }, { service: 'it', stopTimeoutMs: 10_000 })
    console.log('started')
    process.exit(await running)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], { stdio: ['ignore', 'pipe', 'pipe'] })
  const exit = once(child, 'exit')
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  assert.deepEqual(await exit, [0, null])
})
