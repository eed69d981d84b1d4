import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from '@millhand/test-e2e/server'

const run = promisify(execFile)

test('a process whose clock is set sees another date, and no other time', async () => {
  const file = join(temporaryFolder('millhand-clock-'), 'clock')
  writeFileSync(file, '1000\n-3600000\n')
  const look = '[Date.now(), Number(new Date()), performance.timeOrigin + performance.now()]'
  const script = `
    const before = ${look}
    process.once('SIGUSR2', () => console.log(JSON.stringify([before, ${look}])) || process.exit())
    setInterval(() => {}, 1_000)
    process.kill(process.pid, 'SIGUSR2')
  `
  const clock = join(import.meta.dirname, 'settable-clock.ts')
  const words = ['--disable-warning=ExperimentalWarning', '--import', clock, '--input-type=module', '-e', script]
  const { stdout } = await run(process.execPath, words, { env: { ...process.env, FAULTS_CLOCK_FILE: file } })
  const [before, after] = JSON.parse(stdout)
  const passed = before.map((then: number, at: number) => after[at] - then)
  assert.ok(Math.abs(passed[0] + 3_600_000) < 5_000, `${passed}`)
  assert.ok(Math.abs(passed[1] + 3_600_000) < 5_000, `${passed}`)
  assert.ok(passed[2] > 0 && passed[2] < 5_000, `${passed}`)
})
