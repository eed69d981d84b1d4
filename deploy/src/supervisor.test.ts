import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'

/** Says which signals it hears. */
const child = (name: string) => `
  process.on('SIGINT', () => console.error('${name} heard SIGINT'))
  process.on('SIGTERM', () => { console.error('${name} heard SIGTERM'); process.exit() })
  process.stdin.resume().on('end', () => process.exit(1))
  console.log('{"ready":true}')`

const parent = `
  import { createRunner, systemClock as clock } from '@millhand/process'
  import { createLog } from '@millhand/telemetry'
  import { supervise } from ${JSON.stringify(new URL('supervisor.ts', import.meta.url).href)}
  const log = createLog({ level: 'error' })
  const runner = createRunner({ log })
  runner.handleSignals()
  for (const [name, script] of ${JSON.stringify(['first', 'second'].map(name => [name, child(name)]))}) {
    const options = { clock, log, graceMs: 5_000 }
    await runner.own(supervise({ name, words: ['-e', script, '--'], env: {} }, options), name).ready
  }
  console.log('up')
  process.exit(await runner.waitForExit())`

test('Ctrl-C in a terminal, which signals the whole group, stops the processes in order', async () => {
  const started = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', parent],
    {
      cwd: import.meta.dirname,
      detached: true, // A group of its own, as a shell makes one.
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  try {
    let heard = ''
    started.stderr.setEncoding('utf8').on('data', (text: string) => {
      heard += text
    })
    const closed = once(started, 'close')
    await Promise.race([once(started.stdout, 'data'), closed])
    process.kill(-Number(started.pid), 'SIGINT')
    const [code] = await closed
    assert.equal(heard, 'second heard SIGTERM\nfirst heard SIGTERM\n')
    assert.equal(code, 0)
  } finally {
    started.kill('SIGKILL')
  }
})
