import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { it } from 'node:test'
import { textGenerationOf } from './text-generation.ts'

it('is switched off by the setting', () => {
  assert.deepEqual(textGenerationOf(0), { fault: 'MILLHAND_TEXT_SLOTS is 0' })
})

it('names the setting and the package where that is not installed', async t => {
  // A deployment with the library, and without what it may have beside it.
  const folder = mkdtempSync(join(tmpdir(), 'millhand-text-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const library = resolve(import.meta.dirname, '../../libs/gguf')
  for (const part of ['package.json', 'src'])
    cpSync(join(library, part), join(folder, 'gguf', part), { recursive: true })
  mkdirSync(join(folder, 'node_modules/@millhand'), { recursive: true })
  symlinkSync(join(folder, 'gguf'), join(folder, 'node_modules/@millhand/gguf'))
  cpSync(join(import.meta.dirname, 'text-generation.ts'), join(folder, 'text-generation.ts'))
  const without: { textGenerationOf: typeof textGenerationOf } = await import(join(folder, 'text-generation.ts'))
  const { fault = '' } = without.textGenerationOf(2)
  assert.match(fault, /^MILLHAND_TEXT_SLOTS needs the package node-llama-cpp, which is not installed: `pnpm install`/)
})
