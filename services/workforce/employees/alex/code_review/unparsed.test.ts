/** Files and hunks that can be parsed in part: the rules read what can, and the review says what was not. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checks } from './checks.ts'
import { rules } from './engine.ts'
import { briefOf, reviewOf } from './review-of.ts'

const said = async (path: string, text: string) => {
  const { findings, read, not_read } = await reviewOf({ files: [{ path, text }] })
  return {
    found: findings.map(({ line, rule }) => `${line} ${rule}`),
    whole: read[0]?.whole,
    lines: read[0]?.lines,
    unread: not_read[0]?.reason,
  }
}

describe('a file with an error', () => {
  const broken = {
    'A.java': [
      'class A {\n  void f() { int x = = 3; }\n  void g() {\n    MessageDigest.getInstance("MD5");\n  }\n}\n',
      2,
      '4 weak-hash',
    ],
    'a.go': ['package a\n\nfunc f() { x := = 3 }\n\nfunc g() {\n\th := md5.New()\n}\n', 3, '6 weak-hash'],
    'a.rs': ['fn f() { let a = = 3; }\n\nconst API_KEY: &str = "k3y8fz72ma";\n', 1, '3 secret-in-code'],
    'a.php': ['<?php\nfunction f() { $x = = 3; }\n\nfunction g($a) {\n    eval($a);\n}\n', 2, '5 code-from-values'],
    'A.cs': [
      'class A\n{\n    int F() { int x = = 3; }\n\n    void G() { var h = MD5.Create(); }\n}\n',
      3,
      '5 weak-hash',
    ],
    'a.js': ['export const x = = 3\n\nexport function g(b) {\n  return eval(b)\n}\n', 1, '4 no-eval'],
    'a.ts': ['export function g(b: string) {\n  return eval(b)\n}\n\nexport const x = = 3\n', 5, '2 no-eval'],
    'a.py': ['def f(a):\n    return eval(a)\n\n\nx = = 3\n', 5, '2 S307'],
  } as const
  for (const [path, [text, line, finding]] of Object.entries(broken))
    it(`is read around it, and said to be: ${path}`, async () => {
      const { found, whole, unread } = await said(path, text)
      assert.deepEqual(
        [found[0], found.slice(1), whole, unread],
        [`${line} syntax-error`, [finding], false, `Not parsed, so read by no rule: line ${line}.`],
      )
    })

  it('fails the check that all was read', async () => {
    const asked = briefOf({ files: [{ path: 'A.java', text: broken['A.java'][0] }] })
    const measured = await checks(asked, await rules(asked))
    assert.deepEqual(
      measured.flatMap(({ id, pass }) => (pass ? [] : id)),
      ['every_file_read'],
    )
  })

  it('and nothing else has no line that was read', async () => {
    const { found, whole, lines } = await said('a.go', 'eval(( = \n')
    assert.deepEqual([found, whole, lines], [['1 syntax-error'], false, 0])
  })

  it('where one bracket is missing has all its lines read', async () => {
    const text = 'class A {\n  void g() { MessageDigest.getInstance("MD5"); }\n  void f() { if (x) {\n}\n'
    const { found, whole, unread } = await said('A.java', text)
    assert.deepEqual([found, whole, unread], [['4 syntax-error', '2 weak-hash'], true, undefined])
  })

  it('in a changed file is told of where its lines changed', async () => {
    const text = 'package a\n\nvar x = = 3\n\nfunc g() {\n\th := md5.New()\n}\n'
    const diff = '--- a/a.go\n+++ b/a.go\n@@ -5,2 +5,3 @@\n func g() {\n+\th := md5.New()\n }\n'
    const { read, not_read } = await reviewOf({ diff, files: [{ path: 'a.go', text }] })
    assert.deepEqual([read[0]?.whole, read[0]?.lines, not_read], [true, 1, []])
  })
})

describe('conditional compilation of C#', () => {
  const method = (head: string) =>
    `class A\n{\n${head}\n    {\n        try { G(); } catch { }\n        var h = MD5.Create();\n    }\n}\n`

  it('is read where all its branches are code together', async () => {
    const text = method('#pragma warning disable 1\n    void F(\n#if X\n        int b,\n#endif\n        int a)')
    const { found, whole } = await said('A.cs', text)
    assert.deepEqual([found, whole], [['10 error-swallowed', '11 weak-hash'], true])
  })

  it('is read in its first branches where they are not, and says which lines are left', async () => {
    const { found, whole, unread } = await said(
      'A.cs',
      method('#if X\n    int F(int a)\n#else\n    long F(int a)\n#endif'),
    )
    assert.deepEqual(
      [found, whole, unread],
      [['9 error-swallowed', '10 weak-hash'], false, 'Not parsed, so read by no rule: line 6.'],
    )
  })

  it('leaves the offsets of patches as they are', async () => {
    const text = method('#if X\n    async void F(int a)\n#else\n    long F(int a)\n#endif')
    const { findings } = await reviewOf({ files: [{ path: 'A.cs', text }] })
    assert.match(findings.find(({ rule }) => rule === 'async-void')?.patch ?? '', /^\+ {4}async Task F\(int a\)$/m)
  })
})

describe('a hunk', () => {
  const found = async (path: string, ...lines: string[]) => {
    const count = (mark: string) => lines.filter(line => line[0] !== mark).length
    const diff = `--- a/${path}\n+++ b/${path}\n@@ -10,${count('+')} +10,${count('-')} @@\n${lines.join('\n')}\n`
    const { findings, not_read } = await reviewOf({ diff })
    return [findings.map(({ line, rule }) => `${line} ${rule}`), not_read.map(({ reason }) => reason)]
  }

  for (const [path, wanted, ...lines] of [
    ['a.go', '11 weak-hash', ' \t} else {', '+\t\th := md5.New()', ' \t}', ' }', ' ', ' func g() {'],
    ['a.go', '11 weak-hash', ' func g() {', '+\th := md5.New()', ' \tif a {'],
    ['a.php', '11 code-from-values', '     $a = 1;', '+    eval($x);', '   }'],
    ['a.php', '12 code-from-values', '   }', '   public function f($x) {', '+    eval($x);', '   }'],
    ['A.java', '11 weak-hash', '     int a = 1;', '+    MessageDigest.getInstance("MD5");', '   }', '   void h() {'],
    ['A.cs', '11 weak-hash', '     int a = 1;', '+    var h = MD5.Create();', '   }', '   void H() {'],
    ['a.rs', '11 secret-in-code', '     let a = 1;', '+    let api_key = "k3y8fz72ma";', '   }', '   fn h() {'],
    ['a.rb', '11 code-from-values', '     a = 1', '+    eval(x)', '   end', '   def h'],
    ['a.js', '11 no-eval', '   const r = /[({]/', '+  eval(x)', '   f(/\\)/)'],
    ['a.js', '11 no-eval', '   const r = `a ( {`', '+  eval(x)', ' }'],
    ['a.js', '11 no-eval', '   } else {', '+  eval(x)', ' }'],
  ] as const)
    it(`is read in what it is cut from: ${path} ${lines.join('⏎')}`, async () =>
      assert.deepEqual(await found(path, ...lines), [[wanted], []]))

  it('names lines that can be parsed in no reading', async () =>
    assert.deepEqual(await found('a.go', ' \ta := 1', '+\tb := = := 3 3', '+\th := md5.New()'), [
      ['12 weak-hash'],
      ['Not parsed without the rest of the file, so read by no rule: line 11. Give the file too.'],
    ]))

  it('is not blamed for what its function does after its end', async () => {
    assert.deepEqual(await found('a.js', '+  const r = xs.map(x => {', '+    if (x) return g(x)', '     h()'), [[], []])
    assert.deepEqual(await found('a.js', '+  get size() {', '+    if (x) return g(x)', '     h()'), [[], []])
    assert.deepEqual(await found('a.js', '   try {', '     g()', '+  } catch (e) {'), [[], []])
    assert.deepEqual(await found('A.java', '   try { f(); }', '+  catch (E e) {'), [[], []])
    assert.deepEqual(await found('A.java', '   try { f(); }', '+  catch (E e) { }', '   g();'), [
      ['11 error-swallowed'],
      [],
    ])
  })
})
