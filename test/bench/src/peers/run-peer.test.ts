import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { runPeer } from './run-peer.ts'

test('a peer’s figures are read among what its installers say, and its failures are not taken for figures', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-peers-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const run = (body: string) => {
    writeFileSync(join(folder, 'run-some.sh'), `#!/bin/sh\n${body}\n`)
    chmodSync(join(folder, 'run-some.sh'), 0o755)
    return runPeer({ folder, name: 'some', words: ['1', '32'], seconds: 2.4 })
  }
  const line = (errors: number) =>
    `echo "{\\"workload\\":\\"c$1-$2-$RUN_S-$CLOSED_S\\",\\"rps\\":10,\\"p50_ms\\":2,\\"p99_ms\\":3,\\"errors\\":${errors}}"`

  assert.deepEqual(await run(`echo added 2 packages; ${line(0)}`), [
    { workload: 'c1-32-2-2', rps: 10, p50_ms: 2, p99_ms: 3 },
  ])
  await assert.rejects(run(line(1)), { message: /run-some\.sh measured failures/ })
  await assert.rejects(run('echo no network >&2; exit 3'), { message: /ended with 3:\nno network/ })
  await assert.rejects(run('true'), { message: /printed no figure/ })
})
