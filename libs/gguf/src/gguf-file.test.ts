import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'

it('says how to get the package where it is not installed', async t => {
  // From there no package is found.
  const folder = mkdtempSync(join(tmpdir(), 'millhand-gguf-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const elsewhere = join(folder, 'gguf-file.ts')
  copyFileSync(join(import.meta.dirname, 'gguf-file.ts'), elsewhere)
  const { missingPackage, ggufFault } = await import(elsewhere)
  assert.match(missingPackage(), /^needs the package node-llama-cpp, which is not installed/)
  assert.match(await ggufFault('/dev/null'), /^needs the package node-llama-cpp/)
})
