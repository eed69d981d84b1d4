/** Tables that are hostile, and what the program may read. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { Refusal } from '../../src/brief.ts'
import type { AnalysisInput } from '../analysis/input.ts'
import { analysed, ask, waves } from './analysis.fixture.ts'

describe('hostile tables', () => {
  const nasty = [
    '=1+2',
    '+cmd',
    '-2+3',
    '@SUM(A1)',
    '<script>alert(1)</script>',
    `"'); DROP TABLE data; --`,
    '\u202Etxt',
  ]

  it('leave neither formulas nor script in what is made of them', async () => {
    const rows = waves(120, i => ({
      [nasty[0] ?? '']: nasty[i % nasty.length],
      [nasty[4] ?? '']: (i % nasty.length) * 10 + Math.sin(i * 5.1),
      [nasty[5] ?? '']: nasty[i % nasty.length],
      '@now': Math.cos(i * 3.7),
    }))
    const { answer, artifacts, failed } = await ask({ rows })
    assert.ok(answer.result.findings.length > 0)
    assert.deepEqual(failed, [])
    for (const [name, text] of artifacts) {
      if (name.endsWith('.svg')) assert.doesNotMatch(text, /<script/i, name)
      else assert.doesNotMatch(text, /(^|,|\n)"?[=+@]/, name)
    }
  })

  it('are analysed or refused, and nothing else', async () => {
    const refused = async (input: AnalysisInput, words: RegExp) =>
      assert.rejects(analysed(input), (error: unknown) => error instanceof Refusal && words.test(error.message))
    await refused({ csv: `a\n${'x'.repeat(60_000_000)}` }, /100,000 characters/)
    await refused({ csv: `a\n${'x'.repeat(70_000_000)}` }, /64 MiB/)
    await refused({ csv: Array.from({ length: 10_000 }, (_, i) => `c${i}`).join(',') }, /1,000 columns/)
    await refused({ csv: 'a,b\n' }, /no rows/)
    await refused({ json: `${'['.repeat(100_000)}` }, /can't be read/)
    const extreme = await ask({
      rows: waves(40, i => ({
        big: 1.7e308 * (i % 2 ? 1 : -1),
        small: 5e-324 * i,
        same: 7,
        name: `n${i}`,
        '\0': '\0',
      })),
    })
    assert.deepEqual(extreme.failed, [])
  })

  it('of many columns are described, and the first of them tested', async () => {
    const wide = (columns: number) =>
      waves(12, i => Object.fromEntries(Array.from({ length: columns }, (_, c) => [`c${c}`, (i * (c + 3)) % 17])))
    const answer = await analysed({ rows: wide(110) })
    assert.equal(answer.result.columns.length, 110)
    assert.match(answer.warnings?.join() ?? '', /last 10 columns are described, not tested/)
    await assert.rejects(analysed({ rows: wide(251) }), Refusal)
    assert.equal((await analysed({ rows: wide(251), columns: ['c1', 'c250'] })).result.columns.length, 2)
  })
})

it('an analysis needs to read its own program and nothing else', async () => {
  const root = new URL('../../../../../', import.meta.url).pathname
  const script = `const { rules } = await import('./engine.ts')
    const rows = Array.from({ length: 50 }, (_, i) => ({ a: i % 7, b: (i * i) % 11 }))
    const { result } = await rules({ topic: '', tone: '', constraints: {}, files: [], seed: 1, input: { rows } })
    process.stdout.write(String(result.rows))`
  const flags = [
    '--permission',
    '--allow-addons',
    `--allow-fs-read=${root}*`,
    '--no-warnings',
    '--input-type=module',
    '-e',
  ]
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, script], { cwd: import.meta.dirname })
  assert.equal(stdout, '50')
})
