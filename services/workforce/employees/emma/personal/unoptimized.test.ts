import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { measure } from './planted.fixture.ts'

/** In a process with much compiled code, V8 stops optimizing regular expressions. */
it('personal data is masked the same way where regular expressions are not optimized', async () => {
  const program = `
    import { measure } from ${JSON.stringify(import.meta.resolve('./planted.fixture.ts'))}
    console.log(JSON.stringify([measure(), measure('planted-names.tsv')]))`
  const flags = ['--no-regexp-optimization', '--disable-warning=ExperimentalWarning', '--input-type=module']
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--eval', program])
  assert.deepEqual(JSON.parse(stdout), [measure(), measure('planted-names.tsv')])
})
