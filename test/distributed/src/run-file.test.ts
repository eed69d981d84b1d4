import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { runFile } from './run-file.ts'

const cwd = mkdtempSync(join(tmpdir(), 'millhand-run-file-'))
after(() => rmSync(cwd, { recursive: true }))

/** What comes of a file with that code: by test, why it was skipped, the error's first line, or true where it passed. */
async function outcomes(code: string): Promise<Record<string, string | boolean>> {
  writeFileSync(join(cwd, 'a.test.mjs'), `import { before, describe, it } from 'node:test'\n${code}`)
  const seen: Record<string, string | boolean> = {}
  const test = async (name: string, { skip }: { skip: string | boolean }, run: () => void) => {
    try {
      if (skip === false) run()
      seen[name] = skip === false ? true : skip
    } catch (error) {
      seen[name] = String(error).split('\n')[0] as string
    }
  }
  await runFile({ test } as unknown as Parameters<typeof runFile>[0], 'a.test.mjs', { cwd, env: {} })
  return seen
}

describe('a file of tests', () => {
  it('whose only suite is skipped is skipped, with the reason', async () => {
    const code = `describe('with a model', { "skip": "needs a model" }, () => { it('runs', () => {}) })`
    assert.deepEqual(await outcomes(code), { 'a.test.mjs: with a model': 'needs a model' })
  })

  it('of which some is skipped runs the rest', async () => {
    const code = `it('one', () => {}); it('two', { "skip": "needs curl" }, () => {}); it('three', () => { throw new Error('no') })`
    assert.deepEqual(await outcomes(code), {
      'a.test.mjs: one': true,
      'a.test.mjs: two': 'needs curl',
      'a.test.mjs: three': 'Error: Error: no',
    })
  })

  it('whose suite fails before its tests has failed', async () => {
    const code = `describe('a', () => { before(() => { throw new Error('no server') }); it('runs', () => {}) })`
    assert.equal((await outcomes(code))['a.test.mjs: a'], 'Error: Error: no server')
  })

  it('that has no test, or can’t be read, is no success', async () => {
    await assert.rejects(outcomes(''), /a\.test\.mjs: no test ran/)
    await assert.rejects(outcomes(`describe('empty', () => {})`), /no test ran/)
    assert.deepEqual(await outcomes('throw new Error()'), { 'a.test.mjs: a.test.mjs': 'Error: test failed' })
  })
})
