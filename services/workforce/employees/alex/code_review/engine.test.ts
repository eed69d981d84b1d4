/** What a review takes and gives, and what it says was read. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { applyPatch } from 'diff'
import { Refusal } from '../../src/brief.ts'
import { checks } from './checks.ts'
import { rules } from './engine.ts'
import type { Input } from './result.ts'
import { briefOf, places, reviewOf } from './review-of.ts'

describe('a review', () => {
  it('says where, why and what to do, the worst first, with a patch that mends it', async () => {
    const code = 'for (let i = 0; i <= list.length; i++) use(list[i])\nvar list = [], use = pint; use(list)\n'
    const { findings, summary } = await reviewOf({ code, path: 'src/loop.js' })
    assert.deepEqual(
      findings.map(({ severity, line, column, rule }) => [severity, line, column, rule]),
      [
        ['error', 1, 17, 'loop-past-the-end'],
        ['error', 2, 22, 'no-undef'],
        ['info', 2, 1, 'no-var'],
      ],
    )
    const [{ why, fix, patch } = { why: '', fix: '', patch: '' }] = findings
    assert.ok(why && fix)
    assert.match(applyPatch(code, patch ?? '') || '', /i < list\.length/)
    assert.match(patch ?? '', /^--- a\/src\/loop\.js$/m)
    assert.deepEqual(summary, { files: 1, lines: 3, errors: 2, warnings: 0, infos: 1 })
  })

  it('takes code, files of the brief and files of the task together', async () => {
    const bytes = Buffer.from('def f(x=[]):\n    return x\n')
    const files = [{ name: 'b.py', media_type: 'text/x-python', bytes }]
    assert.deepEqual(places(await reviewOf({ code: 'eval("x")', language: 'typescript', files: [] }, { files })), [
      'code.ts:1 no-eval',
      'b.py:1 B006',
    ])
  })

  it('takes files of the task in UTF-16, and refuses those that are no text', async () => {
    const file = (bytes: Buffer) => ({ files: [{ name: 'a.py', media_type: 'text/x-python', bytes }] })
    const wide = Buffer.from('\ufeffdef f(x=[]):\n    return x\n', 'utf16le')
    assert.deepEqual(places(await reviewOf({}, file(wide))), ['a.py:1 B006'])
    await assert.rejects(
      () => rules(briefOf({}, file(Buffer.from('a = 1\0\n')))),
      (error: Refusal) => error instanceof Refusal && error.param === 'files[0]',
    )
  })

  it('counts lines however they end', async () => {
    for (const [path, lines] of [
      ['a.js', ['var a = 1', 'eval(a)', '']],
      ['a.ts', ['var a = 1', 'eval(a)', '']],
      ['a.py', ['import os', 'eval(input())', '']],
    ] as const)
      for (const end of ['\n', '\r\n', '\r']) {
        const { findings, summary } = await reviewOf({ files: [{ path, text: lines.join(end) }] })
        assert.equal(summary.lines, 3, `${path} ${JSON.stringify(end)}`)
        assert.deepEqual(findings.map(({ line }) => line).toSorted(), [1, 2])
      }
    const kept = 'import os\reval(input())\r'
    const { findings } = await reviewOf({ files: [{ path: 'a.py', text: kept }] })
    const patch = findings.find(({ rule }) => rule === 'F401')?.patch ?? ''
    assert.equal(applyPatch(kept, patch), 'eval(input())\r', 'and a change of a line changes that line alone')
  })

  it('leaves out what is not asked for', async () => {
    const code = 'eval("a")\nvar b = 1\n'
    const only = await reviewOf({ code, language: 'typescript', min_severity: 'warning', ignore_rules: ['no-eval'] })
    assert.deepEqual(places(only), ['code.ts:2 @typescript-eslint/no-unused-vars'])
  })

  it('tells of a file that is none of its language, and goes on with the others', async () => {
    const files = ['a.ts', 'b.py', 'c.go', 'd.rb', 'e.java'].map(path => ({ path, text: 'eval(( = \n' }))
    const { findings } = await reviewOf({ files: [...files, { path: 'f.js', text: 'eval(g)\nlet g\n' }] })
    assert.deepEqual(new Set(findings.slice(0, -1).map(({ rule }) => rule)), new Set(['syntax-error']))
    assert.equal(findings.at(-1)?.rule, 'no-eval')
  })

  it('keeps holes as notes where a comment at the line allows them, and obeys no comment for a whole file', async () => {
    const files = [
      { path: 'a.ts', text: '// @ts-nocheck\n/* eslint-disable */\n// @ts-ignore\neval(x) // eslint-disable-line\n' },
      { path: 'b.py', text: '# ruff: noqa\neval(x)  # noqa\n' },
    ]
    assert.deepEqual(places(await reviewOf({ files, ignore_rules: ['F821'] })), [
      'a.ts:4 TS2304',
      'a.ts:4 no-eval',
      'b.py:2 S307',
    ])
  })

  it('gives patches that fit, whatever ends the lines and stands before them', async () => {
    const mended = {
      'a.ts': ["const s = '😀é'; if (s === NaN) { f(s) }\n", /if \(Number\.isNaN\(s\)\) \{/],
      'b.py': ['s = "😀é"; f(s is "a")\n', /f\(s == "a"\)/],
      'c.go': ['package a\nvar c = "😀" + f(&tls.Config{InsecureSkipVerify: true})\n', /InsecureSkipVerify: false\}/],
      'D.java': [
        'class D { boolean f(String a) { String b = "😀é"; return a == "x"; } }\n',
        /return "x"\.equals\(a\);/,
      ],
      'e.rb': ['x = "😀"; OpenSSL::SSL::VERIFY_NONE\n', /SSL::VERIFY_PEER/],
    } as const
    for (const mark of ['', '\ufeff'])
      for (const end of ['\n', '\r\n'])
        for (const [path, [code, wanted]] of Object.entries(mended)) {
          const text = mark + code.replaceAll('\n', end)
          const { findings } = await reviewOf({ files: [{ path, text }] })
          const patch = findings.find(({ patch: given }) => given !== null)?.patch ?? ''
          assert.match(applyPatch(text, patch) || '', wanted, path)
        }
  })

  it('refuses what can not be reviewed, and says what would help', async () => {
    const refused: [Input, string][] = [
      [{}, 'input.code'],
      [{ code: 'x' }, 'input.language'],
      [{ diff: 'no diff' }, 'input.diff'],
      [{ files: [{ path: '../a.ts', text: '' }] }, 'input.files[0].path'],
      [{ files: [{ path: 'a\n+++ b/.git/config', text: '' }] }, 'input.files[0].path'],
      [{ code: 'x', path: '/etc/passwd' }, 'input.path'],
    ]
    for (const [input, param] of refused)
      await assert.rejects(
        () => rules(briefOf(input)),
        (error: Refusal) => error instanceof Refusal && error.param === param,
      )
    const { not_read } = await reviewOf({ code: 'x', path: 'notes.txt' })
    assert.deepEqual(
      not_read.map(({ file }) => file),
      ['notes.txt'],
    )
  })
})

