/** What is measured on code that a language model wrote, hostile code among it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Brief } from '../../src/brief.ts'
import { faultsOf } from '../../src/run-rules.ts'
import { checks } from './checks.ts'
import example from './example.json' with { type: 'json' }
import inputSchema from './input.schema.json' with { type: 'json' }
import type { CodeFile, Input, Result } from './result.ts'

const GOOD = `const units = [['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]] as const
export function inWords(seconds: number): string {
  if (!Number.isInteger(seconds) || seconds < 0) throw new RangeError('a whole number from 0')
  let rest = seconds
  const parts: string[] = []
  for (const [name, size] of units) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0 && parts.length < 2) parts.push(\`\${count} \${name}\${count > 1 ? 's' : ''}\`)
  }
  return parts.length > 0 ? parts.join(' ') : '0 seconds'
}
`

async function measured(
  files: readonly CodeFile[],
  input: Input = {},
  {
    constraints = {},
    language = 'typescript',
    explanation = 'It counts units.',
  }: Partial<Brief> & Partial<Pick<Result, 'language' | 'explanation'>> = {},
) {
  const brief: Brief<Input> = { topic: 'code', tone: '', constraints, files: [], seed: 1, input }
  const result: Result = { language, files, explanation, assumptions: [] }
  const all = await checks(brief, { result, text: '' })
  return Object.fromEntries(all.map(({ id, pass, value }) => [id, { pass, value: String(value) }]))
}

const testsOf = async (files: readonly CodeFile[], tests: readonly CodeFile[], given: readonly CodeFile[] = []) => {
  const told = await measured(files, { tests, files: given })
  return told.tests_pass_javascript ?? told.tests_pass_python
}

describe('code that was written', () => {
  it('parses, type-checks and passes the tests given, where it is right', async () => {
    const told = await measured([{ path: 'in-words.ts', text: GOOD }], example.input as Input)
    for (const [id, { pass, value }] of Object.entries(told)) assert.ok(pass, `${id}: ${value}`)
    assert.deepEqual(Object.keys(told), [
      'language',
      'files_parse',
      'no_type_errors',
      'every_test_file_run',
      'tests_pass_javascript',
      'explanation_names_exist',
      'explanation_tells_of_no_other_runs',
    ])
    assert.equal(told.tests_pass_javascript?.value, '3')
  })

  it('that fails a test says which and why', async () => {
    const text = GOOD.replace("'0 seconds'", "'nothing'")
    const told = await measured([{ path: 'in-words.ts', text }], example.input as Input)
    assert.equal(told.tests_pass_javascript?.pass, false)
    assert.match(
      told.tests_pass_javascript?.value ?? '',
      /^2: says nothing at all as 0 seconds: .*"nothing" is not "0 seconds"/,
    )
  })

  it('is held against its explanation, and so is what was run', async () => {
    const explanation = '`inWords` counts `units` with `formatUnit`. All tests pass.'
    const told = await measured([{ path: 'in-words.ts', text: GOOD }], {}, { explanation })
    assert.deepEqual(told.explanation_names_exist, { pass: false, value: '1: formatUnit' })
    assert.deepEqual(told.explanation_tells_of_no_other_runs, { pass: false, value: '1: “All tests pass”' })
    const tested = await measured([{ path: 'in-words.ts', text: GOOD }], example.input as Input, { explanation })
    assert.equal(tested.explanation_tells_of_no_other_runs?.pass, true)
  })

  it('in a language whose tests are not run says so, and passes no test', async () => {
    const tests = [{ path: 'slug_test.go', text: 'package slug\n' }]
    const told = await measured([{ path: 'slug.go', text: 'package slug\n' }], { tests }, { language: 'go' })
    assert.deepEqual(told.every_test_file_run, { pass: false, value: '0: slug_test.go can’t be run here' })
    assert.deepEqual(told.explanation_tells_of_no_other_runs?.pass, true)
  })

  it('with wrong types says where', async () => {
    const told = await measured([
      { path: 'src/a.ts', text: 'export const a: number = "b"\nexport const c = missing\n' },
    ])
    assert.deepEqual(told.no_type_errors?.pass, false)
    assert.match(told.no_type_errors?.value ?? '', /^2: src\/a\.ts:1 TS2322 .*src\/a\.ts:2 TS2304/)
  })

  const input = { ...(example.input as Input), tests: example.input.tests, language: 'typescript' as const }
  const python = { path: 'b.py', text: 'b = 1\n' }
  const wishes = { must_include: ['inWords'], avoid: ['eval('], max_words: 200 }
  for (const [what, files, rest, ids] of [
    ['is as it should be', [{ path: 'in-words.ts', text: GOOD }, python], {}, []],
    ['is of another language', [{ path: 'in-words.ts', text: GOOD }, python], { language: 'python' }, ['language']],
    [
      'can not be read',
      [{ path: 'in-words.ts', text: GOOD }, { path: 'b.rb', text: 'def (' }, python],
      {},
      ['files_parse'],
    ],
    [
      'has a wrong type',
      [{ path: 'in-words.ts', text: `${GOOD}const a: number = ''\n` }, python],
      {},
      ['no_type_errors'],
    ],
    [
      'names what is not there',
      [
        { path: 'in-words.ts', text: GOOD },
        { ...python, text: 'b = c\n' },
      ],
      {},
      ['no_undefined_names'],
    ],
    [
      'is wrong',
      [{ path: 'in-words.ts', text: GOOD.replace("'0 seconds'", "'none'") }, python],
      {},
      ['tests_pass_javascript'],
    ],
    [
      'lacks what is wished',
      [{ path: 'in-words.ts', text: GOOD }, python],
      { constraints: { ...wishes, must_include: ['missing'] } },
      ['must_include'],
    ],
    [
      'has what is not wished',
      [{ path: 'in-words.ts', text: GOOD }, python],
      { constraints: { ...wishes, avoid: ['export'] } },
      ['avoid'],
    ],
    [
      'is explained at length',
      [{ path: 'in-words.ts', text: GOOD }, python],
      { constraints: { ...wishes, max_words: 1 } },
      ['max_words'],
    ],
  ] as const)
    it(`that ${what} fails ${ids.length === 0 ? 'no check' : `the check ${ids}, and no other`}`, async () => {
      const told = await measured(files, input, { constraints: wishes, ...rest })
      assert.deepEqual(
        Object.entries(told).flatMap(([id, { pass }]) => (pass ? [] : id)),
        ids,
      )
      assert.equal(Object.keys(told).length, 11)
    })

  it('with wrong types gains nothing by telling the compiler to look away', async () => {
    for (const order of ['// @ts-nocheck', '// @ts-ignore']) {
      const told = await measured([{ path: 'a.ts', text: `${order}\nexport const a: number = 'b'\n` }])
      assert.equal(told.no_type_errors?.pass, false, order)
    }
  })

  it('is not in a language because it says so: a file of it is', async () => {
    const told = await measured([{ path: 'slug', text: 'slug = 1' }], { language: 'python' }, { language: 'python' })
    assert.deepEqual(told.language, { pass: false, value: 'no file of python' })
  })

  it('is not said to parse where nothing here reads it', async () => {
    const told = await measured([{ path: 'a.cob', text: 'IDENTIFICATION DIVISION.' }])
    assert.deepEqual(Object.keys(told), ['explanation_names_exist', 'explanation_tells_of_no_other_runs'])
  })

  it('that is nested too deeply is said not to parse, and stops nothing', async () => {
    const deep = `a = ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`
    const files = [
      { path: 'a.ts', text: `export const ${deep}` },
      { path: 'b.py', text: deep },
    ]
    const tests = [{ path: 'a.test.ts', text: "import { a } from './a.ts'\ntest('a', () => a)\n" }]
    const told = await measured(files, { tests })
    assert.deepEqual(told.files_parse, { pass: false, value: '0: a.ts; b.py' })
    assert.deepEqual(told.no_type_errors, { pass: false, value: '1: It is nested too deeply for the compiler.' })
    assert.match(told.tests_pass_javascript?.value ?? '', /^0: a\.test\.ts: .*nested too deeply/)
    assert.equal(told.no_undefined_names, undefined)
  })

  it('has no wrong types because of packages that are not here', async () => {
    const text =
      'import express from "express"\nimport { a } from "./a.ts"\nexport const app = express()\napp.get("/", () => a + process.pid)\n'
    const files = [
      { path: 'a.ts', text: 'export const a = 1' },
      { path: 'b.ts', text },
    ]
    assert.deepEqual((await measured(files)).no_type_errors, { pass: true, value: '0' })
  })

  for (const [path, good, bad] of [
    ['a.ts', 'export const a = (b: number) => b', 'const a = ('],
    ['a.js', 'module.exports = 1', 'function {'],
    ['a.py', 'def a():\n    return 1\n', 'def a(:\n'],
    ['a.go', 'package a\n', 'func {'],
    ['a.rs', 'fn a() {}\n', 'fn {'],
  ] as const)
    it(`in ${path} is known to be broken where it is`, async () => {
      assert.equal((await measured([{ path, text: good }])).files_parse?.pass, true)
      const broken = await measured([{ path, text: bad }])
      assert.deepEqual(broken.files_parse, { pass: false, value: `0: ${path}` })
    })

  it('in Python names only what there is', async () => {
    const told = await measured([{ path: 'a.py', text: 'def a():\n    return missing\n' }])
    assert.match(told.no_undefined_names?.value ?? '', /^1: a\.py:2 .*missing/)
  })

  it('is held to the language asked for, and to wishes', async () => {
    const told = await measured(
      [{ path: 'a.py', text: 'a = 1\n' }],
      { language: 'go' },
      { language: 'python', constraints: { must_include: ['counts', 'a = 1'], avoid: ['import'], max_words: 3 } },
    )
    assert.deepEqual(told.language, { pass: false, value: 'python' })
    assert.deepEqual(told.must_include, { pass: true, value: '2' })
    assert.deepEqual(told.avoid, { pass: true, value: '0' })
    assert.deepEqual(told.max_words, { pass: true, value: '3' })
  })
})

describe('tests given', () => {
  it('of Jest and Vitest are understood, with hooks, promises and timers', async () => {
    const test = `import { beforeEach, describe, expect, it } from 'vitest'
      import { later, fail } from '../src/a'
      describe('a', () => {
        let n = 0
        beforeEach(() => { n++ })
        it('counts', () => expect(n).toBe(1))
        it('waits', async () => { expect(await later(60000)).toEqual({ ms: 60000, n: [1] }); expect(n).toBeGreaterThan(1) })
        it('fails', async () => { await expect(fail()).rejects.toThrow('no'); expect(() => { throw new TypeError('x') }).toThrow(TypeError) })
        it('is not so', () => { expect([1]).not.toContain(2); expect('abc').toMatch(/b/) })
      })`
    const code = `export const later = (ms: number) => new Promise(resolve => setTimeout(() => resolve({ ms, n: [1] }), ms))
      export const fail = async () => { throw new Error('no') }`
    const told = await testsOf([{ path: 'src/a.ts', text: code }], [{ path: 'test/a.test.ts', text: test }])
    assert.deepEqual(told, { pass: true, value: '4' })
  })

  it('of modules are understood whatever their ending', async () => {
    for (const [code, test] of [
      ['a.mjs', 'a.test.mjs'],
      ['a.mts', 'a.test.mts'],
      ['a.ts', 'a.test.mjs'],
    ] as const) {
      const text = `import assert from 'node:assert/strict'\nimport { a } from './${code}'\ntest('a', () => assert.equal(a, 1))\n`
      const told = await testsOf([{ path: code, text: 'export const a = 1\n' }], [{ path: test, text }])
      assert.deepEqual(told, { pass: true, value: '1' }, test)
    }
  })

  it('of modules of the old sort are understood', async () => {
    const told = await testsOf(
      [{ path: 'a.js', text: 'module.exports = { a: n => n + 1 }' }],
      [
        {
          path: 'a.test.js',
          text: "const { a } = require('./a'); test('a', () => require('assert').strictEqual(a(1), 2))",
        },
      ],
    )
    assert.deepEqual(told, { pass: true, value: '1' })
  })

  it('of Python are understood: unittest, and functions', async () => {
    const test = `import unittest
from a import half
class Half(unittest.TestCase):
    def test_even(self):
        self.assertEqual(half(4), 2)
    def test_odd(self):
        with self.assertRaises(ValueError):
            half(3)
def test_nothing():
    assert half(0) == 1, "wrong"
`
    const code = 'def half(n):\n    if n % 2:\n        raise ValueError(n)\n    return n // 2\n'
    const told = await testsOf([{ path: 'a.py', text: code }], [{ path: 'test_a.py', text: test }])
    assert.deepEqual(told, { pass: false, value: '2: test_nothing: AssertionError: wrong' })
  })

  it('of Python say which file can not stand beside the others', async () => {
    const tests = [{ path: 'test_a.py', text: 'def test_a():\n    pass\n' }]
    const text = 'a = 1\n'
    for (const [first, second] of [
      ['app', 'app/x.py'],
      ['app/x.py', 'app'],
      ['app/x.py', 'src/'],
    ] as const) {
      const told = await testsOf(
        [first, second].map(path => ({ path, text })),
        tests,
      )
      assert.deepEqual(told?.pass, false, second)
      assert.match(told?.value ?? '', new RegExp(`^0: ${second}: there is a file where`))
    }
  })

  it('that are none do not pass', async () => {
    const none = await testsOf([{ path: 'a.js', text: '' }], [{ path: 'a.test.js', text: 'const a = 1' }])
    assert.deepEqual(none, { pass: false, value: '0' })
  })

  it('are not replaced by what was written', async () => {
    const tests = [{ path: 'a.test.js', text: "test('a', () => assert.equal(require('./a.js'), 2))" }]
    const files = [
      { path: 'a.js', text: 'module.exports = 1' },
      { path: 'a.test.js', text: "test('a', () => {})" },
    ]
    assert.equal((await testsOf(files, tests))?.pass, false)
  })
})

describe('hostile code', { timeout: 1_800_000 }, () => {
  const js = (text: string) =>
    testsOf(
      [{ path: 'a.js', text }],
      [{ path: 'a.test.js', text: "test('a', async () => assert.equal(await require('./a.js').a(), 1))" }],
    )
  const py = (text: string) =>
    testsOf([{ path: 'a.py', text }], [{ path: 'test_a.py', text: 'import a\ndef test_a():\n    assert a.a() == 1\n' }])

  for (const [does, text] of [
    ['reads a file', "exports.a = () => require('node:fs').readFileSync('/etc/passwd') && 1"],
    ['reads a file by import()', "exports.a = async () => (await import('node:fs')).readFileSync('/etc/passwd') && 1"],
    ['starts a process', "exports.a = () => require('child_process').execSync('id') && 1"],
    ['opens a socket', "exports.a = () => fetch('http://127.0.0.1/').then(() => 1)"],
    ['reads the environment', 'exports.a = () => process.env && 1'],
    ['gets out by a constructor', "exports.a = () => this.constructor.constructor('return process')().pid && 1"],
    ['waits for ever', 'exports.a = () => new Promise(() => {})'],
    ['overflows the stack', 'exports.a = () => exports.a() + 1'],
    ['eats memory', "exports.a = () => { const all = []; for (;;) all.push('x'.repeat(1e6) + all.length) }"],
    ['eats memory at once', 'exports.a = () => new Uint8Array(2 ** 31 - 1).fill(1)[0]'],
  ] as const)
    it(`in JavaScript that ${does} only fails its test`, async () => {
      const told = await js(text)
      assert.equal(told?.pass, false)
      assert.match(told?.value ?? '', /^0/)
    })

  for (const [does, text] of [
    ['calls all equal', 'Object.is = () => true'],
    ['empties the assertions', 'for (const name of Object.keys(assert)) assert[name] = () => {}'],
    ['replaces the assertions', 'globalThis.assert = { equal() {} }; globalThis.expect = () => ({ toBe() {} })'],
    ['empties each test', 'const real = test; globalThis.test = name => real(name, () => {})'],
    ['writes the report', "Object.prototype.toJSON = () => ({ kind: 'result', name: 'a', fault: '' })"],
    ['takes the words out of faults', "String.prototype.slice = () => ''"],
    ['goes through the tests first', 'Object.getPrototypeOf([].values()).next = () => ({ done: true })'],
    ['brings tests of its own', "for (const name of ['b', 'c']) test(name, () => {})"],
    ['leaves out the faults', 'Promise.prototype.then = run => run && run()'],
  ] as const)
    it(`in JavaScript that ${does} passes no test that it fails`, async () => {
      const told = await js(`${text}\nexports.a = () => 2`)
      assert.equal(told?.pass, false)
      assert.match(told?.value ?? '', /^0: a: AssertionError/)
    })

  it('is told from code that overrides what it inherits, and tests from those that set the clock', async () => {
    const code = `function Wrong(a) { this.name = 'Wrong'; this.message = a }
      Wrong.prototype = Object.create(Error.prototype)
      Wrong.prototype.constructor = Wrong
      const one = { n: 1 }
      one.toString = one.valueOf = () => 'one'
      exports.toString = () => 'me'
      exports.a = () => { const error = new Wrong('no'); error.name += '!'; return error.name + error.message + one + Date.now() + Math.random() }`
    const test = `const { a } = require('./a.js')
      test('a', () => { Date.now = () => 7; Math.random = () => 0.5; globalThis.fetch = 1; assert.equal(a(), 'Wrong!noone70.5') })`
    const told = await testsOf([{ path: 'a.js', text: code }], [{ path: 'a.test.js', text: test }])
    assert.deepEqual(told, { pass: true, value: '1' })
  })

  for (const [does, text] of [
    ['loops for ever', 'exports.a = () => { for (;;); }'],
    ['loops for ever as it is loaded', 'for (;;);'],
    ['loops for ever, whatever it catches,', 'exports.a = () => { for (;;) try { for (;;); } catch {} }'],
    ['loops for ever in promises', 'exports.a = async () => { for (;;) await undefined }'],
    ['has a regular expression that takes for ever', "exports.a = () => /^(a+)+$/.test('a'.repeat(50) + '!') || 1"],
  ] as const)
    it(`in JavaScript that ${does} is stopped`, async () => {
      const told = await js(text)
      assert.match(told?.value ?? '', /^0.*stopped after 5 s/)
    })

  for (const [does, text] of [
    ['eats memory', "def a():\n    all = []\n    while True:\n        all.append('x' * 10_000_000 + str(len(all)))\n"],
    ['overflows the stack', 'def a():\n    return a() + 1\n'],
  ] as const)
    it(`in Python that ${does} only fails its test`, async () => {
      const told = await py(text)
      assert.equal(told?.pass, false)
      assert.match(told?.value ?? '', /^0/)
    })

  const results = '{"results": [{"path": "test_a.py", "name": "test_a", "fault": ""}]}'
  const forged = `import os\nwith open('/results.json', 'w') as file:\n    file.write('${results}')\n`
  for (const [ends, text, value] of [
    ['exits', `${forged}os._exit(0)\n`, /^0: Program terminated with exit\(0\)/],
    ['loops for ever', `${forged}while True:\n    pass\n`, /^0: stopped after 5 s/],
  ] as const)
    it(`in Python that writes its own results and then ${ends} passes no test`, async () => {
      const told = await py(text)
      assert.equal(told?.pass, false)
      assert.match(told?.value ?? '', value)
    })

  it('in Python that loops for ever, whatever it catches, is stopped', async () => {
    const told = await py(
      'def a():\n    while True:\n        try:\n            while True:\n                pass\n        except BaseException:\n            pass\n',
    )
    assert.match(told?.value ?? '', /^0: stopped after 5 s/)
  })
})

describe('a path of a brief', () => {
  const isTaken = (path: string) => faultsOf(inputSchema, { files: [{ path, text: '' }] }) === undefined

  for (const path of [
    'app/[id]/page.tsx',
    'app/(shop)/page.tsx',
    'two words.py',
    'größe/名前.ts',
    './a.ts',
    '..a/b..ts',
  ])
    it(`may be ${path}`, () => assert.ok(isTaken(path)))

  for (const path of ['', '/a.ts', '../a.ts', 'a/../b.ts', 'a/..', 'a//b.ts', 'a/', 'a\\b.ts', 'a\n.ts', 'a\u202e.ts'])
    it(`may not be ${JSON.stringify(path)}`, () => assert.ok(!isTaken(path)))

  it('with signs of its framework is one that tests import from', async () => {
    const code = { path: 'app/[id]/größe (x).ts', text: 'export const a = 1\n' }
    const text = "import { a } from './größe (x).ts'\ntest('a', () => expect(a).toBe(1))\n"
    assert.deepEqual(await testsOf([], [{ path: 'app/[id]/a.test.ts', text }], [code]), { pass: true, value: '1' })
    const python = { path: 'größe/ein teil/b.py', text: 'a = 1\n' }
    const test = { path: 'größe/ein teil/test_b.py', text: 'from b import a\ndef test_a():\n    assert a == 1\n' }
    assert.deepEqual(await testsOf([], [test], [python]), { pass: true, value: '1' })
  })
})
