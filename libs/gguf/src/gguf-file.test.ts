import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { smallModel } from './small-model.fixture.ts'

/** The library where no package is found. */
function withoutPackage(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'millhand-gguf-'))
  t.after(() => rmSync(root, { recursive: true }))
  const sources = join(root, 'libs/gguf/src')
  mkdirSync(sources, { recursive: true })
  for (const file of ['gguf-file.ts', 'small-model.fixture.ts'])
    copyFileSync(join(import.meta.dirname, file), join(sources, file))
  return { root, sources }
}

it('says how to get the package where it is not installed', async t => {
  const { sources } = withoutPackage(t)
  const { missingPackage, ggufFault } = await import(join(sources, 'gguf-file.ts'))
  assert.match(missingPackage(), /^needs the package node-llama-cpp, which is not installed/)
  assert.match(await ggufFault('/dev/null'), /^needs the package node-llama-cpp/)
})

it('skips tests of the small model where its file is there and the package is not', async t => {
  const { root, sources } = withoutPackage(t)
  mkdirSync(join(root, '.venv/models'), { recursive: true })
  writeFileSync(join(root, '.venv/models', basename(smallModel)), 'GGUF')
  const { CI } = process.env
  delete process.env.CI
  t.after(() => CI !== undefined && Object.assign(process.env, { CI }))
  const { smallModelMissing } = await import(join(sources, 'small-model.fixture.ts'))
  assert.match(smallModelMissing, /^needs the package node-llama-cpp/)
})