describe('a review says what was read', () => {
  const asked = async (input: Input) => {
    const answer = await rules(briefOf(input))
    const every = (await checks(briefOf(input), answer)).find(({ id }) => id === 'every_file_read')
    return { ...answer.result, every: [every?.pass, every?.value, every?.target], text: answer.text ?? '' }
  }
  const c = { path: 'a.c', text: 'int main() { char a[8]; gets(a); }\n' }
  const py = { path: 'b.py', text: 'x = 1\n' }

  it('and by whose rules', async () => {
    const files = [py, { path: 'c.go', text: 'package a\n' }, { path: 'd.js', text: 'f()\n' }]
    const { read, every } = await asked({ files })
    assert.deepEqual(
      read.map(({ file, by, whole }) => [file, by, whole]),
      [
        ['b.py', 'ruff', true],
        ['c.go', 'rules over its syntax tree', true],
        ['d.js', 'ESLint', true],
      ],
    )
    assert.deepEqual(every, [true, 3, 3])
  })

  it('and has no count of errors where nothing was', async () => {
    const diff = '--- a/a.c\n+++ b/a.c\n@@ -1 +1,2 @@\n int a;\n+void f() { gets(b); }\n'
    for (const input of [{ files: [c] }, { diff }]) {
      const { summary, every, text, not_read } = await asked(input)
      assert.deepEqual(summary, { files: 0, lines: 0, errors: null, warnings: null, infos: null })
      assert.deepEqual(every, [false, 0, 1])
      assert.match(text, /^Nothing was read\.\n\na\.c: There are no rules for its language \(\.c\)\.$/)
      assert.equal(not_read.length, 1)
    }
  })

  it('and fails its check where one of the files was not', async () => {
    const { summary, every, text } = await asked({ files: [c, py] })
    assert.deepEqual([summary.errors, every], [0, [false, 1, 2]])
    assert.match(text, /Not read:\n {2}a\.c/)
  })
})

it('a review reads the files of the program alone, and needs no environment', () => {
  const root = join(import.meta.dirname, '../../../../..')
  const program = `
    const { rules } = await import(${JSON.stringify(join(import.meta.dirname, 'engine.ts'))})
    const files = [['a.ts', 'eval(x)'], ['b.py', 'eval(x)'], ['c.go', 'package a'], ['d.js', 'eval(1)']].map(([path, text]) => ({ path, text }))
    const { result } = await rules({ topic: '', tone: '', constraints: {}, files: [], seed: 1, input: { files } })
    console.log(result.summary.files)`
  const args = ['--permission', `--allow-fs-read=${root}`, '--input-type=module', '--eval', program]
  assert.equal(
    execFileSync(process.execPath, args, { env: {}, cwd: root, stdio: ['ignore', 'pipe', 'pipe'] }).toString(),
    '4\n',
  )
})
