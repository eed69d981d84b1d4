import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { repository } from '@millhand/test-e2e/server'
import { javaMissing } from '@millhand/test-servers'
import { rollingRestart } from './rolling.ts'

/** A small machine is busy with the starts alone. The whole, 200 requests a second and 50 streams: `pnpm faults --rolling`. */
const small = { perSecond: 20, streams: 6, drainSeconds: 5 }

test('no request and no stream is lost while every process is restarted', {
  skip: javaMissing,
  timeout: 1_800_000,
}, async t => {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-rolling-'))
  t.diagnostic(`logs and data in ${folder}`)
  const say = (line: string) => t.diagnostic(line)
  const rolled = await rollingRestart({ ...small, root: repository, folder, say })
  const { lost, refused, misbilled, requests, streams, returns } = rolled
  t.diagnostic(`${requests} requests, ${streams} streams read to their end, readers came back ${returns} times`)
  assert.deepEqual(lost.slice(0, 20), [])
  assert.deepEqual(misbilled.slice(0, 20), [])
  assert.ok(requests > 0 && returns > 0)
  // How much a machine that is too busy answers 503 is its own figure: the whole form asserts that there is none.
  t.diagnostic(`answered 503, or too late: ${JSON.stringify(refused.slice(0, 5))}`)
  rmSync(folder, { recursive: true })
})
