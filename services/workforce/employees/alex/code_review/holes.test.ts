/** Holes that the rules find, and code that only looks like them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { applyPatch } from 'diff'
import { reviewOf } from './review-of.ts'

describe('holes', () => {
  const rulesAt = async (path: string, code: string) =>
    (await reviewOf({ code, path })).findings.map(({ rule, line }) => `${line} ${rule}`)
  const java = (body: string) => `class A { void f(String a) throws E {\n${body}\n} }\n`
  const go = (body: string) => `package a\nfunc f(a string) {\n${body}\n}\n`
  const merge = (body: string) => `export function merge(a, b) {\n  for (const key in b) {\n    ${body}\n  }\n}\n`
  const deep = 'if (typeof b[key] === "object") merge(a[key], b[key]); else a[key] = b[key]'
  for (const [path, code, wanted] of [
    [
      'A.java',
      java('String q = "SELECT b FROM c WHERE d = \'" + a + "\'";\ns.executeQuery(q);'),
      ['2 sql-from-values'],
    ],
    ['A.java', java('String q = "SELECT b FROM c " + "WHERE d = 1";\ns.executeQuery(q);'), []],
    ['A.java', java('String q = "Select from " + a;\nlog.info(q);'), []],
    [
      'a.go',
      go(
        'q := fmt.Sprintf("SELECT b FROM c WHERE d = \'%s\'", a)\nrows, err := db.QueryContext(ctx, q)\nuse(rows, err)',
      ),
      ['3 sql-from-values'],
    ],
    ['a.go', go('var q = "DELETE FROM c WHERE d = " + a\ndb.Exec(q)'), ['3 sql-from-values']],
    ['a.go', go('q := fmt.Sprintf("select from %s", a)\nlog.Print(q)'), []],
    [
      'a.php',
      '<?php\n$api_key = "k3y8fz72ma";\nconst DB_PASSWORD = \'k3y8fz72ma\';\n$password = "$a 12345678";\n',
      ['2 secret-in-code', '3 secret-in-code'],
    ],
    [
      'a.rb',
      "API_KEY = 'k3y8fz72ma'\na = { api_key: 'k3y8fz72ma' }\npassword = ENV['PASSWORD1']\n",
      ['1 secret-in-code', '2 secret-in-code'],
    ],
    [
      'a.cs',
      'class A {\nconst string ApiKey = "k3y8fz72ma";\nstring Password { get; set; } = "your-password1";\n}\n',
      ['2 secret-in-code'],
    ],
    ['a.rs', 'const API_KEY: &str = "k3y8fz72ma";\nstatic NAME: &str = "k3y8fz72ma";\n', ['1 secret-in-code']],
    ['a.py', 'from flask import Flask\n\napp = Flask("a")\napp.run(debug=True)\n', ['4 S201']],
    ['a.py', 'from urllib.request import urlopen\n\n\ndef f(a):\n    return urlopen(a)\n', ['5 S310']],
    ['a.js', merge(deep), ['3 prototype-merged']],
    ['a.js', merge(`if (key === '__proto__') continue; ${deep}`), []],
    ['a.js', merge('a[key] = b[key]'), []],
    ['a.js', 'export const f = (req, a) => a.match(new RegExp(req.query.q))\n', ['1 expression-from-outside']],
    ['a.js', 'export const f = (req, a) => a.match(new RegExp(RegExp.escape(req.query.q)))\n', []],
  ] as const)
    it(`are found where they are: ${path} ${code.split('\n')[1] || code}`, async () =>
      assert.deepEqual(await rulesAt(path, code), wanted))

  it('of an except that catches everything are narrowed', async () => {
    const code = 'try:\n    f = 1\nexcept :\n    f = 2\n'
    const { findings } = await reviewOf({ code, path: 'a.py' })
    assert.match(applyPatch(code, findings[0]?.patch ?? '') || '', /^except Exception :$/m)
  })
})

describe('a review takes code as it is meant', () => {
  const rulesIn = async (code: string, path: string) =>
    (await reviewOf({ code, path })).findings.map(({ rule }) => rule)

  it('of a name or a text that is called as what switches rules off in comments', async () => {
    const code =
      'import ruff\n\nNOTE = "# noqa"\n\n\ndef check(noqa: str) -> str:\n    return ruff.check(noqa + NOTE)\n'
    assert.deepEqual(await rulesIn(code, 'check.py'), [])
  })

  it('and leaves out what a comment at its line allows', async () => {
    for (const comment of ['# noqa', '#NoQA: F401', '# ä # noqa', '# noqa: E501, F401', '# noqa: F'])
      assert.deepEqual(await rulesIn(`import os  ${comment}\n`, 'a.py'), [], comment)
    for (const comment of ['# noqa: E501', '# ruff: noqa', '# flake8: noqa', '# ruff: disable[F401]', '# NOTE "noqa"'])
      assert.deepEqual(await rulesIn(`${comment}\nimport os  ${comment}\n`, 'a.py'), ['F401'], comment)
    const { findings } = await reviewOf({ code: 'eval(input())  # noqa: S307\n', path: 'a.py' })
    assert.deepEqual(
      findings.map(({ rule, severity }) => [rule, severity]),
      [['S307', 'info']],
    )
  })

  it('and changes no comment', async () => {
    const code = 'x = [1]\nif not 1 in x:  # noqa\n    print(  # ruff: noqa\n        x\n    )\n'
    const { findings } = await reviewOf({ code, path: 'a.py' })
    for (const { patch } of findings) assert.doesNotMatch(patch ?? '', /#\s*-/)
  })

  it('as a loop over the places between values', async () => {
    const loop = (body: string) =>
      `export const f = (s, other, use) => { for (let i = 0; i <= s.length; i++) { ${body} } }\n`
    for (const body of [
      'use(s.slice(0, i))',
      'if (i === s.length || s[i] === "/") use(i)',
      'use(s[i] ?? "")',
      'if (s[i] !== undefined) use(i)',
      's[i] = 0',
      'use(other[i])',
    ])
      assert.deepEqual(await rulesIn(loop(body), 'a.ts'), [], body)
    assert.deepEqual(await rulesIn(loop('use(s[i].name)'), 'a.ts'), ['loop-past-the-end'])
  })

  it('as an assignment whose value is compared', async () => {
    const loop = (condition: string) => `export const f = (re, s, use) => { let m; while (${condition}) use(m) }\n`
    assert.deepEqual(await rulesIn(loop('(m = re.exec(s)) !== null'), 'a.js'), [])
    assert.deepEqual(await rulesIn(loop('(m = re.exec(s))'), 'a.js'), [])
    const code = 'export const f = (password, expected, use) => { if (password = expected) use() }\n'
    assert.ok((await rulesIn(code, 'a.js')).includes('no-cond-assign'))
  })

  it('as a sentence that begins with a word of SQL', async () => {
    const declared =
      'export declare const x: never, db: never, b: never, c: never, say: never, log: never, alert: never\n'
    const sql = [
      `x(\`SELECT * FROM t WHERE a = \${b}\`)`,
      `db.query(\`select a, b from t where c = \${b}\`)`,
      `db.run("delete from t where a = " + b)`,
      `x("UPDATE t SET a = " + b + " WHERE c")`,
    ]
    for (const code of sql) assert.match((await rulesIn(declared + code, 'a.ts')).join(), /^sql-/, code)
    const prose = [
      `say(\`Update your profile, \${b}, from the settings\`)`,
      `say("Select a file from " + b)`,
      `log(\`Drop it into \${b}\`)`,
      `alert(\`create a table for \${b} where you like\`)`,
    ]
    for (const code of prose) assert.deepEqual(await rulesIn(declared + code, 'a.ts'), [], code)
  })

  it('as markup where it may be meant: it is told of, and not changed', async () => {
    const { findings } = await reviewOf({
      code: 'export const show = (e, html) => { e.innerHTML = html }\n',
      path: 'a.js',
    })
    assert.deepEqual(
      findings.map(({ rule, patch }) => [rule, patch]),
      [['markup-from-values', null]],
    )
  })

  it('in a language that is known by no name of an object', async () => {
    const { not_read } = await reviewOf({ files: ['x.constructor', 'x.toString'].map(path => ({ path, text: 'a' })) })
    assert.deepEqual(
      not_read.map(({ file }) => file),
      ['x.constructor', 'x.toString'],
    )
  })
})
