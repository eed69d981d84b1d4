import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { peersFolder, usualPeers } from './peers-folder.ts'

test('the folder of the peers is the one that is named, and what it lacks is said with how to get it', t => {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-peers-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const env = { MILLHAND_PEERS_DIR: folder }
  const missing = () => peersFolder(usualPeers, env)
  assert.throws(missing, {
    message: /has no run-bullmq\.sh, run-fastapi\.sh, run-node-onnx\.sh\.\n.*MILLHAND_PEERS_DIR/,
  })
  for (const name of usualPeers) writeFileSync(join(folder, `run-${name}.sh`), '')
  assert.equal(missing(), folder)
  assert.throws(() => peersFolder(['temporal'], env), { message: /has no run-temporal\.sh/ })
})
