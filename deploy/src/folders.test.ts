import assert from 'node:assert/strict'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ConfigurationError } from '@millhand/process'
import { ensureFolder, requireFolder } from './folders.ts'

test('a folder is made with those above it, for its owner alone, and may be there', async t => {
  const parent = await mkdtemp(join(tmpdir(), 'millhand-folders-'))
  t.after(() => rm(parent, { recursive: true }))
  const folder = join(parent, 'a', 'b')
  for (let n = 0; n < 2; n++) await ensureFolder('MILLHAND_DATA_DIR', folder)
  for (const path of [folder, join(parent, 'a')]) assert.equal((await stat(path)).mode & 0o777, 0o700)
  await requireFolder('MILLHAND_MODELS_DIR', folder)
})

test('what can be no folder is named by its setting', async t => {
  const parent = await mkdtemp(join(tmpdir(), 'millhand-folders-'))
  t.after(() => rm(parent, { recursive: true }))
  const file = join(parent, 'file')
  await writeFile(file, '')
  const named = (error: unknown) => error instanceof ConfigurationError && /MILLHAND_X must be/.test(error.message)
  for (const path of [file, join(file, 'below'), '/proc/nowhere']) {
    await assert.rejects(ensureFolder('MILLHAND_X', path), named, path)
    await assert.rejects(requireFolder('MILLHAND_X', path), named, path)
  }
})
