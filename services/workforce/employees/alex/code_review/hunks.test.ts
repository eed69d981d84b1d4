/** Diffs, with their files and without. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { places, reviewOf } from './review-of.ts'

describe('a diff', () => {
  const whole = 'import os\n\ndef a(x=[]):\n    return eval(x)\n\ndef b():\n    return 1\n'
  const diff = `diff --git a/m.py b/m.py
--- a/m.py
+++ b/m.py
@@ -2,4 +2,4 @@ import os
 
 def a(x=[]):
-    return int(x)
+    return eval(x)
 
`

  it('is reviewed in its added lines alone, with patches where the file is given', async () => {
    assert.deepEqual(places(await reviewOf({ diff, files: [{ path: 'm.py', text: whole }] })), ['m.py:4 S307'])
    const none = { diff: diff.replace('+    return eval(x)', '+    return float(x)') }
    assert.deepEqual(
      places(await reviewOf({ ...none, files: [{ path: 'm.py', text: whole.replace('eval', 'float') }] })),
      [],
    )
  })

  it('says nothing of null and of the end of a list without the file, which may catch the exception', async () => {
    const rest = '} catch (NullPointerException e) { g(); } } }\n'
    const opened = 'class A { void f(int[] n) {\nString s = null; try {\n'
    const changes = 's.length();\nfor (int i = 0; i <= n.length; i++) { g(n[i]);\n'
    const added = changes.replaceAll(/^(?=.)/gm, '+')
    const diff = `--- a/A.java\n+++ b/A.java\n@@ -1,2 +1,4 @@\n ${opened.trim().replace('\n', '\n ')}\n${added}`
    assert.deepEqual(places(await reviewOf({ diff })), [])
    const found = ['A.java:3 used-though-null', 'A.java:4 loop-past-the-end']
    const whole = (end: string) => [{ path: 'A.java', text: opened + changes + end }]
    assert.deepEqual(places(await reviewOf({ diff, files: whole('} } finally { g(); } } }\n') })), found)
    assert.deepEqual(places(await reviewOf({ diff, files: whole(`} ${rest}`) })), [])
  })

  it('is reviewed without the file too, as far as its hunks can be read', async () => {
    assert.deepEqual(places(await reviewOf({ diff })), ['m.py:4 S307'])
    const ends = (path: string, at: number, ...lines: string[]) =>
      `--- a/${path}\n+++ b/${path}\n@@ -${at},${lines.filter(line => line[0] !== '+').length} +${at},${lines.filter(line => line[0] !== '-').length} @@\n${lines.join('\n')}\n`
    const pieces = [
      ends('a.ts', 10, '   load() {', '+    eval(this.source)', '   }', '   rest() {'),
      ends('b.js', 30, '   })', '+  eval(input)', ' })', ' ', ' function next() {'),
      ends('c.go', 40, ' \tif err != nil {', '+\t\t_ = close()', ' \t}', ' }'),
      ends('d.py', 50, '         x = 1', '+        eval(x)', ' ', '     def next(self):', '         pass'),
    ]
    assert.deepEqual(places(await reviewOf({ diff: pieces.join('') })), [
      'a.ts:11 no-eval',
      'b.js:31 no-eval',
      'd.py:51 S307',
      'c.go:41 error-discarded',
    ])
  })

  it('that says it is far down a file is read where it says, and costs no more for that', {
    timeout: 300_000,
  }, async () => {
    const hunk = (line: number) => `@@ -${line} +${line} @@\n-x\n+eval(x)\n`
    for (const [path, rule] of [
      ['a.js', 'no-eval'],
      ['a.py', 'S307'],
    ] as const) {
      const head = `--- a/${path}\n+++ b/${path}\n`
      assert.deepEqual(places(await reviewOf({ diff: `${head}${hunk(999_999_999)}` })), [`${path}:999999999 ${rule}`])
      const many = Array.from({ length: 60 }, (_, at) => hunk(3_000_000 + at)).join('')
      assert.equal((await reviewOf({ diff: `${head}${many}` })).findings.length, 60)
    }
    const go = '--- a/a.go\n+++ b/a.go\n@@ -1 +999999999 @@\n-x\n+_ = close()\n'
    assert.deepEqual(places(await reviewOf({ diff: go })), ['a.go:999999999 error-discarded'])
  })

  it('of a new file is the file; a deleted one is nothing', async () => {
    const added = '--- /dev/null\n+++ b/new.js\n@@ -0,0 +1,2 @@\n+const a = 1\n+if (a === NaN) a()\n'
    const { findings } = await reviewOf({ diff: `${added}--- a/old.js\n+++ /dev/null\n@@ -1 +0,0 @@\n-eval(x)\n` })
    assert.deepEqual(
      findings.map(({ rule, patch }) => [rule, patch !== null]),
      [['use-isnan', true]],
    )
  })

  it('is read where its hunks are broken, and says which lines were not', async () => {
    const half = (path: string, ...lines: string[]) =>
      `--- a/${path}\n+++ b/${path}\n@@ -5,${lines.filter(line => line[0] === ' ').length} +5,${lines.length} @@\n${lines.join('\n')}\n`
    for (const [path, lines, wanted] of [
      ['a.ts', [" case 'a':", '+  eval(x)', '   else {'], 'a.ts:6 no-eval'],
      ['a.js', ['   } else {', '+    eval(x)', '   } catch (e) {'], 'a.js:6 no-eval'],
      ['a.py', ["     a docstring's line", '     """', '+    eval(x)', '     return 1'], 'a.py:7 S307'],
      ['a.py', ['     else:', '+        eval(x)', '     except X:'], 'a.py:6 S307'],
    ] as const) {
      const { findings, not_read } = await reviewOf({ diff: half(path, ...lines) })
      assert.deepEqual(
        [findings.map(({ file, line, rule }) => `${file}:${line} ${rule}`), not_read],
        [[wanted], []],
        lines.join('\n'),
      )
    }
    const { findings, not_read, summary } = await reviewOf({
      diff: half('a.py', '     else:', '+        eval(x)', '+    elif ((('),
    })
    assert.deepEqual([findings.map(({ line }) => line), summary.lines], [[6], 1])
    assert.match(not_read[0]?.reason ?? '', /: line 7\. Give the file/)
  })
})
