import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'

/** Holds every file descriptor for longer than it takes to look twice, and says so. */
const script = `
  import { closeSync, openSync } from 'node:fs'
  import { stopWithPackageManager } from '${new URL('package-manager.ts', import.meta.url)}'
  stopWithPackageManager({
    stop(reason) {
      console.log(reason)
      process.exit()
    },
  })
  const held = []
  try {
    for (;;) held.push(openSync('/dev/null'))
  } catch {}
  setTimeout(() => {
    for (const descriptor of held) closeSync(descriptor)
    console.log('served on')
  }, 2_500)
  setInterval(() => {}, 1_000)`

test('a server out of file descriptors serves on, and stops once the package manager that started it is killed', async t => {
  const server = [process.execPath, '--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script]
  const packageManager = spawn('sh', ['-c', 'ulimit -n 100; "$@"; exit', 'pnpm', ...server], {
    env: { ...process.env, npm_lifecycle_event: 'start' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => packageManager.kill('SIGKILL'))
  const lines = createInterface(packageManager.stdout)
  assert.deepEqual(await once(lines, 'line'), ['served on'])
  packageManager.kill('SIGKILL')
  assert.deepEqual(await once(lines, 'line'), ['the package manager that started this has gone'])
})
