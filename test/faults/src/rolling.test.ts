import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { repository } from '@millhand/test-e2e/server'
import { javaMissing } from '@millhand/test-servers'
import { rollingRestart } from './rolling.ts'

/** A small machine is busy with the starts alone. The whole, 200 requests a second and 50 streams: `pnpm faults --rolling`. */
const small = { perSecond: 20, streams: 6, drainSeconds: 3 }

test('no request and no stream fails while every process is restarted', {
  skip: javaMissing,
  timeout: 600_000,
}, async t => {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-rolling-'))
  t.diagnostic(`logs and data in ${folder}`)
  const say = (line: string) => t.diagnostic(line)
  const { failures, requests, streams, returns } = await rollingRestart({ ...small, root: repository, folder, say })
  t.diagnostic(`${requests} requests, ${streams} streams read to their end, readers came back ${returns} times`)
  assert.deepEqual(failures.slice(0, 20), [])
  assert.ok(requests > 0 && streams > 0)
  assert.ok(returns > 0, 'no reader was told to come back')
  rmSync(folder, { recursive: true })
})
